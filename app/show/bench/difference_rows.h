#pragma once
// Differences of rows that are computed when they are read.

#include <array>
#include <optional>
#include <vector>

#include "app/show/cells/view.h"
#include "core/result/result.h"

namespace maskscope {

// The two sides of a comparison: two variants, or two heads of one.
struct Compared {
    Difference lanes;                           // twice the same for heads
    std::optional<std::array<Index, 2>> heads;  // the first minus the second
    bool operator==(const Compared&) const = default;
    // Returns a key in Sources: a number of its own for each variant whose heads are compared,
    // which no variant has.
    int key() const { return heads ? earlier_lane - 1 - lanes.lane : difference_lane; }
};

// Returns the differences that a view draws of variants with computed rows.
std::vector<Compared> differences_of(const Result& result, const View& view);

std::shared_ptr<const ComputedRows> rows_of(const Result& result, const Compared& compared);

// Returns the stages of both with as many heads and columns, for variants from the softmax on:
// float64 numbers, of one head if heads are compared, without a mask and pads. Both have computed
// rows.
VariantResult difference_rows(const Result& result, const Compared& compared);

// True if both are the same object, or differences of the same rows.
bool is_same_rows(const ComputedRows& x, const ComputedRows& y);

}  // namespace maskscope
