#pragma once
// The underlined tabs above the lanes: a tab for each view that the scene has.

#include "app/app.h"

namespace maskscope {

const char* tab_name(ViewKind kind);  // "Output plane"
void show_view(App& app, ViewKind kind);

// In a row at the cursor; a click shows that view. What is drawn next stands at the right of it
// with ImGui::SameLine().
void draw_tabs(App& app);

// The tab after the one that is shown (steps 1), or before it (-1); around at the ends.
void turn_tab(App& app, int steps);

}  // namespace maskscope
