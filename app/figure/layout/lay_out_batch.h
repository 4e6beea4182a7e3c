#pragma once
// The batch as a picker: one row of small heatmaps per sequence, with its length on the left, and
// its row sums on the right of each lane's weights.

#include "app/figure/layout/lay_out.h"

namespace maskscope {

struct BatchStrip {
    Figure figure;
    std::vector<Rect> rows;  // as in bench.batch; a click selects the sequence
};

// Lays out a strip as wide as needed. `selected` is drawn on its own background.
BatchStrip lay_out_batch(const Bench& bench, const std::vector<Index>& selected, double scale);

}  // namespace maskscope
