#pragma once
// Parts of a lesson step that both the window and the presentation draw beside the picture: the
// table, the counted answers of a class, and a small map of the block. Lengths are pixels.

#include "app/session/session.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// --- the table

// As wide as its cells are in one line each, in type of this size.
double step_table_width(const StepTable& table, double size);
// With its upper left corner there, as high as it needs. Cells that are wider than their column are
// broken into lines.
double step_table_height(const StepTable& table, double width, double size);
void draw_step_table(Gui& gui, const StepTable& table, Point at, double width, double size);

// --- a poll: answers that were counted, as bars, the longest first. Once the step is uncovered the
// right one is green.

bool has_poll(const Session& session);
double poll_height(const Session& session, double size);
void draw_poll(Gui& gui, const Session& session, Point at, double width, double size);

// --- the map of the block

// Lit at the place, with its name below in type of this size.
void draw_block_map(Gui& gui, BlockPlace place, const Rect& rect, double size);

}  // namespace maskscope
