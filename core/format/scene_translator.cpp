// A scene of a translator: inputs of kind `model`, and sequences of words.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/format/scene_parts.h"
#include "core/scene/model.h"

namespace maskscope {

namespace {

std::vector<std::string> read_words(
    const Node& list, const Model& model,
    std::optional<BadWords> (*bad_in)(const Model&, const std::vector<std::string>&)) {
    std::vector<std::string> words;
    for (const Node& item : read_filled_list(list)) words.push_back(read_label(item));
    if (const auto bad = bad_in(model, words))
        throw InputError(bad->at ? place_of(list, *bad->at) : list.place, bad->what);
    return words;
}

// True if the inputs are a model; this is read before the sequences.
bool is_model(const Node& scene) {
    const auto inputs = find(scene, "inputs");
    if (!inputs || !inputs->json.is_object()) return false;
    const auto kind = find(*inputs, "kind");
    return kind && kind->json.is_string() && kind->json.get_ref<const std::string&>() == "model";
}

ModelInputs read_model_inputs(const Node& node, const Reading& reading) {
    expect_keys(node, {"kind", "model", "attention", "layer"});
    ModelInputs inputs;
    const Node model = require(node, "model");
    inputs.model = read_label(model);
    try {
        inputs.loaded = reading.named_model(inputs.model);
    } catch (const InputError& error) {
        throw InputError(model.place, error.what());
    }
    inputs.attention = read_name<ModelAttention>(require(node, "attention"));
    if (const auto layer = find(node, "layer"))
        inputs.layer = read_index(*layer, layers_of(*inputs.loaded, inputs.attention));
    return inputs;
}

std::vector<Sequence> read_model_sequences(const Node& node, const ModelInputs& model) {
    std::vector<Sequence> sequences;
    for (const Node& item : read_filled_list(node)) {
        expect_keys(item, {"source", "target", "start"});
        Sequence& sequence = sequences.emplace_back();
        sequence.source = read_words(require(item, "source"), *model.loaded, bad_source);
        if (const auto target = find(item, "target"))
            sequence.target = read_words(*target, *model.loaded, bad_target);
        if (const auto start = find(item, "start")) {
            if (model.attention != ModelAttention::cross)
                throw InputError(start->place, "only for the attention \"cross\"");
            sequence.start = read_count(*start, 0, largest_index);
        }
        const bool target = sequence.target.has_value();
        if (target == sequences.front().target.has_value()) continue;
        throw InputError(place_of(item, "target"), target ? "sequence 0 has no target"
                                                          : "missing key: sequence 0 has a target");
    }
    return sequences;
}

}  // namespace

bool read_words_and_model(const Node& node, const Reading& reading, Scene& scene) {
    if (!is_model(node)) return false;
    if (scene.pad_token != pad_word)
        throw InputError(place_of(node, "pad_token"), "expected \"<pad>\", the model's pad token");
    const ModelInputs model = read_model_inputs(require(node, "inputs"), reading);
    scene.sequences = read_model_sequences(require(node, "sequences"), model);
    scene.inputs = model;
    return true;
}

NamedModel models_in(const Scene& scene, NamedModel other) {
    const ModelInputs* inputs = model_of(scene);
    if (inputs == nullptr) return other;
    return [own = *inputs, other = std::move(other)](const std::string& name) {
        return own.model == name || !other ? own.loaded : other(name);
    };
}

}  // namespace maskscope
