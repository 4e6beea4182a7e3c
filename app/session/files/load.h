#pragma once
// SCENE and LESSON of the command line: a file, lesson:NAME, or lesson:NAME/STEP (from 1).
// Everything here throws Error, a line with the argument as typed.

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "core/lesson/lesson.h"

namespace maskscope {

struct LoadedScene {
    Scene scene;
    std::filesystem::path folder;  // the base of its tensor files' paths
};

struct LoadedLesson {
    Lesson lesson;
    std::filesystem::path folder;
    int step = 0;  // from 0
};

// A scene: a file that holds one, or a step of a built-in lesson (without STEP the first).
LoadedScene load_scene(const std::string& argument);

// A lesson: a file that holds one, or lesson:NAME.
LoadedLesson load_lesson(const std::string& argument);

// Either, as the window opens it; lesson:NAME/STEP is the lesson at that step.
std::variant<LoadedScene, LoadedLesson> load(const std::string& argument);

// The folder that holds lessons/, scenes/ and help/: $MASKSCOPE_ASSETS if set, else where the
// program was installed, else assets/ of the source tree.
std::filesystem::path assets_folder();

// The names of the built-in lessons in the order of the course.
std::vector<std::string> lesson_names();
}  // namespace maskscope
