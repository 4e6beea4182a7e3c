#pragma once
// A figure laid out for the place where it will be used: a slide, a page, a column of a paper.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"

namespace maskscope {

// In points. Height 0: as high as its content is; width 0, too: as large as its cells need.
struct FigurePlace {
    double width = 0, height = 0;
    bool cropped = false;  // the figure takes only what it needs of it
    bool grows = false;    // until everything fits; else what does not fit is refused
    // The least side of a cell, if there are too many cells for numbers.
    double least_cell = 0;
};

inline constexpr double least_text = 7;  // points, of any text in a figure for a place

// Lays out with the largest type with which everything fits: from that of the window down to
// least_text. The drawing is centred in the place, within a margin. Throws WorkError that names the
// smallest size, if the place is too small and does not grow.
using LayOut = std::function<Figure(const LayoutOptions&)>;
Figure lay_out_in_place(const FigurePlace& place, LayoutOptions options, const LayOut& lay_out);

struct PageContent {
    LayOut lay_out;
    ViewData views{};   // that it draws
    bool asks = false;  // the same content follows with its answer, and decides the scale
    bool with_mask = true;
};
// Lays out pages of one size, with one scale, all moved by the same amount: what two of them have
// in common is at the same place on both. If the place grows, all pages do. place: with width and
// height, not cropped.
std::vector<Figure> lay_out_pages(const FigurePlace& place, LayoutOptions options,
                                  const std::vector<PageContent>& pages);

// Returns the rectangle around everything that is drawn.
Rect extent_of(const Figure& figure);
// Appends everything of another figure below this one.
void append_below(Figure& figure, Figure below);

}  // namespace maskscope
