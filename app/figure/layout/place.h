#pragma once
// A figure laid out for the place where it will be used: a slide, a page, a column of a paper.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/layout/lay_out.h"

namespace maskscope {

// The place, in points. Height 0: as high as the content. If the width is also 0, as large as the
// cells need.
struct FigurePlace {
    double width = 0, height = 0;
    bool cropped = false;  // use only the part of the place that the figure needs
    bool grows = false;    // grow until everything fits; false: throw if it does not fit
    // The least side of a cell if there are too many cells for numbers.
    double least_cell = 0;
};

inline constexpr double least_text = 7;  // points: the smallest type in a figure for a place

// Lays out with the largest type at which everything fits: at most the window's type, at least
// least_text. The drawing is centred in the place, within a margin. Throws WorkError, which names
// the smallest sufficient size, if the place is too small and does not grow.
using LayOut = std::function<Figure(const LayoutOptions&)>;
Figure lay_out_in_place(const FigurePlace& place, LayoutOptions options, const LayOut& lay_out);

struct PageContent {
    LayOut lay_out;
    ViewData views{};   // the data that lay_out draws
    bool asks = false;  // the next page has the same content with its answer, and decides the scale
    bool with_mask = true;
};
// Lays out pages of one size, at one scale, all moved by the same amount, so that what two of them
// have in common is at the same place on both. If the place grows, all pages do. place: has width
// and height, and is not cropped.
std::vector<Figure> lay_out_pages(const FigurePlace& place, LayoutOptions options,
                                  const std::vector<PageContent>& pages);

// Returns the rectangle around everything that is drawn.
Rect extent_of(const Figure& figure);
// Appends everything of another figure below this one.
void append_below(Figure& figure, Figure below);

}  // namespace maskscope
