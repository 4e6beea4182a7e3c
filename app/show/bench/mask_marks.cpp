// Finds the marks beside a mask: the groups or documents of its tokens, and its tree.

#include <algorithm>
#include <map>

#include "app/show/bench/bench_parts.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// Returns the first rule of one of these kinds that holds for head h, in groups, too.
const MaskLayer* first_of(const std::vector<MaskLayer>& layers, Index h,
                          std::initializer_list<LayerKind> kinds) {
    for (const MaskLayer& layer : layers) {
        if (!holds_for(layer, h)) continue;
        if (std::ranges::find(kinds, layer.kind) != kinds.end()) return &layer;
        if (const MaskLayer* inner = first_of(layer.layers, h, kinds)) return inner;
    }
    return nullptr;
}

// Returns the number of each key's group, as it is typed; or of its document, from 1.
std::vector<Index> groups_of(const MaskLayer& layer, Index b) {
    if (layer.kind == LayerKind::groups) return ids_of(layer, b);
    const std::vector<Index>& lengths = lengths_of(layer, b);
    std::vector<Index> numbers;
    for (std::size_t k = 0; k < lengths.size(); ++k)
        numbers.insert(numbers.end(), static_cast<std::size_t>(lengths[k]),
                       static_cast<Index>(k) + 1);
    return numbers;
}

// The layers of groups or documents that all have to allow a key of head h.
void add_required(const std::vector<MaskLayer>& layers, Index h,
                  std::vector<const MaskLayer*>& required) {
    for (const MaskLayer& layer : layers) {
        if (!holds_for(layer, h) || layer.invert) continue;
        if (layer.kind == LayerKind::groups || layer.kind == LayerKind::documents)
            required.push_back(&layer);
        if (layer.kind == LayerKind::all) add_required(layer.layers, h, required);
    }
}

// The groups that several layers leave together, from 1 in their order; −1 where a key is in none
// of those of one layer.
std::vector<Index> common_groups(const std::vector<const MaskLayer*>& layers, Index b) {
    std::vector<std::vector<Index>> of_layers;
    for (const MaskLayer* layer : layers) of_layers.push_back(groups_of(*layer, b));
    std::map<std::vector<Index>, Index> numbers;
    std::vector<Index> groups;
    for (std::size_t j = 0; j < of_layers.front().size(); ++j) {
        std::vector<Index> key;
        for (const auto& ids : of_layers) key.push_back(ids[j]);
        const bool is_in_none = std::ranges::count(key, -1) > 0;
        const auto next = static_cast<Index>(numbers.size()) + 1;
        groups.push_back(is_in_none ? -1 : numbers.emplace(key, next).first->second);
    }
    return groups;
}

}  // namespace

std::shared_ptr<const MaskMarks> marks_of(const BenchSource& d, int lane, Index b, Index h) {
    const std::vector<MaskLayer>& layers = d.variant(lane).mask.layers;
    const MaskLayer* groups = first_of(layers, h, {LayerKind::groups, LayerKind::documents});
    const MaskLayer* tree = first_of(layers, h, {LayerKind::tree});
    // Rows whose positions are listed are not beside their own keys.
    if ((!groups && !tree) || lists_positions(d.result.scene)) return nullptr;
    auto marks = std::make_shared<MaskMarks>();
    marks->start = d.result.scene.sequences[b].start;
    std::vector<const MaskLayer*> required;
    add_required(layers, h, required);
    if (required.size() > 1)
        marks->groups = common_groups(required, b);
    else if (groups)
        marks->groups = groups_of(*groups, b);
    if (tree) marks->parents = tree->parents;
    marks->focus = d.focus;
    return marks;
}

}  // namespace maskscope
