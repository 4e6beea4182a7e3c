#pragma once
// Asks before unsaved work is lost. leave_unsaved() and leave() in app.h use it.

#include "app/window/context/app.h"

namespace maskscope {

void draw_unsaved_question(App& app);

}  // namespace maskscope
