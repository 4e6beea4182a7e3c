#pragma once
// Scrolls a figure that is larger than its space.

#include "app/figure/figure.h"

namespace maskscope {

// Returns the part of a figure that is visible in a space of this size, whose top left corner shows
// the point `from`. Pinned parts stay at the edges as long as their heatmaps are visible, and cover
// what is below them.
Figure scrolled(Figure figure, Point from, double width, double height);

// Returns where to scroll from `seen` so that these parts are in view with their tokens. If they
// already are, nothing moves. Otherwise the view begins at the nearest place where it cuts no cell,
// and if possible, no heatmap that has none of these parts. If not all parts fit, the last one
// takes precedence.
Point place_to_see(const Figure& figure, const std::vector<Rect>& parts, const Rect& seen);

// Returns the farthest place to scroll to: the first one from which the end of the figure is in
// view and no cell is cut where the view begins.
Point last_place(const Figure& figure, double width, double height);

// Returns the part to show from `from` on, at most as large as the space, so that no row or column
// of cells is cut at an edge. May begin up to a cell later.
Rect whole_cells(const Figure& figure, Point from, double width, double height);

}  // namespace maskscope
