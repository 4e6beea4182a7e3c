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

void open_help_page(Ui& ui, const std::string& name);  // name: a file in assets/help

// Draw an overlay, let it use its keys, and return its place, which it chooses. It is empty if the
// overlay is not drawn, because there is no room, or a step asks a question.
Rect draw_overlay(App& app, MaskCard& card);
Rect draw_overlay(App& app, BackendSwitch& panel);
Rect draw_overlay(App& app, StartPage& start);
Rect draw_overlay(App& app, TensorSheet& sheet);
Rect draw_overlay(App& app, PathLine& line);
Rect draw_overlay(App& app, ExportSheet& sheet);
Rect draw_overlay(App& app, KeyHelp& help);
Rect draw_overlay(App& app, Palette& palette);
Rect draw_overlay(App& app, UnsavedQuestion& question);

}  // namespace maskscope
