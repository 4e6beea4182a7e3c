#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/shape.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns how near counts as equal for numbers of this dtype: the default meaning of "the row sums
// to 1" and "near". It is about one step of the dtype near 1 for the 16-bit types, and eight of
// float32, whose value float64 shares.
constexpr double tolerance_of(Dtype dtype) {
    if (dtype == Dtype::bfloat16) return 4e-3;
    return dtype == Dtype::float16 ? 1e-3 : 1e-6;
}

// A smaller weight on a blocked key or a pad token is reported in words only; its cell is not
// framed.
inline constexpr float least_leak = 1e-6F;

// The largest integer in files: exact in float64.
inline constexpr std::int64_t largest_integer = (std::int64_t{1} << 53) - 1;
// The same limit for positions and sizes: less where an Index has 32 bits, so that two can be
// added.
inline constexpr auto largest_index =
    static_cast<Index>(std::min<std::int64_t>(largest_integer, PTRDIFF_MAX / 2));

}  // namespace maskscope
