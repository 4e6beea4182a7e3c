#pragma once
// Parts of a lesson step that both the window and the presentation draw beside the picture: the
// counted answers of a class, and a small map of the block. Lengths are in pixels.

#include "app/session/session.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// --- a poll: answers that were counted, as bars, the longest first. Once the step is uncovered the
// right one is green.

bool has_poll(const Session& session);
double poll_height(const Session& session, double size);
void draw_poll(Gui& gui, const Session& session, Point at, double width, double size);

// --- the map of the block

// Draws the map with the place highlighted, and its name below in type of this size.
void draw_block_map(Gui& gui, BlockPlace place, const Rect& rect, double size);

}  // namespace maskscope
