#pragma once

#include <string>
#include <vector>

#include "app/export/export_lesson.h"

namespace maskscope {

// Writes a lesson as one file for any browser: a figure and its words for each step, buttons and
// keys to change the step, and questions that show their answer when they are clicked. It needs no
// network. Without scripts, all steps are shown one below the other. Throws WorkError.
std::string lesson_html(const Lesson& lesson, const std::vector<LessonPage>& pages,
                        ThemeKind theme);

}  // namespace maskscope
