#pragma once
// The difference of two lanes whose rows are computed when they are read.

#include "core/result/result.h"

namespace maskscope {

// The stages from the softmax on that both lanes have, with as many heads and columns: a lane of
// float64 numbers, without a mask and pads. Both lanes have computed rows.
VariantResult difference_rows(const Result& result, Difference lanes);

// Whether both are the same object, or differences of the same rows.
bool is_same_rows(const ComputedRows& x, const ComputedRows& y);

}  // namespace maskscope
