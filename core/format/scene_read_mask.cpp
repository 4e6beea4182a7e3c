#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/cases.h"
#include "core/format/scene_read.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// What a layer's indices count in.
struct Axes {
    Index h, n_q, n_k;
    bool biases;          // may layers be biases?
    const Scene* tokens;  // its sequences and pad token
    const Reading& reading;
};

std::vector<Cell> read_cells(const Node& node, const Axes& axes) {
    std::vector<Cell> cells;
    for (const Node& item : read_list(node)) {
        const auto entries = read_list_of(item, 2);
        cells.push_back({read_index(entries[0], axes.n_q), read_index(entries[1], axes.n_k)});
    }
    return cells;
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

void expect_documents(const Node& node, const std::vector<Index>& lengths, const Axes& axes) {
    Index left = axes.n_k;
    for (const Index length : lengths) left -= std::min(length, left + 1);  // -1: too long
    if (left != 0)
        throw InputError(node.place, fmt::format("expected lengths that sum to {}", axes.n_k));
}

// A list with an entry for each key.
void expect_entries(const Node& node, const std::vector<Index>& entries, const Axes& axes) {
    if (std::ssize(entries) != axes.n_k)
        throw InputError(node.place, fmt::format("expected {} integers, one for each key, got {}",
                                                 axes.n_k, entries.size()));
}

// Every query stands at the position of a key.
void expect_positions(const Node& node, const Axes& axes) {
    const Index last = last_position(*axes.tokens);
    if (last >= axes.n_k)
        throw InputError(
            node.place,
            fmt::format("a query stands at position {}, and there are {} keys", last, axes.n_k));
}

// One of the lists of a layer that every sequence has.
std::vector<Index> read_list_of_keys(const Node& node, const LayerParameter& parameter,
                                     const Axes& axes) {
    std::vector<Index> numbers;
    for (const Node& item : read_filled_list(node)) {
        const bool parent = parameter.counts == Counts::parents;
        const Index most = parent ? std::ssize(numbers) - 1 : largest_index;
        numbers.push_back(read_count(item, parameter.low, most));
    }
    if (parameter.counts == Counts::documents)
        expect_documents(node, numbers, axes);
    else
        expect_entries(node, numbers, axes);
    return numbers;
}

void read_numbers(const Node& node, const LayerParameter& parameter, const Axes& axes,
                  MaskLayer& layer) {
    auto& numbers = layer.*std::get<std::vector<Index> MaskLayer::*>(parameter.member);
    if (parameter.counts == Counts::tokens) {
        numbers = read_distinct(node, axes.n_k);
        return;
    }
    const auto items = read_filled_list(node);
    const auto is_list = [](const Node& item) { return item.json.is_array(); };
    if (parameter.each && std::ranges::any_of(items, is_list)) {
        for (const Node& item : items)
            if (!is_list(item)) fail(item, "a list, as the others are");
        if (items.size() != axes.tokens->sequences.size())
            throw InputError(node.place,
                             fmt::format("expected {} lists, one for each sequence, got {}",
                                         axes.tokens->sequences.size(), items.size()));
        for (const Node& item : items)
            (layer.*parameter.each).push_back(read_list_of_keys(item, parameter, axes));
    } else {
        numbers = read_list_of_keys(node, parameter, axes);
    }
    expect_positions(node, axes);
}

}  // namespace

std::string read_expression(const Node& node) {
    const std::string text = read_text(node);
    if (text.size() > most_expression_bytes)
        throw InputError(node.place, fmt::format("expected at most {} bytes, got {}",
                                                 most_expression_bytes, text.size()));
    try {
        (void)Expression(text);
    } catch (const InputError& error) {
        throw InputError(node.place, error.what());
    }
    return text;
}

