#pragma once
// Output plane, table and root d in the window: their figure, what stands above it, and what the
// pointer and the keys do there.

#include "app/window/context/app.h"

namespace maskscope {

// Is one of the three shown?
bool shows_plots(const App& app);

// Beside the tabs: the components of the plane, the marked width of root d.
void draw_plot_tools(App& app);
// Fills the room at the cursor. Pointing names; a click in the plane focuses a row, in the table it
// makes an entry a lane; a drag in root d moves the marked width.
void draw_plots(App& app);

}  // namespace maskscope
