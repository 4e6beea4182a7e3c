#pragma once

#include <cairo.h>

#include "app/figure/figure.h"
#include "core/base/progress.h"

namespace maskscope {

// Draws a figure on a surface of `scale` pixels per point; edges of cells, boxes and bars lie on
// whole pixels. Does not paint the background. Throws Cancelled between two heatmaps.
void draw_figure(cairo_t* cairo, const Figure& figure, const Theme& theme, double scale,
                 const Progress& progress = command_progress());

}  // namespace maskscope
