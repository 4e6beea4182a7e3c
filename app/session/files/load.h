#pragma once
// Loads what the command line calls SCENE and LESSON: a file, lesson:NAME, or lesson:NAME/STEP
// (from 1). All functions throw Error, one line that names the argument as typed.

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

// The text of a scene or a lesson, from its own file or from a figure that contains a scene.
struct FileText {
    std::string json;
    std::filesystem::path folder;  // the folder that paths of its tensor files are relative to
    bool from_figure = false;
    std::shared_ptr<const ScratchFolder> copies{};  // keeps the folder if it is a temporary one
};
// Reads the text. Tensor files in a figure are put into cache_folder() or, if there is none, into a
// temporary folder. If the figure contains none, they may be beside it. Throws InputError without
// the file's name: "contains no scene".
FileText read_text(const std::filesystem::path& file);

// The options of a command for a file of tensors.
struct TensorOptions {
    std::optional<Index> layer{}, take{};  // from 0; take: index of a sequence of the batch
    std::optional<Scale> scale{};
    std::string axes{}, mask{}, tokens{};  // such as "bnhd"; a tensor, "causal" or "none"; a file
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
    std::filesystem::path folder;  // the folder that paths of its tensor files are relative to
    // Keeps the folder if numbers of a file of tensors had to be rearranged; see also FileText.
    std::shared_ptr<const ScratchFolder> copies{};
    std::vector<std::string> notes{};  // left-out parts of a file of tensors, for the user
};

struct LoadedLesson {
    Lesson lesson;
    std::filesystem::path folder;
    int step = 0;  // from 0
};

// Loads a scene: a file that holds one, a figure that contains one, a file of tensors that leaves
// no question open (its first layer by default), or a step of a built-in lesson (the first one
// without STEP).
LoadedScene load_scene(const SceneArgument& argument);
// Writes the notes to standard error, one line each. Call it when a command is done, so that a
// failing command writes only one line.
void tell_notes(const SceneArgument& argument, const LoadedScene& loaded);

// Loads a lesson: a file that holds one, or lesson:NAME.
LoadedLesson load_lesson(const std::string& argument);

// Loads a scene or a lesson, as the window opens it; lesson:NAME/STEP is the lesson at that step.
std::variant<LoadedScene, LoadedLesson> load(const std::string& argument);

// A part of the course: steps of a built-in lesson, from 0, both ends included.
struct CoursePart {
    std::string_view lesson;
    int first = 0, last = -1;  // last: -1 = the last step of the lesson
};
// Returns the parts in the order in which they are taught; no step is in two parts.
std::span<const CoursePart> course_parts();

// Returns the names of the built-in lessons: those of the course in the order in which the course
// finishes them, then the others.
std::vector<std::string> lesson_names();

}  // namespace maskscope
