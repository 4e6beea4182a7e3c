// Fields of a scene set by JSON pointer: with_fields of scene_json.h.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/format/scene_json.h"
#include "core/format/scene_parts.h"

namespace maskscope {

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

// A scene as text in memory, and the tensors that it named.
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

// Returns the field that makes the scene invalid: the one that contains the place of the error or
// is inside it, else the last one without which the scene is valid, else the last.
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
