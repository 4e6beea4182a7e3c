#pragma once
// The lines of chips above the bench: which stages are drawn, the difference, heads, sequences, and
// how numbers become colours.

#include "app/window/context/app.h"

namespace maskscope {

// From the cursor on, in as many lines as they need; for the views of heatmaps alone.
void draw_bench_tools(App& app);

}  // namespace maskscope
