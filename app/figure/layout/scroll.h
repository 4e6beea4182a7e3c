#pragma once
// A figure that is larger than its space.

#include "app/figure/figure.h"

namespace maskscope {

// Returns the part of a figure that is seen in a space, from this point on. Pinned parts stay at
// the edges as long as their heatmaps are seen, and cover what is below them.
Figure scrolled(Figure figure, Point from, double width, double height);

// Returns where to scroll from `seen` so that these parts are in view with their tokens: as far as
// they must, the last one above all.
Point place_to_see(const Figure& figure, const std::vector<Rect>& parts, const Rect& seen);

}  // namespace maskscope
