#pragma once
// What the keys do while the lesson is presented.

#include "app/window/context/app.h"

namespace maskscope {

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
