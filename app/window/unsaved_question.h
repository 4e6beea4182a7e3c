#pragma once
// The question before unsaved work is lost. leave_unsaved() and leave() in app.h ask it.

#include "app/window/context/app.h"

namespace maskscope {

void draw_unsaved_question(App& app);

}  // namespace maskscope
