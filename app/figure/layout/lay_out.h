#pragma once
// Bench -> Figure: every length is decided here, for the window and for files alike.

#include "app/figure/figure.h"
#include "app/show/bench/bench.h"

namespace maskscope {

// The progress of a translator that is stepped through: what is not written yet is not drawn.
struct Written {
    Index words = 0;
    ModelAttention attention = ModelAttention::cross;  // that is shown
    bool operator==(const Written&) const = default;
};

struct LayoutOptions {
    double width = 0, height = 0;  // the available space; 0 = as large as the cells need (files)
    double token_size = 13;        // never below 12
    double scale = 1;              // multiplies every length: the interface's scale
    bool with_title = true, with_legend = true;         // the legend: the signs that occur
    bool with_numbers = true, with_colour_bars = true;  // colour bars: and their limits
    bool complete = false;  // a figure in a file: long tokens are written out
    double least_cell = 0;  // points; if there are too many cells for numbers
    bool with_mask = true;
    bool in_hall = false;      // presenting: without the words that only a close reader needs
    bool interactive = false;  // the window: "click or drag" is shown at the mask
    std::optional<Written> written;
    std::vector<Index> picked;  // heads that are marked in the view of heads
    Zoom zoom;
    std::optional<CellRef> hovered;  // its two tokens are bold
    std::optional<Spot> spot;        // what is pointed at in plane and table: it is named
    bool operator==(const LayoutOptions&) const = default;
};

// Lays out every stage that is asked for, in square cells of one size: as large as the space
// allows, between the limits for a window, presenting or a figure. If even the smallest cells do
// not fit, the figure is larger than the space. No number, hover or question changes a size or a
// place.
Figure lay_out(const Bench& bench, const LayoutOptions& options);

// Returns true if there are so many tokens that cells shrink until they fit, without numbers.
bool has_more_than_can_be_read(const Bench& bench);

// --- the batch as a picker: one row of small heatmaps per sequence, with its length on the left,
// and its row sums on the right of each lane's weights.

struct BatchStrip {
    Figure figure;
    std::vector<Rect> rows;  // as in bench.batch; a click selects the sequence
};

// Lays out a strip as wide as needed. `selected` is drawn on its own background.
BatchStrip lay_out_batch(const Bench& bench, const std::vector<Index>& selected, double scale);

}  // namespace maskscope
