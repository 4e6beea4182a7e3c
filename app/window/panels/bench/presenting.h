#pragma once
// The lesson in full screen: title, lanes, caption and fact, large enough for the last row of a
// hall. Every length is a share of the screen's height; nothing needs the mouse.

#include "app/window/context/app.h"

namespace maskscope {

// In place of all panels.
void draw_presenting(App& app);

}  // namespace maskscope
