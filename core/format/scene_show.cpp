#include <nlohmann/json.hpp>

#include "core/format/scene_parts.h"

namespace maskscope {

namespace {

constexpr Index largest_d = 1024;

// The bounds of indices: the scene's sizes, or the widest possible if `show` is not checked.
struct Limits {
    int variants = most_variants;
    Index b = largest_index, h = largest_index, n_q = largest_index, n_k = largest_index;
    std::optional<Index> d_v = largest_index;
};

std::optional<int> variant_of(char letter, int variants) {
    const int variant = letter - 'A';
    return variant >= 0 && variant < variants ? std::optional<int>(variant) : std::nullopt;
}

std::string variant_range(int variants) {
    return variants == 1 ? "\"A\""
                         : std::string("a letter from A to ") + variant_letter(variants - 1);
}

int read_variant_letter(const Node& node, int variants) {
    const auto* word = node.json.get_ptr<const std::string*>();
    const auto variant =
        word && word->size() == 1 ? variant_of(word->front(), variants) : std::nullopt;
    if (!variant) fail(node, variant_range(variants));
    return *variant;
}

// Reads "A-B".
Difference read_difference(const Node& node, int variants) {
    const auto* word = node.json.get_ptr<const std::string*>();
    const bool formed = word && word->size() == 3 && (*word)[1] == '-';
    const auto variant = formed ? variant_of((*word)[0], variants) : std::nullopt;
    const auto minus = formed ? variant_of((*word)[2], variants) : std::nullopt;
    if (!variant || !minus || *variant == *minus)
        fail(node, "two variants as in \"A-B\", each " + variant_range(variants));
    return {*variant, *minus};
}

Cell read_pair(const Node& node, Index rows, Index columns) {
    const auto entries = read_list_of(node, 2);
    return {read_index(entries[0], rows), read_index(entries[1], columns)};
}

Cell read_components(const Node& node, std::optional<Index> d_v) {
    if (!d_v) throw InputError(node.place, "components of values, but these inputs have none");
    const Cell components = read_pair(node, *d_v, *d_v);
    expect_distinct(node, {components.i, components.j});
    return components;
}

}  // namespace

std::vector<int> read_variants(const Node& node, int variants) {
    std::vector<int> read;
    for (const Node& item : read_filled_list(node))
        read.push_back(read_variant_letter(item, variants));
    expect_distinct(node, {read.begin(), read.end()});
    return read;
}

std::vector<StageKind> read_stages(const Node& node) {
    std::vector<StageKind> stages;
    std::vector<Index> entries;
    for (const Node& item : read_list(node)) {
        stages.push_back(read_name<StageKind>(item));
        entries.push_back(static_cast<Index>(stages.back()));
    }
    expect_distinct(node, entries);
    return stages;
}

Show read_show(const Node& node, const Scene& scene, bool judge) {
    expect_keys(node, {"view", "stages", "lanes", "difference", "sequences", "heads", "components",
                       "d", "focus", "ring", "vectors"});
    Limits limits;
    if (judge) {
        const auto [b, h, n_q, n_k] = shape_of(scene);
        limits = {static_cast<int>(scene.variants.size()), b, h, n_q, n_k, d_v_of(scene.inputs)};
    }
    Show show;
    if (const auto at = find(node, "view")) show.view = read_name<ViewKind>(*at);
    if (const auto at = find(node, "stages")) show.stages = read_stages(*at);
    if (const auto at = find(node, "lanes")) show.variants = read_variants(*at, limits.variants);
    if (const auto at = find(node, "difference"))
        show.difference = read_difference(*at, limits.variants);
    if (const auto at = find(node, "sequences")) show.sequences = read_distinct(*at, limits.b);
    if (const auto at = find(node, "heads")) show.heads = read_distinct(*at, limits.h);
    if (const auto at = find(node, "components"))
        show.components = read_components(*at, limits.d_v);
    if (const auto at = find(node, "d")) show.d = read_count(*at, 1, largest_d);
    if (const auto at = find(node, "focus")) show.focus = read_pair(*at, limits.n_q, limits.n_k);
    if (const auto at = find(node, "ring")) show.ring = read_pair(*at, limits.n_q, limits.n_k);
    if (const auto at = find(node, "vectors")) show.vectors = read_flag(*at);
    return show;
}

// --- writing

Json variants_to_json(const std::vector<int>& variants) {
    Json list = Json::array();
    for (const int variant : variants) list.push_back(std::string(1, variant_letter(variant)));
    return list;
}

Json stages_to_json(const std::vector<StageKind>& stages) {
    Json list = Json::array();
    for (const StageKind stage : stages) list.push_back(name(stage));
    return list;
}

namespace {

void put_cell(Json& json, const char* key, const std::optional<Cell>& cell) {
    if (cell) json[key] = Json::array({cell->i, cell->j});
}

std::string difference_text(const Difference& difference) {
    return {variant_letter(difference.variant), '-', variant_letter(difference.minus)};
}

}  // namespace

Json show_to_json(const Show& show) {
    Json json = Json::object();
    if (show.view) json["view"] = name(*show.view);
    if (show.stages) json["stages"] = stages_to_json(*show.stages);
    if (show.variants) json["lanes"] = variants_to_json(*show.variants);
    if (show.difference) json["difference"] = difference_text(*show.difference);
    if (show.sequences) json["sequences"] = *show.sequences;
    if (show.heads) json["heads"] = *show.heads;
    put_cell(json, "components", show.components);
    if (show.d) json["d"] = *show.d;
    put_cell(json, "focus", show.focus);
    put_cell(json, "ring", show.ring);
    if (show.vectors) json["vectors"] = true;
    return json;
}

}  // namespace maskscope
