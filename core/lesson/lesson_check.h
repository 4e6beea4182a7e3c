#pragma once

#include <filesystem>

#include "core/lesson/lesson.h"

namespace maskscope {

// Judges what only the meaning of a lesson tells, once its text was read: every address and caption
// exists in its scene (with its `with`), every pointer of `with` and `fails_with` can be set.
// Throws InputError with the pointer into the lesson ("/steps/0/facts/1/at"); a field at fault is
// pointed at inside its map ("/steps/0/facts/0/fails_with/~1variants~11~1mask~1apply").
void check_lesson(const Lesson& lesson, const std::filesystem::path& folder);

}  // namespace maskscope
