#pragma once
// Computes the space that a text needs in a figure.

#include "app/style/shapes.h"

namespace maskscope {

double figure_text_width(const Text& text);  // as it would be without max_width

// Returns the rectangle of its line, cut at max_width; upright for a vertical text.
Rect text_rect(const Text& text);

// True if it is shortened, with an ellipsis at its end.
bool is_cut(const Text& text);

}  // namespace maskscope
