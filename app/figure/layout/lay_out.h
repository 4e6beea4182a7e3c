#pragma once
// Bench -> Figure: every length is decided here, for the window and for files alike.

#include "app/figure/figure.h"
#include "app/show/bench/bench.h"
#include "core/scene/cover.h"

namespace maskscope {

// How far a translator has written: what is left is not drawn.
struct Written {
    Index words = 0;
    ModelAttention attention = ModelAttention::cross;  // that is shown
    bool operator==(const Written&) const = default;
};

struct LayoutOptions {
    double width = 0, height = 0;  // the available room; 0 = as large as the cells need (files)
    double cell = 44;              // side of a cell in points if no room is given
    double number_size = 13, token_size = 13;    // never below 12
    double scale = 1;                            // multiplies every length: the interface's scale
    bool with_title = true, with_legend = true;  // the legend: the signs that occur
    bool with_numbers = true, with_colour_bars = true;  // colour bars: and their limits
    // A figure in a file: no stage is left out, rather its numbers; signs are always explained, and
    // long tokens written out.
    bool complete = false;
    bool in_hall = false;          // presenting: without the words that only a close reader needs
    bool interactive = false;      // the window: "click or drag" is shown at the mask
    std::optional<Cover> covered;  // the step asks first: what is still hidden
    std::optional<StageKind> claimed;  // presenting: the stage that the step's fact speaks of
    std::optional<Written> written;
    std::vector<Index> picked;       // heads that are marked in the view of heads
    std::optional<Economy> economy;  // absent: chosen by the numbers as they are
    Zoom zoom;
    std::optional<CellRef> hovered;  // its two tokens are bold
    std::optional<Spot> spot;        // what is pointed at in plane and table: it is named
    bool operator==(const LayoutOptions&) const = default;
};

// Within one economy an edit of numbers moves nothing; Figure::economy says which was taken.
Figure lay_out(const Bench& bench, const LayoutOptions& options);

// One of `heads` heads that was clicked among all of them, in a room: its weights are larger than
// they were there. What does not leave them the room gives way, the masks first.
Figure lay_out_enlarged(const Bench& bench, Index heads, const LayoutOptions& options);

}  // namespace maskscope
