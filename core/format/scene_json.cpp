#include "core/format/scene_json.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/format/scene_parts.h"

namespace maskscope {

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
            missing = error.place.empty();  // otherwise it exists with another shape
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

// Returns the array as an edit left it. Numbers in files may be infinite or NaN, those in JSON may
// not.
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

// Reads the scene as if it had been written, except that arrays and good tokens stay where they
// are: in the text each is its index in a list.
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

}  // namespace maskscope
