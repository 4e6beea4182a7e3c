#include "core/format/scene_write.h"

#include <nlohmann/json.hpp>

#include "core/base/cases.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

Json variant_to_json(const Variant& variant, const Inputs& inputs, const WriteArray& array);
Json inputs_to_json(const Inputs& inputs, const WriteArray& array);

template <class T>
void put(Json& object, const std::string& key, const std::optional<T>& value) {
    if (value) object[key] = *value;
}

void put(Json& object, const char* key, const std::optional<Array>& value,
         const WriteArray& array) {
    if (value) object[key] = array(*value);
}

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

// --- inputs

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

Json inputs_to_json(const Inputs& inputs, const WriteArray& array) {
    return std::visit([&](const auto& kind) { return to_json(kind, array); }, inputs);
}

// --- variants

Json score_to_json(const Score& score, const WriteArray& array) {
    Json json = {{"kind", name(score.kind)}};
    if (score.kind == ScoreKind::bilinear) put(json, "matrix", score.matrix, array);
    if (score.kind != ScoreKind::additive) return json;
    put(json, "w_q", score.w_q, array);
    put(json, "w_k", score.w_k, array);
    put(json, "w_v", score.w_v, array);
    if (!score.w_q) json["hidden"] = score.hidden;
    return json;
}

Json scale_to_json(const Scale& scale) {
    if (scale.kind == ScaleKind::formula) return {{"formula", scale.expression}};
    if (scale.kind == ScaleKind::number) return number_to_json(scale.number);
    return name(scale.kind);
}

Json value_to_json(const BlockedValue& value) {
    if (value.kind == ValueKind::number) return number_to_json(value.number);
    return name(value.kind);
}

Json layers_to_json(const std::vector<MaskLayer>& layers, const WriteArray& array);

