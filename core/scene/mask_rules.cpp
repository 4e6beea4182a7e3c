#include "core/scene/mask_rules.h"

#include <algorithm>

#include "core/scene/names.h"

namespace maskscope {
namespace {

// --- what a layer allows

// Blocks the keys before `begin` and from `end` on, which may lie beyond the row.
void keep(std::span<bool> row, Index begin, Index end) {
    const auto size = static_cast<Index>(row.size());
    begin = std::clamp<Index>(begin, 0, size);
    end = std::clamp<Index>(end, begin, size);
    std::fill(row.begin(), row.begin() + begin, false);
    std::fill(row.begin() + end, row.end(), false);
}

void set_column(const MaskGrid& grid, Index j, bool value) {
    for (Index i = 0; i < grid.n_q; ++i) grid.row(i)[j] = value;
}

void causal(const Scene&, Index, const MaskLayer& layer, const MaskGrid& grid) {
    const Index offset = layer.align == Align::bottom_right ? grid.n_k - grid.n_q : 0;
    for (Index i = 0; i < grid.n_q; ++i) keep(grid.row(i), 0, i + offset + 1);
}

void padding(const Scene& scene, Index b, const MaskLayer&, const MaskGrid& grid) {
    const auto keys = key_tokens(scene, b);
    for (Index j = 0; j < grid.n_k; ++j)
        if (keys[j] == scene.pad_token) set_column(grid, j, false);
}

void padding_queries(const Scene& scene, Index b, const MaskLayer&, const MaskGrid& grid) {
    const auto queries = query_tokens(scene, b);
    for (Index i = 0; i < grid.n_q; ++i)
        if (queries[i] == scene.pad_token) std::ranges::fill(grid.row(i), false);
}

void window(const Scene&, Index, const MaskLayer& layer, const MaskGrid& grid) {
    for (Index i = 0; i < grid.n_q; ++i) keep(grid.row(i), i - layer.left, i + layer.right + 1);
}

void prefix(const Scene&, Index, const MaskLayer& layer, const MaskGrid& grid) {
    for (Index i = 0; i < grid.n_q; ++i) keep(grid.row(i), 0, std::max(layer.length, i + 1));
}

void documents(const Scene&, Index, const MaskLayer& layer, const MaskGrid& grid) {
    Index start = 0;
    for (const Index length : layer.lengths) {
        for (Index i = start; i < start + length; ++i) keep(grid.row(i), start, start + length);
        start += length;
    }
}

template <bool value>
void listed(const Scene&, Index, const MaskLayer& layer, const MaskGrid& grid) {
    if (layer.cells)
        for (const Cell& cell : *layer.cells) grid.row(cell.i)[cell.j] = value;
    if (layer.rows)
        for (const Index i : *layer.rows) std::ranges::fill(grid.row(i), value);
    if (layer.columns)
        for (const Index j : *layer.columns) set_column(grid, j, value);
}

void sinks(const Scene&, Index, const MaskLayer& layer, const MaskGrid& grid) {
    for (Index i = 0; i < grid.n_q; ++i) keep(grid.row(i), 0, layer.count);
}

// --- the table

std::vector<LayerRule> make_rules() {
    const std::vector<LayerParameter> lists{{.key = "cells",
                                             .member = &MaskLayer::cells,
                                             .counts = Counts::cells,
                                             .unit = "cell",
                                             .units = "cells"},
                                            {.key = "rows",
                                             .member = &MaskLayer::rows,
                                             .counts = Counts::queries,
                                             .unit = "row",
                                             .units = "rows"},
                                            {.key = "columns",
                                             .member = &MaskLayer::columns,
                                             .counts = Counts::keys,
                                             .unit = "column",
                                             .units = "columns"}};
    return {
        {.kind = LayerKind::causal,
         .name = "causal",
         .label = "Causal",
         .edit = "align a layer",
         .parameters = {{.key = "align", .member = &MaskLayer::align}},
         .act = causal,
         .allows_diagonal = true,
         .in_shader = true},
        {.kind = LayerKind::padding,
         .name = "padding",
         .label = "Padding",
         .act = padding,
         .reads_keys = true,
         .in_shader = true},
        {.kind = LayerKind::padding_queries,
         .name = "padding_queries",
         .label = "Block padded queries",
         .act = padding_queries,
         .reads_queries = true,
         .is_rare = true,
         .in_shader = true},
        {.kind = LayerKind::window,
         .name = "window",
         .label = "Window",
         .edit = "change a window",
         .parameters = {{.key = "left",
                         .member = &MaskLayer::left,
                         .fresh = 1,
                         .label = "keys back",
                         .unit = "back",
                         .units = "back"},
                        {.key = "right",
                         .member = &MaskLayer::right,
                         .fresh = 1,
                         .label = "keys after",
                         .unit = "after",
                         .units = "after"}},
         .act = window,
         .allows_diagonal = true,
         .in_shader = true},
        {.kind = LayerKind::prefix,
         .name = "prefix",
         .label = "Prefix",
         .edit = "change a prefix",
         .parameters = {{.key = "length",
                         .member = &MaskLayer::length,
                         .counts = Counts::first_keys,
                         .fresh = 2,
                         .label = "keys open",
                         .unit = "key",
                         .units = "keys"}},
         .act = prefix,
         .allows_diagonal = true,
         .in_shader = true},
        {.kind = LayerKind::documents,
         .name = "documents",
         .label = "Documents",
         .edit = "change documents",
         .parameters = {{.key = "lengths",
                         .member = &MaskLayer::lengths,
                         .counts = Counts::documents,
                         .low = 1,
                         .label = "lengths"}},
         .act = documents,
         .allows_diagonal = true,
         .is_square = true,
         .is_rare = true,
         .in_shader = true},
        {.kind = LayerKind::blocked,
         .name = "blocked",
         .label = "Blocked cells",
         .parameters = lists,
         .act = listed<false>,
         .lists_cells = true,
         .in_shader = true},
        {.kind = LayerKind::allowed,
         .name = "allowed",
         .label = "Allowed cells",
         .parameters = lists,
         .act = listed<true>,
         .opens = true,
         .lists_cells = true,
         .allows_diagonal = true,
         .is_rare = true,
         .in_shader = true},
        {.kind = LayerKind::sinks,
         .name = "sinks",
         .label = "Sinks",
         .edit = "change sinks",
         .parameters = {{.key = "count",
                         .member = &MaskLayer::count,
                         .fresh = 1,
                         .label = "first keys",
                         .unit = "key",
                         .units = "keys"}},
         .act = sinks,
         .is_rare = true},
        {.kind = LayerKind::alibi, .name = "alibi", .label = "ALiBi", .is_rare = true},
        {.kind = LayerKind::bias,
         .name = "bias",
         .label = "Bias",
         .edit = "change a bias",
         .parameters = {{.key = "cells",
                         .member = &MaskLayer::bias,
                         .counts = Counts::cells,
                         .unit = "cell",
                         .units = "cells"}},
         .is_rare = true},
    };
}

}  // namespace

const std::vector<LayerRule>& layer_rules() {
    static const std::vector<LayerRule> rules = make_rules();
    return rules;
}

const LayerRule& rule_of(LayerKind kind) { return layer_rules()[static_cast<std::size_t>(kind)]; }

template <>
std::span<const std::string_view> names<LayerKind>() {
    static const std::vector<std::string_view> words = [] {
        std::vector<std::string_view> all;
        for (const LayerRule& rule : layer_rules()) all.push_back(rule.name);
        return all;
    }();
    return words;
}

std::string_view label(LayerKind kind) { return rule_of(kind).label; }

bool is_bias(const MaskLayer& layer) { return rule_of(layer.kind).is_bias(); }

bool holds_for(const MaskLayer& layer, Index h) {
    return !layer.heads || std::ranges::find(*layer.heads, h) != layer.heads->end();
}

MaskLayer new_layer(LayerKind kind, const Shape& shape) {
    MaskLayer layer;
    layer.kind = kind;
    for (const LayerParameter& parameter : rule_of(kind).parameters) {
        if (const auto* number = std::get_if<Index MaskLayer::*>(&parameter.member))
            layer.*(*number) = std::min(parameter.fresh, shape.n_k);
        if (parameter.counts == Counts::documents)
            layer.lengths = {(shape.n_q + 1) / 2, shape.n_q / 2};
    }
    if (rule_of(kind).lists_cells) layer.cells.emplace();
    std::erase(layer.lengths, 0);
    return layer;
}

}  // namespace maskscope
