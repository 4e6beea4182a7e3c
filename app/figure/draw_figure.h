#pragma once

#include <cairo.h>

#include "app/figure/figure.h"

namespace maskscope {

// Draws a figure on a surface of `scale` pixels a point; edges of cells, boxes and bars lie on
// whole pixels. The ground is left as it is.
void draw_figure(cairo_t* cairo, const Figure& figure, const Theme& theme, double scale);

}  // namespace maskscope