namespace {

MaskLayer read_layer(const Node& node, const Axes& axes, int depth);

Array read_tensor_of(const Node& node, const Axes& axes, const MaskLayer& layer) {
    return read_mask_array(node, axes.reading,
                           {std::ssize(axes.tokens->sequences), axes.h, axes.n_q, axes.n_k},
                           !is_bias(layer));
}

// depth: of groups around the layer.
void read_parameter(const Node& layer_node, const LayerParameter& parameter, const Axes& axes,
                    int depth, MaskLayer& layer) {
    const auto required = [&] { return require(layer_node, parameter.key); };
    const auto optional = [&] { return find(layer_node, parameter.key); };
    std::visit(Cases{
                   [&](Align MaskLayer::*align) {
                       if (const auto node = optional()) layer.*align = read_name<Align>(*node);
                   },
                   [&](Slopes MaskLayer::*slopes) {
                       if (const auto node = optional()) layer.*slopes = read_name<Slopes>(*node);
                   },
                   [&](std::optional<Array> MaskLayer::*tensor) {
                       if (!is_bias(layer))
                           layer.*tensor = read_tensor_of(required(), axes, layer);
                       else if (const auto node = optional())
                           layer.*tensor = read_tensor_of(*node, axes, layer);
                   },
                   [&](Index MaskLayer::*number) {
                       layer.*number = read_count(required(), parameter.low, largest_index);
                   },
                   [&](std::vector<Index> MaskLayer::*) {
                       read_numbers(required(), parameter, axes, layer);
                   },
                   [&](std::optional<std::vector<Index>> MaskLayer::*indices) {
                       const Index size = parameter.counts == Counts::queries ? axes.n_q : axes.n_k;
                       if (const auto node = optional()) layer.*indices = read_indices(*node, size);
                   },
                   [&](std::optional<std::vector<Cell>> MaskLayer::*cells) {
                       if (const auto node = optional()) layer.*cells = read_cells(*node, axes);
                   },
                   [&](std::vector<BiasCell> MaskLayer::*cells) {
                       if (!find(layer_node, "tensor")) layer.*cells = read_bias(required(), axes);
                   },
                   [&](std::string MaskLayer::*text) { layer.*text = read_expression(required()); },
                   [&](std::vector<MaskLayer> MaskLayer::*layers) {
                       for (const Node& inner : read_filled_list(required()))
                           (layer.*layers).push_back(read_layer(inner, axes, depth + 1));
                   },
               },
               parameter.member);
}

// depth: of groups around the layer, 0 for a layer of the variant's list.
MaskLayer read_layer(const Node& node, const Axes& axes, int depth) {
    MaskLayer layer;
    const Node kind = require(node, "kind");
    layer.kind = read_name<LayerKind>(kind);
    const LayerRule& rule = rule_of(layer.kind);
    if (rule.is_bias() && !axes.biases) fail(kind, "no bias over given weights");
    if (rule.is_bias() && depth > 0) fail(kind, "no bias within a group of layers");
    if (rule.is_group && depth == most_groups)
        throw InputError(kind.place,
                         fmt::format("more than {} groups inside one another", most_groups));
    std::vector<std::string_view> keys;
    for (const LayerParameter& parameter : rule.parameters) keys.push_back(parameter.key);
    std::vector<std::string_view> known = {"kind"};
    if (depth == 0) known.emplace_back("heads");
    if (!rule.is_bias() && !(rule.opens && depth == 0)) known.emplace_back("invert");
    known.insert(known.end(), keys.begin(), keys.end());
    expect_keys(node, known);
    for (const LayerParameter& parameter : rule.parameters)
        read_parameter(node, parameter, axes, depth, layer);
    const auto is_there = [&](std::string_view key) { return find(node, key).has_value(); };
    if (rule.lists_cells && std::ranges::none_of(keys, is_there))
        throw InputError(node.place, "expected " + alternatives(keys));
    layer.invert = read_or(node, "invert", read_flag, false);
    if (const auto heads = find(node, "heads")) layer.heads = read_distinct(*heads, axes.h);
    if (layer.kind == LayerKind::formula_bias)
        if (const std::string bad = bad_bias(*axes.tokens, layer, axes.h); !bad.empty())
            throw InputError(place_of(node, "adds"), "expected numbers or −∞, got " + bad);
    if (layer.tensor) {
        const bool bias = rule.is_bias();
        if (bias && is_there("cells"))
            throw InputError(place_of(node, "tensor"), "cannot stand with \"cells\"");
        if (const std::string bad = bad_tensor(layer); !bad.empty())
            throw InputError(
                place_of(node, bias ? "tensor" : "allowed"),
                (bias ? "expected numbers or −∞, got " : "expected 0 or -9984 and less, got ") +
                    bad);
    }
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
    const auto all = names<Apply>();
    std::vector<std::string_view> words(all.begin(), all.end());
    std::erase_if(words,
                  [](std::string_view word) { return masks_logits(*from_name<Apply>(word)); });
    return *from_name<Apply>(words[read_word(node, words)]);
}

}  // namespace

Mask read_mask(const Node& node, const Inputs& inputs, const Tokens& tokens,
               const Reading& reading) {
    const bool weights = std::holds_alternative<WeightsInputs>(inputs);
    const Axes axes{heads_of(inputs), tokens.n_q, tokens.n_k, !weights, tokens.scene, reading};
    Mask mask;
    expect_keys(node, weights ? std::vector<std::string_view>{"layers", "apply"}
                              : std::vector<std::string_view>{"layers", "apply", "value", "times",
                                                              "order"});
    if (const auto layers = find(node, "layers"))
        for (const Node& layer : read_list(*layers))
            mask.layers.push_back(read_layer(layer, axes, 0));
    mask.apply = weights ? read_or(node, "apply", read_apply_to_weights, Apply::none)
                         : read_or(node, "apply", read_name<Apply>, Apply::additive);
    mask.value = read_or(node, "value", read_blocked_value, mask.value);
    if (const auto times = find(node, "times"))
        mask.times = static_cast<int>(read_count(*times, 1, 2));
    mask.order = read_or(node, "order", read_name<Order>, mask.order);
    return mask;
}

}  // namespace maskscope
