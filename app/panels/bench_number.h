#pragma once
// Typing over a number of the bench, in its own cell: a double click or Enter begins, Enter, Tab
// and the arrows up and down commit, Escape leaves.

#include "app/app.h"

namespace maskscope {

// Begins when the bench is drawn next; where the number cannot be typed, the cell says why.
void ask_for_number(App& app, const CellRef& cell);
// The same for the cell cursor, in the scores or scaled scores that are drawn.
void ask_for_number_at_cursor(App& app);

// Does the pointer stand over the field? The bench has no use for it then.
bool is_over_number_field(const App& app, const Figure& figure, Point origin);

// The field of the number that is typed, over the figure that stands at origin, and why another one
// cannot be.
void draw_number_field(App& app, const Figure& figure, Point origin);

}  // namespace maskscope
