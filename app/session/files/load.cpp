#include "app/session/files/load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/format/scene_json.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view lesson_prefix = "lesson:";

// The order of the course; other lessons follow, sorted by name.
constexpr std::array<std::string_view, 9> course = {"one-row",
                                                    "why-root-d",
                                                    "additive-or-multiplicative",
                                                    "padding-and-nan-rows",
                                                    "encoder-decoder-masks",
                                                    "heads",
                                                    "empty-rows-in-numbers",
                                                    "convex-combination",
                                                    "scoring-functions"};

// The parts of lesson:NAME/STEP; step as typed, absent without a "/".
struct LessonReference {
    std::string name;
    std::optional<std::string> step;
};

std::optional<LessonReference> lesson_reference(const std::string& argument) {
    if (!argument.starts_with(lesson_prefix)) return std::nullopt;
    const std::string rest = argument.substr(lesson_prefix.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos) return LessonReference{rest, std::nullopt};
    return LessonReference{rest.substr(0, slash), rest.substr(slash + 1)};
}

bool is_lesson_name(const std::string& name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    return !name.empty() && name.find_first_not_of(letters) == std::string::npos;
}

fs::path lesson_path(const std::string& name) {
    fs::path path = assets_folder() / "lessons" / (name + ".json");
    if (is_lesson_name(name) && fs::exists(path)) return path;
    throw InputError("", "there is no such lesson; `maskscope lessons` lists them");
}

int parse_step(const std::string& text, std::size_t steps) {
    std::size_t step = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, step);
    if (error != std::errc() || stop != end || text[0] == '0' || step > steps)
        throw InputError(
            "", "expected a step from 1 to " + std::to_string(steps) + ", got \"" + text + "\"");
    return static_cast<int>(step) - 1;
}

LoadedLesson read_built_in(const LessonReference& reference) {
    const fs::path path = lesson_path(reference.name);
    LoadedLesson loaded{read_lesson(read_file(path), path.parent_path()), path.parent_path(), 0};
    if (reference.step) loaded.step = parse_step(*reference.step, loaded.lesson.steps.size());
    return loaded;
}

// Runs a reader and prefixes its errors with the argument.
template <class Read>
auto naming(const std::string& argument, Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw at_file(argument, error);
    }
}

LoadedScene read_scene_file(const std::string& json, const fs::path& path) {
    return {read_scene(json, path.parent_path()), path.parent_path()};
}

LoadedLesson read_lesson_file(const std::string& json, const fs::path& path) {
    return {read_lesson(json, path.parent_path()), path.parent_path(), 0};
}

}  // namespace

LoadedScene load_scene(const std::string& argument) {
    return naming(argument, [&]() -> LoadedScene {
        if (const auto reference = lesson_reference(argument)) {
            const LoadedLesson loaded = read_built_in(*reference);
            return {loaded.lesson.steps[loaded.step].scene, loaded.folder};
        }
        const std::string json = read_file(argument);
        if (is_lesson(json)) throw InputError("", "is a lesson; expected a scene");
        return read_scene_file(json, argument);
    });
}

LoadedLesson load_lesson(const std::string& argument) {
    return naming(argument, [&]() -> LoadedLesson {
        if (const auto reference = lesson_reference(argument)) {
            if (reference->step) throw InputError("", "expected a lesson without a step");
            return read_built_in(*reference);
        }
        const std::string json = read_file(argument);
        if (is_lesson(json)) return read_lesson_file(json, argument);
        read_scene_file(json, argument);  // reports broken text as such
        throw InputError("", "is a scene; expected a lesson");
    });
}

std::variant<LoadedScene, LoadedLesson> load(const std::string& argument) {
    return naming(argument, [&]() -> std::variant<LoadedScene, LoadedLesson> {
        if (const auto reference = lesson_reference(argument)) return read_built_in(*reference);
        const std::string json = read_file(argument);
        if (is_lesson(json)) return read_lesson_file(json, argument);
        return read_scene_file(json, argument);
    });
}

fs::path assets_folder() {
    const char* set = std::getenv("MASKSCOPE_ASSETS");
    if (set != nullptr && *set != '\0') return set;
    return installed_folder().value_or(fs::path(source_folder()) / "assets");
}

std::vector<std::string> lesson_names() {
    const fs::path folder = assets_folder() / "lessons";
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().extension() == ".json" && is_lesson_name(entry->path().stem().string()))
            names.push_back(entry->path().stem().string());
    if (names.empty())
        throw Error(1, printable(folder.string()) +
                           ": no lessons are there; MASKSCOPE_ASSETS "
                           "names the folder that holds lessons/");
    std::ranges::sort(names, {}, [](const std::string& name) {
        return std::pair(std::ranges::find(course, name) - course.begin(), name);
    });
    return names;
}

}  // namespace maskscope
