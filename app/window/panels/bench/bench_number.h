#pragma once
// Typing over a number of the bench, in its own cell: a double click or Enter begins, Enter, Tab
// and the arrows up and down commit, Escape leaves.

#include "app/window/context/app.h"

namespace maskscope {

// Does the pointer stand over the field? The bench has no use for it then.
bool is_over_number_field(const App& app, const Figure& figure, Point origin);

// The field of the number that is typed, over the figure that stands at origin, and why another one
// cannot be.
void draw_number_field(App& app, const Figure& figure, Point origin);

}  // namespace maskscope
