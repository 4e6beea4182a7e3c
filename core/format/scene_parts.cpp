#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/format/scene_parts.h"

namespace maskscope {

namespace {

TokenList read_tokens(const Node& node, const Reading& reading) {
    if (reading.named_tokens && node.json.is_string())
        return reading.named_tokens(node.json.get_ref<const std::string&>());
    std::vector<std::string> tokens;
    for (const Node& token : read_filled_list(node)) tokens.push_back(read_label(token));
    return tokens;
}

// Reads a position for each token of one side.
std::vector<Index> read_positions(const Node& node, std::size_t tokens) {
    std::vector<Index> positions;
    const auto items = read_list(node);
    if (items.size() != tokens)
        throw InputError(node.place, fmt::format("expected {} integers, one for each token, got {}",
                                                 tokens, items.size()));
    for (const Node& item : items) positions.push_back(read_count(item, 0, largest_index));
    return positions;
}

void read_positions(const Node& item, Sequence& sequence) {
    const auto positions = find(item, "positions"), of_keys = find(item, "key_positions");
    for (const auto& list : {positions, of_keys})
        if (list && !sequence.keys) throw InputError(list->place, "allowed only if there are keys");
    if (positions && find(item, "start"))
        throw InputError(positions->place, "cannot be combined with \"start\"");
    if (positions) sequence.positions = read_positions(*positions, sequence.queries.size());
    if (of_keys) sequence.key_positions = read_positions(*of_keys, sequence.keys->size());
}

// Throws InputError if padding, which counts on from the last position of each list, would exceed
// 2^53 − 1.
void expect_room_for_padding(const Node& node, const Scene& scene) {
    const Shape shape = shape_of(scene);
    const auto expect = [&](const Node& item, const char* key, const std::vector<Index>& listed,
                            Index n) {
        if (listed.empty() || position_at(listed, 0, n - 1) <= largest_index) return;
        throw InputError(place_of(item, key),
                         fmt::format("the positions of padding, which continue from {}, exceed {}",
                                     listed.back(), largest_index));
    };
    const auto items = read_list(node);
    for (std::size_t b = 0; b < items.size(); ++b) {
        expect(items[b], "positions", *scene.sequences[b].positions, shape.n_q);
        expect(items[b], "key_positions", *scene.sequences[b].key_positions, shape.n_k);
    }
}

std::vector<Sequence> read_sequences(const Node& node, const Reading& reading) {
    std::vector<Sequence> sequences;
    for (const Node& item : read_filled_list(node)) {
        expect_keys(item, {"queries", "keys", "start", "positions", "key_positions"});
        Sequence& sequence = sequences.emplace_back();
        sequence.queries = read_tokens(require(item, "queries"), reading);
        if (const auto own = find(item, "keys")) sequence.keys = read_tokens(*own, reading);
        const bool keys = sequence.keys.has_value();
        if (const auto start = find(item, "start")) {
            if (!keys) throw InputError(start->place, "allowed only if there are keys");
            sequence.start = read_count(*start, 0, largest_index);
        }
        read_positions(item, sequence);
        if (keys == sequences.front().keys.has_value()) continue;
        throw InputError(place_of(item, "keys"),
                         keys ? "sequence 0 has no keys" : "missing key: sequence 0 has keys");
    }
    return sequences;
}

void read_inputs_and_sequences(const Node& node, Reading& reading, Scene& scene) {
    if (read_words_and_model(node, reading, scene)) return;
    const Node sequences = require(node, "sequences");
    scene.sequences = read_sequences(sequences, reading);
    expect_room_for_padding(sequences, scene);
    scene.inputs = read_inputs(require(node, "inputs"), tokens_of(scene), reading);
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
    const AttendedTokens tokens = tokens_of(scene);
    const Node variants = require(node, "variants");
    const auto list = read_filled_list(variants);
    const int count = static_cast<int>(list.size());
    for (int k = 0; k < count; ++k)
        scene.variants.push_back(read_variant(list[k], {scene.inputs, tokens, reading, k, count}));
    if (std::ssize(scene.variants) > most_lanes)
        throw InputError(variants.place,
                         "expected 1 to 26 variants, got " + std::to_string(scene.variants.size()));
    if (const auto show = find(node, "show"))
        scene.show = read_show(*show, scene, reading.judge_show);
    return scene;
}

// --- writing

namespace {

Json sequence_to_json(const Sequence& sequence, const WriteTokens& tokens) {
    Json json = Json::object();
    if (sequence.source.empty())
        json["queries"] = tokens(sequence.queries);
    else
        json["source"] = sequence.source;
    if (sequence.keys) json["keys"] = tokens(*sequence.keys);
    if (sequence.target) json["target"] = *sequence.target;
    if (sequence.start != 0) json["start"] = sequence.start;
    if (!sequence.positions->empty()) json["positions"] = *sequence.positions;
    if (!sequence.key_positions->empty()) json["key_positions"] = *sequence.key_positions;
    return json;
}

}  // namespace

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
