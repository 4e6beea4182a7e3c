#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/format/scene_read.h"

namespace maskscope {

namespace {

// What a layer's indices count in.
struct Axes {
    Index h, n_q, n_k;
    bool biases;  // may layers be biases?
};

Cell read_cell(const Node& node, Index rows, Index columns) {
    const auto entries = read_list_of(node, 2);
    return {read_index(entries[0], rows), read_index(entries[1], columns)};
}

std::vector<BiasCell> read_bias(const Node& node, const Axes& axes) {
    std::vector<BiasCell> cells;
    for (const Node& item : read_list(node)) {
        const auto entries = read_list_of(item, 3);
        cells.push_back({read_index(entries[0], axes.n_q), read_index(entries[1], axes.n_k),
                         read_number(entries[2])});
    }
    return cells;
}

std::vector<Index> read_documents(const Node& node, const Axes& axes) {
    std::vector<Index> lengths;
    for (const Node& item : read_filled_list(node))
        lengths.push_back(read_integer(item, 1, largest_integer));
    Index left = axes.n_q;
    for (const Index length : lengths) left -= std::min(length, left + 1);  // -1: too long
    if (axes.n_q != axes.n_k)
        throw InputError(node.place,
                         fmt::format("documents need as many queries as keys, got {} and {}",
                                     axes.n_q, axes.n_k));
    if (left != 0)
        throw InputError(node.place, fmt::format("expected lengths that sum to {}", axes.n_q));
    return lengths;
}

void read_listed(const Node& node, const Axes& axes, MaskLayer& layer) {
    if (const auto cells = find(node, "cells")) {
        layer.cells.emplace();
        for (const Node& cell : read_list(*cells))
            layer.cells->push_back(read_cell(cell, axes.n_q, axes.n_k));
    }
    if (const auto rows = find(node, "rows")) layer.rows = read_indices(*rows, axes.n_q);
    if (const auto columns = find(node, "columns"))
        layer.columns = read_indices(*columns, axes.n_k);
    if (!layer.cells && !layer.rows && !layer.columns)
        throw InputError(node.place, "expected \"cells\", \"rows\" or \"columns\"");
}

std::vector<std::string_view> keys_of(LayerKind kind) {
    switch (kind) {
        case LayerKind::causal:
            return {"kind", "align", "heads"};
        case LayerKind::window:
            return {"kind", "left", "right", "heads"};
        case LayerKind::prefix:
            return {"kind", "length", "heads"};
        case LayerKind::documents:
            return {"kind", "lengths", "heads"};
        case LayerKind::blocked:
        case LayerKind::allowed:
            return {"kind", "cells", "rows", "columns", "heads"};
        case LayerKind::bias:
            return {"kind", "cells", "heads"};
        default:
            return {"kind", "heads"};
    }
}

Index read_length(const Node& node) { return read_integer(node, 0, largest_integer); }

void read_parameters(const Node& node, const Axes& axes, MaskLayer& layer) {
    switch (layer.kind) {
        case LayerKind::causal:
            layer.align = read_or(node, "align", read_name<Align>, Align::top_left);
            break;
        case LayerKind::window:
            layer.left = read_length(require(node, "left"));
            layer.right = read_length(require(node, "right"));
            break;
        case LayerKind::prefix:
            layer.length = read_length(require(node, "length"));
            break;
        case LayerKind::documents:
            layer.lengths = read_documents(require(node, "lengths"), axes);
            break;
        case LayerKind::blocked:
        case LayerKind::allowed:
            read_listed(node, axes, layer);
            break;
        case LayerKind::bias:
            layer.bias = read_bias(require(node, "cells"), axes);
            break;
        default:
            break;  // padding, padding_queries, alibi: no parameters
    }
}

MaskLayer read_layer(const Node& node, const Axes& axes) {
    MaskLayer layer;
    const Node kind = require(node, "kind");
    layer.kind = read_name<LayerKind>(kind);
    if (is_bias(layer) && !axes.biases) fail(kind, "no bias over given weights");
    expect_keys(node, keys_of(layer.kind));
    read_parameters(node, axes, layer);
    if (const auto heads = find(node, "heads")) layer.heads = read_distinct(*heads, axes.h);
    return layer;
}

BlockedValue read_blocked_value(const Node& node) {
    if (node.json.is_number()) return {ValueKind::number, read_number(node)};
    const auto* word = node.json.get_ptr<const std::string*>();
    const auto kind = word ? from_name<ValueKind>(*word) : std::nullopt;
    if (!kind) fail(node, alternatives(names<ValueKind>(), "a number"));
    return {*kind, 0};
}

// Weights that are given can only be multiplied.
Apply read_apply_to_weights(const Node& node) {
    static constexpr std::array<Apply, 3> possible = {
        Apply::multiply_weights, Apply::multiply_weights_renormalized, Apply::none};
    const std::array words = {name(possible[0]), name(possible[1]), name(possible[2])};
    return possible[read_word(node, words)];
}

int read_times(const Node& node) { return static_cast<int>(read_integer(node, 1, 2)); }

}  // namespace

Mask read_mask(const Node& node, const Inputs& inputs, const Tokens& tokens) {
    const bool weights = std::holds_alternative<WeightsInputs>(inputs);
    const Axes axes{heads_of(inputs), tokens.n_q, tokens.n_k, !weights};
    Mask mask;
    expect_keys(node, weights ? std::vector<std::string_view>{"layers", "apply"}
                              : std::vector<std::string_view>{"layers", "apply", "value", "times",
                                                              "order"});
    if (const auto layers = find(node, "layers"))
        for (const Node& layer : read_list(*layers)) mask.layers.push_back(read_layer(layer, axes));
    mask.apply = weights ? read_or(node, "apply", read_apply_to_weights, Apply::none)
                         : read_or(node, "apply", read_name<Apply>, Apply::additive);
    mask.value = read_or(node, "value", read_blocked_value, mask.value);
    mask.times = read_or(node, "times", read_times, mask.times);
    mask.order = read_or(node, "order", read_name<Order>, mask.order);
    return mask;
}

}  // namespace maskscope
