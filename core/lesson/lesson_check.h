#pragma once

#include <filesystem>

#include "core/lesson/lesson.h"

namespace maskscope {

// The semantic checks of a lesson that has been read: all addresses of facts and captions exist in
// their scene (after applying `with`), and every pointer of `with` and `fails_with` can be set.
// Throws InputError with the pointer into the lesson ("/steps/0/facts/1/at"), down to a field of
// `with` or `fails_with` ("/steps/0/facts/0/fails_with/~1variants~11~1mask~1apply").
void check_lesson(const Lesson& lesson, const std::filesystem::path& folder);

}  // namespace maskscope
