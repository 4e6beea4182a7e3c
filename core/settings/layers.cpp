#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/cases.h"
#include "core/scene/mask_rules.h"
#include "core/settings/parts.h"

namespace maskscope {

namespace {

// The sizes that limit a rule's indices.
struct Axes {
    Index h, n_q, n_k;
    bool biases;          // true if rules may be biases
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
    for (const Index length : lengths) left -= std::min(length, left + 1);  // below 0: too long
    if (left != 0)
        throw InputError(node.place, fmt::format("expected lengths that sum to {}", axes.n_k));
}

// Throws unless the list has an entry for each key.
void expect_entries(const Node& node, const std::vector<Index>& entries, const Axes& axes) {
    if (std::ssize(entries) != axes.n_k)
        throw InputError(node.place, fmt::format("expected {} integers, one for each key, got {}",
                                                 axes.n_k, entries.size()));
}

// Throws unless every query is at the position of a key.
void expect_positions(const Node& node, const Axes& axes) {
    const Index last = last_position(*axes.tokens);
    if (last >= axes.n_k)
        throw InputError(node.place, fmt::format("a query is at position {}, but there are {} keys",
                                                 last, axes.n_k));
}

// Reads one list of a rule: that of all sequences, or that of one of them.
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
    if (parameter.each && is_list(items.front())) {
        for (const Node& item : items)
            if (!is_list(item)) fail(item, "a list, like the other entries");
        if (items.size() != axes.tokens->sequences.size())
            throw InputError(
                node.place,
                fmt::format("expected {} list{}, one for each sequence, got {}",
                            axes.tokens->sequences.size(),
                            axes.tokens->sequences.size() == 1 ? "" : "s", items.size()));
        for (const Node& item : items)
            (layer.*parameter.each).push_back(read_list_of_keys(item, parameter, axes));
    } else {
        numbers = read_list_of_keys(node, parameter, axes);
    }
    expect_positions(node, axes);
}

MaskLayer read_layer(const Node& node, const Axes& axes, int depth);

Array read_tensor_of(const Node& node, const Axes& axes, const MaskLayer& layer) {
    return read_mask_array(node, axes.reading,
                           {std::ssize(axes.tokens->sequences), axes.h, axes.n_q, axes.n_k},
                           !is_bias(layer));
}

// Reads a parameter of a rule. depth: the number of groups around the rule.
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

// Reads a rule. depth: the number of groups around it, 0 for a rule of the variant's list.
MaskLayer read_layer(const Node& node, const Axes& axes, int depth) {
    MaskLayer layer;
    const Node kind = require(node, "kind");
    layer.kind = read_name<LayerKind>(kind);
    const LayerRule& rule = rule_of(layer.kind);
    if (rule.is_bias() && !axes.biases)
        fail(kind, "a rule that is not a bias, because the inputs are weights");
    if (rule.is_bias() && depth > 0) fail(kind, "a rule other than a bias within a group");
    if (rule.is_group && depth == most_groups)
        throw InputError(kind.place, fmt::format("more than {} nested groups", most_groups));
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
            throw InputError(place_of(node, "tensor"), "cannot be combined with \"cells\"");
        if (const std::string bad = bad_tensor(layer); !bad.empty())
            throw InputError(
                place_of(node, bias ? "tensor" : "allowed"),
                (bias ? "expected numbers or −∞, got " : "expected 0, or at most -9984, got ") +
                    bad);
    }
    return layer;
}

// --- writing

Json cells_to_json(const std::vector<Cell>& cells) {
    Json list = Json::array();
    for (const Cell& cell : cells) list.push_back(Json::array({cell.i, cell.j}));
    return list;
}

Json bias_to_json(const std::vector<BiasCell>& cells) {
    Json list = Json::array();
    for (const BiasCell& cell : cells)
        list.push_back(Json::array({cell.i, cell.j, number_to_json(cell.x)}));
    return list;
}

Json layer_to_json(const MaskLayer& layer, const WriteArray& array) {
    Json json = {{"kind", name(layer.kind)}};
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters) {
        const std::string key(parameter.key);
        std::visit(Cases{
                       [&](Align MaskLayer::*align) { json[key] = name(layer.*align); },
                       [&](std::optional<std::vector<Index>> MaskLayer::*indices) {
                           if (layer.*indices) json[key] = *(layer.*indices);
                       },
                       [&](std::optional<std::vector<Cell>> MaskLayer::*cells) {
                           if (layer.*cells) json[key] = cells_to_json(*(layer.*cells));
                       },
                       [&](Slopes MaskLayer::*slopes) {
                           if (layer.*slopes != Slopes::published) json[key] = name(layer.*slopes);
                       },
                       [&](std::vector<BiasCell> MaskLayer::*cells) {
                           if (!layer.tensor) json[key] = bias_to_json(layer.*cells);
                       },
                       [&](std::optional<Array> MaskLayer::*tensor) {
                           if (layer.*tensor) json[key] = array(*(layer.*tensor));
                       },
                       [&](std::vector<Index> MaskLayer::*numbers) {
                           json[key] = layer.*numbers;
                           if (parameter.each && !(layer.*parameter.each).empty())
                               json[key] = layer.*parameter.each;
                       },
                       [&](std::vector<MaskLayer> MaskLayer::*layers) {
                           json[key] = layers_to_json(layer.*layers, array);
                       },
                       [&](auto MaskLayer::*numbers) { json[key] = layer.*numbers; },
                   },
                   parameter.member);
    }
    if (layer.invert) json["invert"] = true;
    if (layer.heads) json["heads"] = *layer.heads;
    return json;
}

}  // namespace

std::vector<MaskLayer> read_layers(const Node& node, const VariantPlace& place) {
    const auto [b, n_q, n_k, own_keys, scene] = place.tokens;
    const bool biases = has_scores(place.inputs);
    const Axes axes{heads_of(place.inputs), n_q, n_k, biases, scene, place.reading};
    std::vector<MaskLayer> layers;
    for (const Node& layer : read_list(node)) layers.push_back(read_layer(layer, axes, 0));
    return layers;
}

Json layers_to_json(const std::vector<MaskLayer>& layers, const WriteArray& array) {
    Json list = Json::array();
    for (const MaskLayer& layer : layers) list.push_back(layer_to_json(layer, array));
    return list;
}

}  // namespace maskscope
