#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/format/scene_parts.h"

namespace maskscope {

namespace {

constexpr int most_layers = 4;

Index read_width(const Node& node) { return read_count(node, 1, largest_width); }

std::uint64_t read_seed(const Node& node) {
    return static_cast<std::uint64_t>(read_integer(node, 0, largest_integer));
}

KvMap read_kv_map(const Node& inputs, bool fewer) {
    const auto node = find(inputs, "kv_map");
    if (node && !fewer) throw InputError(node->place, "the keys have as many heads as the queries");
    return node ? read_name<KvMap>(*node) : KvMap::interleave;
}

EmbeddingInputs read_embedding(const Node& node) {
    expect_keys(node, {"kind", "seed", "heads", "d_k", "d_v", "d_model", "kv_heads", "kv_map"});
    EmbeddingInputs inputs;
    inputs.seed = read_seed(require(node, "seed"));
    inputs.heads = read_count(require(node, "heads"), 1, most_heads);
    inputs.d_k = read_width(require(node, "d_k"));
    inputs.d_v = read_width(require(node, "d_v"));
    inputs.d_model = read_or(node, "d_model", read_width, inputs.d_model);
    if (const auto kv_heads = find(node, "kv_heads")) {
        const Index g = read_count(*kv_heads, 1, inputs.heads);
        if (inputs.heads % g != 0)
            throw InputError(
                kv_heads->place,
                fmt::format("expected a divisor of the {} heads, got {}", inputs.heads, g));
        if (g < inputs.heads) inputs.kv_heads = g;
    }
    inputs.kv_map = read_kv_map(node, inputs.kv_heads.has_value());
    return inputs;
}

PatternsInputs read_patterns(const Node& node) {
    expect_keys(node, {"kind", "heads", "seed", "d_v"});
    PatternsInputs inputs;
    const Node heads = require(node, "heads");
    for (const Node& head : read_filled_list(heads)) {
        expect_keys(head, {"pattern", "strength"});
        inputs.heads.push_back(
            {read_name<Pattern>(require(head, "pattern")), read_number(require(head, "strength"))});
    }
    if (static_cast<Index>(inputs.heads.size()) > most_heads)
        throw InputError(heads.place,
                         "expected 1 to 1024 heads, got " + std::to_string(inputs.heads.size()));
    inputs.seed = read_seed(require(node, "seed"));
    inputs.d_v = read_width(require(node, "d_v"));
    return inputs;
}

std::optional<Array> read_values(const Node& node, const AttendedTokens& tokens, Index h,
                                 const Reading& reading) {
    const auto values = find(node, "values");
    if (!values) return std::nullopt;
    return read_padded_array(*values, reading,
                             {{"b", tokens.b}, {"h", h}, {"n_k", tokens.n_k}, {"d_v"}});
}

TensorsInputs read_tensors(const Node& node, const AttendedTokens& tokens, const Reading& reading) {
    expect_keys(node, {"kind", "queries", "keys", "values", "kv_map"});
    TensorsInputs inputs;
    inputs.queries = read_padded_array(require(node, "queries"), reading,
                                       {{"b", tokens.b}, {"h"}, {"n_q", tokens.n_q}, {"d_q"}});
    const Index h = heads_of(inputs);
    const Node keys = require(node, "keys");
    const Size heads = h > 1 ? Size{"h"} : Size{"h", 1};
    inputs.keys =
        read_padded_array(keys, reading, {{"b", tokens.b}, heads, {"n_k", tokens.n_k}, {"d_k"}});
    const Index g = kv_heads_of(inputs);
    if (h % g != 0)
        throw InputError(keys.place,
                         fmt::format("expected a divisor of the {} query heads, got {}", h, g));
    inputs.values = read_values(node, tokens, g, reading);
    inputs.kv_map = read_kv_map(node, g < h);
    return inputs;
}

std::vector<Size> square(const AttendedTokens& tokens) {
    return {{"b", tokens.b}, {"h"}, {"n_q", tokens.n_q}, {"n_k", tokens.n_k}};
}

ScoresInputs read_scores(const Node& node, const AttendedTokens& tokens, const Reading& reading) {
    expect_keys(node, {"kind", "scores", "values", "d_k"});
    ScoresInputs inputs;
    inputs.scores = read_padded_array(require(node, "scores"), reading, square(tokens));
    inputs.values = read_values(node, tokens, heads_of(inputs), reading);
    if (const auto d_k = find(node, "d_k")) inputs.d_k = read_width(*d_k);
    return inputs;
}

WeightsInputs read_weights(const Node& node, const AttendedTokens& tokens, const Reading& reading) {
    expect_keys(node, {"kind", "weights", "values"});
    WeightsInputs inputs;
    inputs.weights = read_padded_array(require(node, "weights"), reading, square(tokens));
    inputs.values = read_values(node, tokens, heads_of(inputs), reading);
    return inputs;
}

// Reads {"inputs": …, "variant": …}: attention among the tokens of one side, with an output.
LayerBefore read_layer(const Node& node, const AttendedTokens& all, bool among_keys,
                       Reading& reading) {
    if (++reading.layers > most_layers)
        throw InputError(node.place, fmt::format("more than {} layers", most_layers));
    expect_keys(node, {"inputs", "variant"});
    const Scene before = scene_of_layer(*all.scene, {}, among_keys);
    const AttendedTokens tokens = tokens_of(before);
    const Node inputs = require(node, "inputs");
    LayerBefore layer;
    layer.inputs = read_inputs(inputs, tokens, reading);
    if (!d_v_of(layer.inputs))
        throw InputError(place_of(inputs, "values"),
                         "missing key: an earlier layer needs values, otherwise it has no output");
    const Node variant = require(node, "variant");
    layer.variant = read_variant(variant, {layer.inputs, tokens, reading});
    return layer;
}

OutputInputs read_output(const Node& node, const AttendedTokens& tokens, Reading& reading) {
    expect_keys(node, {"kind", "of", "keys"});
    OutputInputs inputs;
    inputs.of = read_layer(require(node, "of"), tokens, false, reading);
    const auto keys = find(node, "keys");
    if (!keys && tokens.own_keys)
        throw InputError(place_of(node, "keys"), "missing key: the sequences have keys");
    if (!keys) return inputs;
    inputs.keys = read_layer(*keys, tokens, true, reading);
    const Index h = heads_of(inputs), h_of_keys = heads_of(OutputInputs{*inputs.keys, {}});
    if (h != h_of_keys)
        throw InputError(
            keys->place,
            fmt::format("expected an output with h = {} as in \"of\", got {}", h, h_of_keys));
    return inputs;
}

}  // namespace

Inputs read_inputs(const Node& node, const AttendedTokens& tokens, Reading& reading) {
    // A model cannot be inside inputs of another kind.
    const std::size_t kinds = inputs_names().size() - (reading.layers > 1 ? 1 : 0);
    switch (read_word(require(node, "kind"), inputs_names().first(kinds))) {
        case 0:
            return read_embedding(node);
        case 1:
            return read_patterns(node);
        case 2:
            return read_tensors(node, tokens, reading);
        case 3:
            return read_scores(node, tokens, reading);
        case 4:
            return read_weights(node, tokens, reading);
        default:
            return read_output(node, tokens, reading);
    }
}

// --- writing

namespace {

template <class T>
void put(Json& object, const std::string& key, const std::optional<T>& value) {
    if (value) object[key] = *value;
}

void put(Json& object, const char* key, const std::optional<Array>& value,
         const WriteArray& array) {
    if (value) object[key] = array(*value);
}

void put(Json& object, KvMap map) {
    if (map != KvMap::interleave) object["kv_map"] = name(map);
}

Json to_json(const EmbeddingInputs& inputs, const WriteArray&) {
    Json json = {{"kind", "embedding"}, {"seed", inputs.seed}, {"heads", inputs.heads},
                 {"d_k", inputs.d_k},   {"d_v", inputs.d_v},   {"d_model", inputs.d_model}};
    put(json, "kv_heads", inputs.kv_heads);
    put(json, inputs.kv_map);
    return json;
}

Json to_json(const PatternsInputs& inputs, const WriteArray&) {
    Json heads = Json::array();
    for (const PatternHead& head : inputs.heads)
        heads.push_back(
            {{"pattern", name(head.pattern)}, {"strength", number_to_json(head.strength)}});
    return {{"kind", "patterns"}, {"heads", heads}, {"seed", inputs.seed}, {"d_v", inputs.d_v}};
}

Json to_json(const TensorsInputs& inputs, const WriteArray& array) {
    Json json = {{"kind", "tensors"}};
    json["queries"] = array(inputs.queries);
    json["keys"] = array(inputs.keys);
    put(json, "values", inputs.values, array);
    put(json, inputs.kv_map);
    return json;
}

Json to_json(const ScoresInputs& inputs, const WriteArray& array) {
    Json json = {{"kind", "scores"}};
    json["scores"] = array(inputs.scores);
    put(json, "values", inputs.values, array);
    put(json, "d_k", inputs.d_k);
    return json;
}

Json to_json(const WeightsInputs& inputs, const WriteArray& array) {
    Json json = {{"kind", "weights"}};
    json["weights"] = array(inputs.weights);
    put(json, "values", inputs.values, array);
    return json;
}

Json layer_to_json(const LayerBefore& layer, const WriteArray& array) {
    Json json = Json::object();
    json["inputs"] = inputs_to_json(layer.inputs, array);
    json["variant"] = variant_to_json(layer.variant, layer.inputs, array);
    return json;
}

Json to_json(const OutputInputs& inputs, const WriteArray& array) {
    Json json = {{"kind", "output"}};
    json["of"] = layer_to_json(*inputs.of, array);
    if (inputs.keys) json["keys"] = layer_to_json(**inputs.keys, array);
    return json;
}

Json to_json(const ModelInputs& inputs, const WriteArray&) {
    return {{"kind", "model"},
            {"model", inputs.model},
            {"attention", name(inputs.attention)},
            {"layer", inputs.layer}};
}

}  // namespace

Json inputs_to_json(const Inputs& inputs, const WriteArray& array) {
    return std::visit([&](const auto& kind) { return to_json(kind, array); }, inputs);
}

}  // namespace maskscope
