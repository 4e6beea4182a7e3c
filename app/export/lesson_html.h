#pragma once

#include <string>
#include <vector>

#include "app/export/export_lesson.h"

namespace maskscope {

// A lesson as one file for any browser: a figure and its words for each step, buttons and keys to
// turn the steps, questions that keep their answer until they are pressed. It asks nothing of the
// network. Without scripts all of it stands one below the other. Throws WorkError.
std::string lesson_html(const Lesson& lesson, const std::vector<LessonPage>& pages,
                        ThemeKind theme);

}  // namespace maskscope
