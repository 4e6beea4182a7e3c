#pragma once
// The panels, a file each. A panel knows no other panel: it reads app.session and app.panels (where
// it stands), and edits through app.session.

#include "app/window/context/app.h"

namespace maskscope {

void draw_top_bar(App& app);
void draw_inspector(App& app);
void draw_status(App& app);
void draw_path_line(App& app);
void draw_timings(App& app);   // while app.ui.timings_open; see also FrameTimes
void draw_key_help(App& app);  // of keys, while app.ui.key_help_open
void draw_palette(App& app);   // while app.ui.palette

}  // namespace maskscope
