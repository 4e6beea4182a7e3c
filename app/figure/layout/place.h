#pragma once
// A figure laid out for the place where it will stand: a slide, a page, a column of a paper.

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
    // The least side of a cell: the place grows until every cell has it and everything fits.
    double least_cell = 0;
};

inline constexpr double least_text = 7;  // points, of any text in a figure for a place

// Calls lay_out with one room and scale after the other, and takes what can be read best: every
// stage before numbers, numbers before whole labels, then the largest cells, and of equally large
// ones the largest type. No text is below least_text. What is drawn stands in the middle of the
// place, within a margin.
using LayOut = std::function<Figure(const LayoutOptions&)>;
Figure lay_out_in_place(const FigurePlace& place, LayoutOptions options, const LayOut& lay_out);

struct PageContent {
    LayOut lay_out;
    std::optional<Cover> covered;  // see LayoutOptions; the same content follows uncovered
    std::string kind;  // pages of one kind are arranged alike: they have the same tokens and stages
};
// Pages of one size, with an even scale and all moved by as much: what two of them have in common
// stands at the same place on both. place: with width and height, not cropped.
std::vector<Figure> lay_out_pages(const FigurePlace& place, LayoutOptions options,
                                  const std::vector<PageContent>& pages);

// Around all that is drawn.
Rect extent_of(const Figure& figure);
// Everything of another figure, below this one.
void append_below(Figure& figure, Figure below);

}  // namespace maskscope
