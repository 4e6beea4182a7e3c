#pragma once

#include "core/scene/scene.h"

namespace maskscope {

// Returns how near counts as equal for numbers of this dtype: the default meaning of "the row sums
// to 1" and "near". It is about one step of the dtype near 1 for the 16-bit types, and eight of
// float32, whose value float64 shares.
constexpr double tolerance_of(Dtype dtype) {
    if (dtype == Dtype::bfloat16) return 4e-3;
    return dtype == Dtype::float16 ? 1e-3 : 1e-6;
}

// A smaller weight on a blocked key or a pad is reported in words only; its cell is not framed.
inline constexpr float least_leak = 1e-6F;

}  // namespace maskscope
