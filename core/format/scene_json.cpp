#include "core/format/scene_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

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

// Throws InputError if a position of padding, which counts on from the last one listed, would
// exceed 2^53 − 1.
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
    if (std::ssize(scene.variants) > most_variants)
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

Reading reading_from(const SceneSources& sources) {
    Reading reading;
    reading.named_array = sources.tensor;
    reading.named_model = sources.model;
    return reading;
}

Scene read_scene(std::string_view json, const SceneSources& sources) {
    const Json root = parse_json(json);
    Reading reading = reading_from(sources);
    return read_scene_node({root, ""}, reading);
}

std::optional<InputError> missing_tensor(std::string_view json, const SceneSources& sources) {
    const Json root = parse_json(json);
    Reading reading;
    bool missing = false;
    reading.named_array = [&](const std::string& reference, const JudgeAxes& judge, bool of_mask) {
        try {
            return sources.tensor(reference, judge, of_mask);
        } catch (const InputError& error) {
            missing = error.place.empty();  // otherwise the tensor exists, but does not fit
            throw;
        }
    };
    reading.named_model = [&](const std::string& name) {
        try {
            return sources.model(name);
        } catch (const InputError&) {
            missing = name.find(".safetensors") != std::string::npos;
            throw;
        }
    };
    try {
        read_scene_node({root, ""}, reading);
        return std::nullopt;
    } catch (const InputError& error) {
        if (!missing) throw;
        return error;
    }
}

std::string write_scene(const Scene& scene) { return write_json(scene_to_json(scene)); }

std::string write_scene(const Scene& scene, const std::function<std::string(const Array&)>& name) {
    return write_json(scene_to_json(scene, [&](const Array& array) {
        const std::string named = name(array);
        return named.empty() ? array_to_json(array) : Json(named);
    }));
}

Scene read_scene(std::string_view json, const SceneSources& sources,
                 const std::function<Array(const std::string&)>& read) {
    const Json root = parse_json(json);
    Reading reading = reading_from(sources);
    reading.named_array = [&](const std::string& name, const JudgeAxes&, bool) {
        return read(name);
    };
    return read_scene_node({root, ""}, reading);
}

namespace {

// Returns an array that an edit left, after checking it. Numbers in files may be infinite or NaN,
// numbers in JSON may not.
Array checked_array(const Array& array) {
    const Index count =
        std::accumulate(array.axes.begin(), array.axes.end(), Index{1}, std::multiplies<>());
    if (count != static_cast<Index>(array.values->size()))
        throw InputError("", "an array with more or fewer numbers than its axes say");
    const auto is_finite = [](double x) { return std::isfinite(x); };
    if (array.file.empty() && !std::ranges::all_of(array.values->view(), is_finite))
        throw InputError("",
                         "a number that is infinite or NaN can be stored only in a tensor file");
    return array;
}

}  // namespace

// Reads the scene as if it had been written, except that arrays and valid tokens stay where they
// are: in the text, each is replaced by its index in a list.
void check_scene(const Scene& scene) {
    std::vector<const Array*> arrays;
    std::vector<const TokenList*> lists;
    const auto name_array = [&](const Array& array) {
        arrays.push_back(&array);
        return Json(std::to_string(arrays.size() - 1));
    };
    const auto name_tokens = [&](const TokenList& tokens) {
        if (tokens.empty() || !std::ranges::all_of(tokens, is_label)) return tokens_to_json(tokens);
        lists.push_back(&tokens);
        return Json(std::to_string(lists.size() - 1));
    };
    Json json = scene_to_json(scene, name_array, name_tokens);
    json.erase("show");  // edits may leave it with dangling references
    Reading reading;
    reading.named_array = [&](const std::string& place, const JudgeAxes&, bool) {
        return checked_array(*arrays.at(std::stoul(place)));
    };
    reading.named_tokens = [&](const std::string& place) { return *lists.at(std::stoul(place)); };
    reading.named_model = models_in(scene);
    read_scene_node({json, ""}, reading);
}

// --- fields of a scene that are set by JSON pointer: with_fields() of scene_json.h

