#pragma once
// Draws the cells of a heatmap as pixels: fills, gaps, hatches and frames, without the numbers.

#include <cstdint>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

struct CellPixels {
    int x = 0, y = 0;  // pixels: top left of the image in the picture
    int width = 0, height = 0;
    std::vector<std::uint32_t> argb;  // [height, width]; opaque, or 0 in gaps
};

// Draws the cells. scale: pixels per point. Edges of cells are on whole pixels, and a pixel belongs
// to one cell, however many cells there are.
CellPixels cell_pixels(const Heatmap& heatmap, const Theme& theme, double scale);

// Returns the part of a cell inside its gap, in points; partly outside the heatmap if that is
// zoomed.
Rect inner_rect(const Heatmap& heatmap, Index i, Index j, double scale);

}  // namespace maskscope
