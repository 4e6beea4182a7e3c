#pragma once
// Parts of a lesson step that both the window and the presentation draw beside the picture: the
// counted answers of a class, and a small map of the block. Lengths are in pixels.

#include "app/session/session.h"
#include "app/window/paint/gui.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

// --- the answer to the question of a step

// Draws, at the cursor, a field for it. Enter shows the answer, unless a count of hands was typed.
void draw_answer_field(Gui& gui, Session& session, FieldOptions options);
// Draws the field in this row, with a button that shows the answer. Draws nothing and returns false
// unless the step asks.
bool draw_answering(Gui& gui, Session& session, const Rect& row);
// Lists the answers so far: "A 12, B 23"; "" if there are none.
std::string answers_text(const Session& session);

// --- a poll: answers that were counted, as bars, the longest first. Once the answer is shown the
// right one is green.

bool has_poll(const Session& session);
double poll_height(const Session& session, double size);
void draw_poll(Gui& gui, const Session& session, Point at, double width, double size);

// --- the map of the block

// Draws the map with the place highlighted, and its name below in type of this size.
void draw_block_map(Gui& gui, BlockPlace place, const Rect& rect, double size);

}  // namespace maskscope
