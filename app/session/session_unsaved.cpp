// What a session holds and no file does, as bytes, and back.

#include <nlohmann/json.hpp>

#include "app/session/session_state.h"
#include "core/base/error.h"
#include "core/format/scene_json.h"
#include "core/lesson/lesson.h"

namespace maskscope {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::size_t most_numbers = 1'000'000;  // of a scene: they are written as text

std::size_t numbers_in(const Array& array) { return array.file.empty() ? array.values->size() : 0; }
std::size_t numbers_in(const std::optional<Array>& array) { return array ? numbers_in(*array) : 0; }
std::size_t numbers_in(const TensorsInputs& inputs) {
    return numbers_in(inputs.queries) + numbers_in(inputs.keys) + numbers_in(inputs.values);
}
std::size_t numbers_in(const ScoresInputs& inputs) {
    return numbers_in(inputs.scores) + numbers_in(inputs.values);
}
std::size_t numbers_in(const WeightsInputs& inputs) {
    return numbers_in(inputs.weights) + numbers_in(inputs.values);
}
template <class Seeded>
std::size_t numbers_in(const Seeded&) {
    return 0;
}

bool is_too_large(const Scene& scene) {
    return std::visit([](const auto& inputs) { return numbers_in(inputs); }, scene.inputs) >
           most_numbers;
}

Json path_to_json(const std::optional<fs::path>& path) {
    return path ? Json(fs::absolute(*path).string()) : Json();
}

std::optional<fs::path> path_of(const Json& json) {
    if (json.is_null()) return std::nullopt;
    return fs::path(json.get<std::string>());
}

}  // namespace

std::optional<std::string> Session::unsaved() const {
    const Document& document = state_->document;
    if (is_saved() || is_too_large(document.scene)) return std::nullopt;
    Json json{{"folder", path_to_json(document.folder)},
              {"path", path_to_json(path())},
              {"scene", write_scene(bench_scene())}};
    if (document.lesson) {
        json["lesson"] = write_lesson(*document.lesson);
        json["step"] = document.step;
        json["lesson_is_saved"] = document.lesson_is_saved();
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

bool Session::go_on_with(const std::string& unsaved) {
    State& s = *state_;
    Document next;
    const auto error = error_of("unsaved work", [&] {
        try {
            const Json json = Json::parse(unsaved);
            next.folder = path_of(json.at("folder")).value_or(".");
            next.scene = read_scene(json.at("scene").get<std::string>(), next.folder);
            if (json.contains("lesson")) {
                next.lesson = std::make_shared<const Lesson>(
                    read_draft(json.at("lesson").get<std::string>(), next.folder));
                next.step = std::clamp(json.at("step").get<int>(), 0,
                                       static_cast<int>(next.lesson->steps.size()) - 1);
                next.lesson_path = path_of(json.at("path"));
                if (json.at("lesson_is_saved").get<bool>()) next.saved_lesson = next.lesson;
                next.answered.assign(next.lesson->steps.size(), false);
            } else {
                next.path = path_of(json.at("path"));
            }
        } catch (const Json::exception&) {
            throw InputError("", "cannot be read");
        }
    });
    if (error) {
        say(*error, true);
        return false;
    }
    s.opening = "unsaved work";
    s.show_document(std::move(next));
    update();
    return !message() || !message()->wrong;
}

}  // namespace maskscope
