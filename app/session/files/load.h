#pragma once
// SCENE and LESSON of the command line: a file, lesson:NAME, or lesson:NAME/STEP (from 1).
// Everything here throws Error, a line with the argument as typed.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/build.h"
#include "core/lesson/lesson.h"

namespace maskscope {

class ScratchFolder;

// The text of a scene or a lesson, from a file of its own or from a figure that carries a scene.
struct FileText {
    std::string json;
    std::filesystem::path folder;  // the base of its tensor files' paths
    bool from_figure = false;
    std::shared_ptr<const ScratchFolder> copies{};  // keeps the folder, if nothing else does
};
// A figure's tensor files, if it carries them, are put into cache_folder(), or where none is known
// into a folder of their own; else its scene may find them beside the figure. Throws InputError
// without the file's name: "carries no scene".
FileText read_text(const std::filesystem::path& file);

// A command's options for a file of tensors.
struct TensorOptions {
    std::optional<Index> layer{}, take{};  // from 0; take: the sequence of a batch
    std::optional<Scale> scale{};
    std::string axes{}, mask{}, tokens{};  // "bnhd"; a tensor, "causal" or "none"; a file
    bool operator==(const TensorOptions&) const = default;
};

struct SceneArgument {
    SceneArgument(const char* argument) : name(argument) {}
    SceneArgument(std::string argument, TensorOptions options = {})
        : name(std::move(argument)), tensors(std::move(options)) {}
    std::string name;
    TensorOptions tensors{};
};

struct LoadedScene {
    Scene scene;
    std::filesystem::path folder;  // the base of its tensor files' paths
    // Keeps the folder, if numbers of a file of tensors had to be rearranged; see FileText too.
    std::shared_ptr<const ScratchFolder> copies{};
    std::vector<std::string> notes{};  // what to know of a file of tensors: what was left out
};

struct LoadedLesson {
    Lesson lesson;
    std::filesystem::path folder;
    int step = 0;  // from 0
};

// A scene: a file that holds one, a figure that carries one, a file of tensors that leaves nothing
// to ask (its first layer by default), or a step of a built-in lesson (without STEP the first).
LoadedScene load_scene(const SceneArgument& argument);
// Says its notes on standard error, a line each: when a command is done, so that one that fails
// says one line.
void tell_notes(const SceneArgument& argument, const LoadedScene& loaded);

// A lesson: a file that holds one, or lesson:NAME.
LoadedLesson load_lesson(const std::string& argument);

// Either, as the window opens it; lesson:NAME/STEP is the lesson at that step.
std::variant<LoadedScene, LoadedLesson> load(const std::string& argument);

// A part of the course: steps of a built-in lesson, from 0, both ends included.
struct CoursePart {
    std::string_view lesson;
    int first = 0, last = -1;  // last: -1 = the lesson's last
};
// In the order in which they are taught; no step is in two.
std::span<const CoursePart> course_parts();

// The names of the built-in lessons: in the order in which the course ends them, then the others.
std::vector<std::string> lesson_names();

}  // namespace maskscope