Json layer_to_json(const MaskLayer& layer, const WriteArray& array) {
    Json json = {{"kind", name(layer.kind)}};
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters) {
        const std::string key(parameter.key);
        std::visit(Cases{
                       [&](Align MaskLayer::*align) { json[key] = name(layer.*align); },
                       [&](std::optional<std::vector<Index>> MaskLayer::*indices) {
                           put(json, key, layer.*indices);
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
                           put(json, parameter.key.data(), layer.*tensor, array);
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
    put(json, "heads", layer.heads);
    return json;
}

Json layers_to_json(const std::vector<MaskLayer>& layers, const WriteArray& array) {
    Json list = Json::array();
    for (const MaskLayer& layer : layers) list.push_back(layer_to_json(layer, array));
    return list;
}

Json softcap_to_json(const Softcap& softcap) {
    Json json = {{"cap", number_to_json(softcap.cap)}};
    if (softcap.order != CapOrder::before_mask) json["order"] = name(softcap.order);
    return json;
}

Json normalizer_to_json(const Variant& variant) {
    if (variant.normalizer != Normalizer::softmax_sink) return name(variant.normalizer);
    Json json = {{"kind", name(variant.normalizer)}};
    if (const auto* each = std::get_if<std::vector<double>>(&variant.sink)) {
        json["sink"] = Json::array();
        for (const double sink : *each) json["sink"].push_back(number_to_json(sink));
    } else {
        json["sink"] = number_to_json(std::get<double>(variant.sink));
    }
    return json;
}

Json mask_to_json(const Mask& mask, bool of_weights, const WriteArray& array) {
    Json json = {{"layers", layers_to_json(mask.layers, array)}, {"apply", name(mask.apply)}};
    if (of_weights) return json;
    json["value"] = value_to_json(mask.value);
    json["times"] = mask.times;
    json["order"] = name(mask.order);
    return json;
}

Json output_to_json(const Output& output, const WriteArray& array) {
    Json json = {{"kind", name(output.kind)}};
    if (output.kind != OutputKind::values) put(json, "w", output.w, array);
    return json;
}

Json variant_to_json(const Variant& variant, const Inputs& inputs, const WriteArray& array) {
    const bool of_weights = std::holds_alternative<WeightsInputs>(inputs);
    Json json = {{"name", variant.name}};
    if (has_score(inputs)) json["score"] = score_to_json(variant.score, array);
    if (!of_weights) json["scale"] = scale_to_json(variant.scale);
    if (variant.softcap) json["softcap"] = softcap_to_json(*variant.softcap);
    json["mask"] = mask_to_json(variant.mask, of_weights, array);
    if (!of_weights) json["normalizer"] = normalizer_to_json(variant);
    json["empty_rows"] = name(variant.empty_rows);
    json["dtype"] = name(variant.dtype);
    if (!variant.heads_off.empty()) json["heads_off"] = variant.heads_off;
    json["output"] = output_to_json(variant.output, array);
    put(json, "reference", variant.reference);
    return json;
}

}  // namespace

Json lanes_to_json(const std::vector<int>& lanes) {
    Json list = Json::array();
    for (const int lane : lanes) list.push_back(std::string(1, lane_letter(lane)));
    return list;
}

Json stages_to_json(const std::vector<StageKind>& stages) {
    Json list = Json::array();
    for (const StageKind stage : stages) list.push_back(name(stage));
    return list;
}

namespace {

// --- the rest

Json sequence_to_json(const Sequence& sequence, const WriteTokens& tokens) {
    Json json = Json::object();
    if (sequence.source.empty())
        json["queries"] = tokens(sequence.queries);
    else
        json["source"] = sequence.source;
    if (sequence.keys) json["keys"] = tokens(*sequence.keys);
    put(json, "target", sequence.target);
    if (sequence.start != 0) json["start"] = sequence.start;
    if (!sequence.positions->empty()) json["positions"] = *sequence.positions;
    if (!sequence.key_positions->empty()) json["key_positions"] = *sequence.key_positions;
    return json;
}

void put_cell(Json& json, const char* key, const std::optional<Cell>& cell) {
    if (cell) json[key] = Json::array({cell->i, cell->j});
}

std::string difference_text(const Difference& difference) {
    return {lane_letter(difference.lane), '-', lane_letter(difference.minus)};
}

Json show_to_json(const Show& show) {
    Json json = Json::object();
    if (show.view) json["view"] = name(*show.view);
    if (show.stages) json["stages"] = stages_to_json(*show.stages);
    if (show.lanes) json["lanes"] = lanes_to_json(*show.lanes);
    if (show.difference) json["difference"] = difference_text(*show.difference);
    put(json, "sequences", show.sequences);
    put(json, "heads", show.heads);
    put_cell(json, "components", show.components);
    put(json, "d", show.d);
    put_cell(json, "focus", show.focus);
    put_cell(json, "ring", show.ring);
    return json;
}

// The lists of axis `axis`; `next` is the index of the first number in them.
Json lists(const Array& array, std::size_t axis, std::size_t& next) {
    Json list = Json::array();
    auto& items = list.get_ref<Json::array_t&>();
    items.reserve(static_cast<std::size_t>(array.axes[axis]));
    for (Index k = 0; k < array.axes[axis]; ++k) {
        if (axis + 1 == array.axes.size() && array.truths)
            items.push_back((*array.values)[next++] != 0);
        else if (axis + 1 == array.axes.size())
            items.push_back(number_to_json((*array.values)[next++]));
        else
            items.push_back(lists(array, axis + 1, next));
    }
    return list;
}

}  // namespace

Json array_to_json(const Array& array) {
    if (!array.file.empty()) return array.file;
    std::size_t next = 0;
    return array.axes.empty() ? Json::array() : lists(array, 0, next);
}

Json tokens_to_json(const TokenList& tokens) { return tokens.all(); }

Json scene_to_json(const Scene& scene, const WriteArray& write_array,
                   const WriteTokens& write_tokens) {
    Json json = {{"maskscope", 1}, {"title", scene.title}, {"pad_token", scene.pad_token}};
    json["sequences"] = Json::array();
    for (const Sequence& sequence : scene.sequences)
        json["sequences"].push_back(sequence_to_json(sequence, write_tokens));
    json["inputs"] = inputs_to_json(scene.inputs, write_array);
    json["variants"] = Json::array();
    for (const Variant& variant : scene.variants)
        json["variants"].push_back(variant_to_json(variant, scene.inputs, write_array));
    if (scene.show) json["show"] = show_to_json(*scene.show);
    return json;
}

}  // namespace maskscope
