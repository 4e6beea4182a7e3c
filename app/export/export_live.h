#pragma once
// Exports live pages of a scene or a lesson, and a folder of them: see live_html.h.

#include <string>

#include "app/export/live_html.h"
#include "app/session/files/load.h"

namespace maskscope {

// Means all built-in lessons if a folder of live pages is written.
inline constexpr const char* all_lessons = "lesson:all";

// Writes a page, or if `out` ends with /, a folder: a page for each lesson, a list of them, and the
// core, which they share. Throws Error.
void export_live(const SceneArgument& argument, const std::string& out, const LiveOptions& options);

// Returns the bytes of one page. folder: the base of the tensor files' paths. Throws Error.
std::string live_lesson(const LoadedLesson& lesson, const LiveOptions& options);
std::string live_scene(const LoadedScene& scene, const LiveOptions& options);

}  // namespace maskscope
