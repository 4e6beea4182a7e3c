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

// The text of a scene or a lesson, from a file of its own or from a figure that contains a scene.
struct FileText {
    std::string json;
    std::filesystem::path folder;  // the base of its tensor files' paths
    bool from_figure = false;
    std::shared_ptr<const ScratchFolder> copies{};  // keeps the folder, if nothing else does
};
// Reads the text. Tensor files in a figure are put into cache_folder(), or if there is none, into a
// folder of their own; if the figure has none, its scene may find them beside it. Throws InputError
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
    std::vector<std::string> notes{};  // what the user should know about a file of tensors: what
                                       // was left out
};

struct LoadedLesson {
    Lesson lesson;
    std::filesystem::path folder;
    int step = 0;  // from 0
};

// Loads a scene: a file that holds one, a figure that contains one, a file of tensors that leaves
// no question open (its first layer by default), or a step of a built-in lesson (without STEP the
// first).
LoadedScene load_scene(const SceneArgument& argument);
// Writes its notes on standard error, one line each. Call it when a command is done, so that a
// failing command writes only one line.
void tell_notes(const SceneArgument& argument, const LoadedScene& loaded);

// Loads a lesson: a file that holds one, or lesson:NAME.
LoadedLesson load_lesson(const std::string& argument);

// Loads either, as the window opens it; lesson:NAME/STEP is the lesson at that step.
std::variant<LoadedScene, LoadedLesson> load(const std::string& argument);

// A part of the course: steps of a built-in lesson, from 0, both ends included.
struct CoursePart {
    std::string_view lesson;
    int first = 0, last = -1;  // last: -1 = the lesson's last
};
// Returns them in the order in which they are taught; no step is in two parts.
std::span<const CoursePart> course_parts();

// Returns the names of the built-in lessons: in the order in which the course finishes them, then
// the others.
std::vector<std::string> lesson_names();

}  // namespace maskscope
