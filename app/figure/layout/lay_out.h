#pragma once
// Turns a Bench into a Figure. Every length is decided here, for both the window and files.

#include "app/figure/figure.h"
#include "app/show/bench/bench.h"

namespace maskscope {

// The progress of a translator that is stepped through: words that it has not yet written are not
// drawn.
struct WritingProgress {
    Index words = 0;
    ModelAttention attention = ModelAttention::cross;  // the displayed attention
    bool operator==(const WritingProgress&) const = default;
};

struct LayoutOptions {
    double width = 0, height = 0;  // the available space; 0 = as large as the cells need (files)
    double token_size = 13;        // never below 12
    double scale = 1;              // the interface's scale, which multiplies every length
    bool with_title = true, with_legend = true;         // the legend explains the flags that occur
    bool with_numbers = true, with_colour_bars = true;  // colour bars include their limits
    bool complete = false;                              // for a file: long tokens are written out
    double least_cell = 0;  // points; the least side if there are too many cells for numbers
    bool with_mask = true;
    bool in_hall = false;      // presenting: omit words that matter only to a close reader
    bool interactive = false;  // for the window: the mask says "click or drag"
    std::optional<WritingProgress> written;
    std::vector<Index> picked;  // heads that are marked in the grid of heads
    Zoom zoom;
    std::optional<CellRef> hovered;  // the cell whose two tokens are bold
    std::optional<Spot> spot;        // the part of a view under the pointer, which is labelled
    bool operator==(const LayoutOptions&) const = default;
};

// Lays out every requested stage in square cells of one size: as large as the space allows, within
// the limits for a window, presenting or a figure. If even the smallest cells do not fit, the
// figure is larger than the space. Neither the numbers, nor the hovered cell, nor a question
// changes a size or a place.
Figure lay_out(const Bench& bench, const LayoutOptions& options);

// True if there are so many tokens that cells shrink until they fit, without numbers.
bool has_more_than_can_be_read(const Bench& bench);

// --- the batch as a list to choose from: one row of small heatmaps for each sequence, its length
// on the left, and its row sums on the right of each variant's weights

struct BatchStrip {
    Figure figure;
    std::vector<Rect> rows;  // as in bench.batch; a click selects the sequence
};

// Lays out a strip as wide as needed. The sequences in `selected` have a coloured background.
BatchStrip lay_out_batch(const Bench& bench, const std::vector<Index>& selected, double scale);

}  // namespace maskscope
