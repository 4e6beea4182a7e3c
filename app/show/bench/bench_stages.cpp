// Decides which stages of the variants are drawn, which are shared by all, and the operations
// between them.

#include <algorithm>
#include <cmath>
#include <map>

#include "app/show/bench/bench_parts.h"
#include "core/result/request.h"
#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

using enum StageKind;

bool all_lanes_share(const BenchSource& d, StageKind stage) {
    const VariantResult& first = d.of(d.lanes.front());
    return lanes_have_one_labelling(d) && std::ranges::all_of(d.lanes, [&](int lane) {
               return have_same_numbers(first, stage, d.of(lane), stage);
           });
}

// Returns the stages of one variant that are drawn, in order.
std::vector<StageKind> connector(const BenchSource& d, int lane) {
    std::vector<StageKind> drawn_stages;
    for (const StageKind stage : d.stages)
        if (stage != allowed && d.of(lane).stage(stage).exists()) drawn_stages.push_back(stage);
    return drawn_stages;
}

}  // namespace

bool have_same_numbers(const VariantResult& x, StageKind of_x, const VariantResult& y,
                       StageKind of_y) {
    const Stage &one = x.stage(of_x), &other = y.stage(of_y);
    if (!x.computed && !y.computed) return same_numbers(one, other);
    return one.exists() && other.exists() && one.shares(other);
}

bool lanes_have_one_labelling(const BenchSource& d) {
    const VariantResult& first = d.of(d.lanes.front());
    return !first.run || std::ranges::all_of(d.lanes, [&](int lane) {
        return d.of(lane).queries == first.queries && d.of(lane).keys == first.keys;
    });
}

// Returns the stages up to the scaled scores that are equal in all variants.
std::vector<StageKind> shared_stages(const BenchSource& d) {
    std::vector<StageKind> shared;
    for (StageKind stage : {scores, scaled}) {
        if (!all_lanes_share(d, stage)) break;
        shared.push_back(stage);
    }
    return shared;
}

namespace {

// Returns the statistics of a row. For rows that are computed when they are read, those of the last
// known row above.
RowFigures figures_of(const VariantResult& result, Index b, Index h, Index i, RowFigures& above) {
    if (!result.computed) return result.row(b, h, i);
    if (const auto known = result.computed->known_figures(b, h, i)) above = *known;
    return above;
}

}  // namespace

// True if a mask that multiplies the weights takes weight from this row.
bool is_multiplied(const VariantResult& result, const Variant& variant, Index b, Index h, Index i) {
    if (!masks_weights(variant.mask.apply)) return false;
    for (Index j = 0; j < result.shape.n_k; ++j)
        if (!result.is_allowed(b, h, i, j)) return true;
    return false;
}

RowSums sums_of(const BenchSource& d, int lane, Index b, Index h) {
    const VariantResult& result = d.of(lane);
    const Variant& variant = d.variant(lane);
    RowSums sums;
    sums.rows.reserve(static_cast<std::size_t>(result.shape.n_q));
    RowFigures above{.sum = 1};
    for (Index i = 0; i < result.shape.n_q; ++i) {
        RowSum sum;
        sum.figures = figures_of(result, b, h, i, above);
        sum.tolerance = tolerance_of(variant.dtype);
        sum.by_cell = weighs_cells_alone(variant);
        sum.by_design =
            sum.by_cell || (!rows_sum_to_one(variant) && !is_multiplied(result, variant, b, h, i));
        sum.zeroed = sum.figures.empty && zeroes_empty_rows(variant.mask.apply, variant.empty_rows);
        const bool sinks = sink_of(variant, h) && !masks_weights(variant.mask.apply);
        if (sinks && !sum.zeroed && !sum.figures.nan) sum.sink = std::max(0.0, 1 - sum.figures.sum);
        const bool is_off = std::abs(sum.figures.sum - 1) > sum.tolerance;
        sums.has_sinks |= sum.sink.has_value();
        sums.has_zeroed |= sum.zeroed;
        sums.is_off_by_design |= sum.by_design && is_off;
        sums.loses_weight |= sum.figures.sum < 1 - sum.tolerance && !sum.by_design && !sum.zeroed &&
                             masks_weights(variant.mask.apply);
        sums.rows.push_back(sum);
    }
    return sums;
}

BenchLane lane_of(const BenchSource& d, int lane, const std::vector<StageKind>& shared,
                  bool own_mask, Index b, Index h, std::optional<StageKind> from) {
    const Variant& variant = d.variant(lane);
    const Inputs& inputs = d.result.scene.inputs;
    BenchLane l;
    l.variant = lane;
    l.name = variant.name;
    l.changes = d.changes[lane];
    if (own_mask) l.stages.push_back(drawn(d, lane, allowed, b, h));
    std::optional<StageKind> before = from;
    for (StageKind stage : connector(d, lane)) {
        const bool is_shared = std::ranges::find(shared, stage) != shared.end();
        if (!is_shared) {
            l.stages.push_back(drawn(d, lane, stage, b, h));
            if (before)
                l.stages.back().operations = operations_between(inputs, variant, *before, stage);
            else if (own_mask)  // its mask leads to it
                l.stages.back().operations = operations_with_mask(inputs, variant, stage);
            if (stage == weights) l.sums = sums_of(d, lane, b, h);
        }
        before = stage;
    }
    return l;
}

std::vector<BenchStage> shared_of(const BenchSource& d, const std::vector<StageKind>& shared,
                                  Index b, Index h) {
    std::vector<BenchStage> stages;
    const int lane = d.lanes.front();
    std::optional<StageKind> before;
    for (StageKind stage : connector(d, lane)) {
        if (std::ranges::find(shared, stage) == shared.end()) continue;
        stages.push_back(drawn(d, lane, stage, b, h));
        if (before)
            stages.back().operations =
                operations_between(d.result.scene.inputs, d.variant(lane), *before, stage);
        before = stage;
    }
    return stages;
}

// Finds the marks beside a mask: the groups or documents of its tokens, and its tree.

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

// Adds the rules of groups or documents that all have to allow a key of head h.
void add_required(const std::vector<MaskLayer>& layers, Index h,
                  std::vector<const MaskLayer*>& required) {
    for (const MaskLayer& layer : layers) {
        if (!holds_for(layer, h) || layer.invert) continue;
        if (layer.kind == LayerKind::groups || layer.kind == LayerKind::documents)
            required.push_back(&layer);
        if (layer.kind == LayerKind::all) add_required(layer.layers, h, required);
    }
}

// Returns the groups that several rules leave together, numbered from 1 in their order; −1 if a
// rule has the key in no group.
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
    if (required.size() > 1) {
        marks->groups = common_groups(required, b);
    } else if (groups) {
        marks->groups = groups_of(*groups, b);
        if (groups->kind == LayerKind::documents) marks->group = "document";
    }
    if (tree) marks->parents = tree->parents;
    marks->focus = d.focus;
    return marks;
}

}  // namespace maskscope