namespace {

// Splits "/a~1b/0" into "a/b", "0".
std::vector<std::string> steps_of(const std::string& pointer) {
    std::vector<std::string> steps;
    if (pointer.empty()) return steps;
    if (pointer.front() != '/')
        throw InputError(pointer, "expected a JSON pointer, which starts with /");
    for (std::size_t start = 1; start <= pointer.size();) {
        const std::size_t end = std::min(pointer.find('/', start), pointer.size());
        try {
            steps.push_back(unescape_key(pointer.substr(start, end - start)));
        } catch (const InputError& error) {
            throw InputError(pointer, error.what());
        }
        start = end + 1;
    }
    return steps;
}

// Returns the entry that a step of a pointer names; nullptr if there is none.
Json* entry(Json& list, const std::string& step) {
    const bool digits = !step.empty() && step.size() < 10 &&
                        step.find_first_not_of("0123456789") == std::string::npos;
    const bool canonical = digits && (step.size() == 1 || step.front() != '0');
    if (!canonical || std::stoul(step) >= list.size()) return nullptr;
    return &list[std::stoul(step)];
}

// Finds what the pointer names; creates a missing key if it is the last step.
Json& locate(Json& root, const std::string& pointer) {
    Json* at = &root;
    const auto steps = steps_of(pointer);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const bool last = k + 1 == steps.size();
        if (at->is_object() && (last || at->contains(steps[k])))
            at = &(*at)[steps[k]];
        else
            at = at->is_array() ? entry(*at, steps[k]) : nullptr;
        if (!at) throw InputError(pointer, "does not exist in the scene");
    }
    return *at;
}

bool lies_in(const std::string& inner, const std::string& outer) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

void expect_apart(const Fields& fields) {
    for (std::size_t k = 0; k < fields.size(); ++k)
        for (std::size_t other = 0; other < k; ++other) {
            const std::string& pointer = fields[k].first;
            const std::string& before = fields[other].first;
            if (lies_in(pointer, before) || lies_in(before, pointer))
                throw InputError(pointer, "overlaps with " + before);
        }
}

Json read_value(const std::string& pointer, const std::string& text) {
    try {
        return parse_json(text);
    } catch (const InputError& error) {
        throw InputError(pointer, error.what());
    }
}

// A scene as text in memory, and the tensors that it names.
struct SceneText {
    SceneText(const Scene& scene, const SceneSources& sources)
        : models(models_in(scene, sources.model)) {
        json = scene_to_json(scene, [&](const Array& array) {
            if (!array.file.empty()) tensors.emplace(array.file, array);
            return array_to_json(array);
        });
    }

    Json json;
    std::map<std::string, Array> tensors;
    NamedModel models;
};

Scene read_with(const SceneText& text, const Fields& fields, const SceneSources& sources) {
    Json json = text.json;
    for (const auto& [pointer, value] : fields) locate(json, pointer) = read_value(pointer, value);
    Reading reading;
    reading.judge_show = false;
    reading.named_array = [&](const std::string& reference, const JudgeAxes& judge, bool of_mask) {
        const auto known = text.tensors.find(reference);
        const bool fits = known != text.tensors.end() && (of_mask || !known->second.truths);
        return fits ? known->second : sources.tensor(reference, judge, of_mask);
    };
    reading.named_model = text.models;
    return read_scene_node({json, ""}, reading);
}

bool is_valid(const SceneText& text, const Fields& fields, const SceneSources& sources) {
    try {
        read_with(text, fields, sources);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

// Returns the field that makes the scene invalid: the one that contains the place of the error,
// else the only one inside it, else the last one without which the scene is valid, else the last.
std::string at_fault(const std::string& place, const SceneText& text, const Fields& fields,
                     const SceneSources& sources) {
    const auto holds = [&](const auto& field) { return lies_in(place, field.first); };
    const auto within = [&](const auto& field) { return lies_in(field.first, place); };
    const auto holder = std::ranges::find_if(fields, holds);
    if (holder != fields.end()) return holder->first;
    if (!place.empty() && std::ranges::count_if(fields, within) == 1)
        return std::ranges::find_if(fields, within)->first;
    for (std::size_t k = fields.size(); k-- > 0;) {
        Fields others = fields;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        if (is_valid(text, others, sources)) return fields[k].first;
    }
    return fields.back().first;
}

}  // namespace

Scene with_fields(const Scene& scene, const Fields& fields, const SceneSources& sources) {
    expect_apart(fields);
    const SceneText text(scene, sources);
    try {
        return read_with(text, fields, sources);
    } catch (const InputError& error) {
        if (fields.empty()) throw;
        const std::string pointer = at_fault(error.place, text, fields, sources);
        const bool elsewhere = pointer != error.place;
        throw InputError(pointer, (elsewhere ? error.place + ": " : "") + error.what());
    }
}

}  // namespace maskscope
