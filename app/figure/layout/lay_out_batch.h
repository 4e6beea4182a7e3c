#pragma once
// The batch as a picker: one row of small heatmaps a sequence, its length at the left, its row sums
// at the right of each lane's weights.

#include "app/figure/layout/lay_out.h"

namespace maskscope {

struct BatchStrip {
    Figure figure;
    std::vector<Rect> rows;  // as in bench.batch; a click selects the sequence
};

// As wide as needed. `selected` is drawn on a background of its own.
BatchStrip lay_out_batch(const Bench& bench, const std::vector<Index>& selected, double scale);

}  // namespace maskscope
