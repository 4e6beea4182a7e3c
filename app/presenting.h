#pragma once
// The lesson in full screen: title, lanes, caption and fact, large enough for the last row of a
// hall. Every length is a share of the screen's height; nothing needs the mouse.

#include "app/app.h"

namespace maskscope {

// In place of all panels.
void draw_presenting(App& app);

// --- what the keys do

void present(App& app);           // begins, or ends
void leave_presenting(App& app);  // what-if line, blank and spotlight first, then presenting itself
void present_left(App& app);      // steps; in the what-if line it goes from field to field
void present_right(App& app);
void present_up(App& app);  // the what-if line's value
void present_down(App& app);
void toggle_what_if(App& app);
void toggle_blank(App& app);
void toggle_spotlight(App& app);

// The lane that the what-if line changes; while presenting.
int what_if_lane(const App& app);

}  // namespace maskscope
