#pragma once
// Parts of a lesson step that are drawn beside the figure, by the window and while presenting: the
// counted answers of a class, and a small map of the Transformer. Lengths are in pixels.

#include "app/session/session.h"
#include "app/window/paint/gui.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

// --- the answer to the step's question

// Draws a field for the answer at the cursor. Enter shows the answer, unless a count of hands was
// typed.
void draw_answer_field(Gui& gui, Session& session, FieldOptions options);
// Draws the field in this row, with a button that shows the answer. Returns false, and draws
// nothing, unless the step asks.
bool draw_answering(Gui& gui, Session& session, const Rect& row);
// Lists the answers so far: "A 12, B 23"; "" if there are none.
std::string answers_text(const Session& session);

// --- a poll: counted answers as bars, the longest first; after the answer is shown, the correct
// one is green

bool has_poll(const Session& session);
double poll_height(const Session& session, double size);
void draw_poll(Gui& gui, const Session& session, Point at, double width, double size);

// --- the map of the Transformer

// Draws the map with `place` highlighted, and the name of the place below it. size: of the type.
void draw_block_map(Gui& gui, BlockPlace place, const Rect& rect, double size);

}  // namespace maskscope
