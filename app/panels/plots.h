#pragma once
// Output plane, table and root d in the window: their figure, what stands above it, and what the
// pointer and the keys do there.

#include "app/app.h"

namespace maskscope {

// Is one of the three shown?
bool shows_plots(const App& app);

// Beside the tabs: the components of the plane, the marked width of root d.
void draw_plot_tools(App& app);
// Fills the room at the cursor. Pointing names; a click in the plane focuses a row, in the table it
// makes an entry a lane; a drag in root d moves the marked width.
void draw_plots(App& app);

// Arrow keys where a view has a use for them: the width of root d (down and up halve and double
// it), the entry of the table. False where the cell cursor moves as ever.
bool move_in_plots(App& app, Index down, Index right);
// Space: the table's chosen entry becomes a lane. False where it has no such use.
bool act_in_plots(App& app);

}  // namespace maskscope
