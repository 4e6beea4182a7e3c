#pragma once
// How much room a text takes in a figure.

#include "app/figure/style/shapes.h"

namespace maskscope {

double figure_text_width(const Text& text);  // as it would be without max_width

// Where its line stands, cut at max_width; upright for a vertical text.
Rect text_rect(const Text& text);

// Is it shortened, with an ellipsis at its end?
bool is_cut(const Text& text);

}  // namespace maskscope
