#include <fmt/format.h>

#include "core/format/scene_read.h"
#include "core/scene/model.h"

namespace maskscope {

namespace {

TokenList read_tokens(const Node& node, const Reading& reading) {
    if (reading.named_tokens && node.json.is_string())
        return reading.named_tokens(node.json.get_ref<const std::string&>());
    std::vector<std::string> tokens;
    for (const Node& token : read_filled_list(node)) tokens.push_back(read_label(token));
    return tokens;
}

std::vector<Sequence> read_sequences(const Node& node, const Reading& reading) {
    std::vector<Sequence> sequences;
    for (const Node& item : read_filled_list(node)) {
        expect_keys(item, {"queries", "keys", "start"});
        Sequence& sequence = sequences.emplace_back();
        sequence.queries = read_tokens(require(item, "queries"), reading);
        if (const auto own = find(item, "keys")) sequence.keys = read_tokens(*own, reading);
        const bool keys = sequence.keys.has_value();
        if (const auto start = find(item, "start")) {
            if (!keys) throw InputError(start->place, "only where there are keys");
            sequence.start = read_integer(*start, 0, largest_integer);
        }
        if (keys == sequences.front().keys.has_value()) continue;
        throw InputError(place_of(item, "keys"),
                         keys ? "sequence 0 has no keys" : "missing key: sequence 0 has keys");
    }
    return sequences;
}

}  // namespace

Tokens tokens_of(const Scene& scene) {
    const Shape shape = shape_of(scene);
    return {shape.b, shape.n_q, shape.n_k, !is_self_attention(scene), &scene};
}

namespace {

void read_inputs_and_sequences(const Node& node, Reading& reading, Scene& scene) {
    if (!is_model(node)) {
        scene.sequences = read_sequences(require(node, "sequences"), reading);
        scene.inputs = read_inputs(require(node, "inputs"), tokens_of(scene), reading);
        return;
    }
    if (scene.pad_token != pad_word)
        throw InputError(place_of(node, "pad_token"), "expected \"<pad>\", as the model calls it");
    const ModelInputs model = read_model_inputs(require(node, "inputs"), reading);
    scene.sequences = read_model_sequences(require(node, "sequences"), model);
    scene.inputs = model;
}

}  // namespace

Scene read_scene_node(const Node& node, Reading& reading) {
    expect_keys(node,
                {"maskscope", "title", "pad_token", "sequences", "inputs", "variants", "show"});
    read_integer(require(node, "maskscope"), 1, 1);  // the version
    Scene scene;
    scene.title = read_or(node, "title", read_text, scene.title);
    scene.pad_token = read_or(node, "pad_token", read_label, scene.pad_token);
    read_inputs_and_sequences(node, reading, scene);
    const Tokens tokens = tokens_of(scene);
    const Node variants = require(node, "variants");
    for (const Node& variant : read_filled_list(variants))
        scene.variants.push_back(read_variant(variant, scene.inputs, tokens, reading));
    if (std::ssize(scene.variants) > most_lanes)
        throw InputError(variants.place,
                         "expected 1 to 26 variants, got " + std::to_string(scene.variants.size()));
    if (const auto show = find(node, "show"))
        scene.show = read_show(*show, scene, reading.judge_show);
    return scene;
}

}  // namespace maskscope
