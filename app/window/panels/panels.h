#pragma once
// The panels. A panel knows no other panel: it uses only its parameters, is drawn at `rect`, and
// queues commands that concern the whole window.

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

void draw_top_bar(Gui& gui, Session& session, Ui& ui, const Rect& rect);
// draw_step_dots() draws the steps of a lesson as dots, from `left` on in the open panel; a click
// on a dot goes to its step. step_dots_width() returns the width of all dots.
double step_dots_width(const Gui& gui, const Session& session);  // pixels
void draw_step_dots(Gui& gui, Session& session, Point left);
void draw_inspector(Gui& gui, Session& session, const Rect& rect);
void draw_status(Gui& gui, Session& session, Ui& ui, const Rect& rect);

// The functions below choose their own place and return it; it is empty while they are closed.
Rect draw_backend_switch(Gui& gui, Session& session, bool open, const Rect& room);
Rect draw_export_sheet(Gui& gui, Session& session, std::optional<ExportSheet>& sheet);
Rect draw_key_help(Gui& gui, Ui& ui);
void open_help_page(Ui& ui, const std::string& name);  // name: a file in assets/help
Rect draw_tensor_sheet(Gui& gui, Ui& ui);
Rect draw_path_line(Gui& gui, Session& session, Ui& ui, Rect rect);  // rect: its upper left corner
Rect draw_palette(Gui& gui, Session& session, Commands& commands, std::optional<Palette>& palette);

}  // namespace maskscope
