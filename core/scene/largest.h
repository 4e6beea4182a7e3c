#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/shape.h"

namespace maskscope {

// The largest integer in files: exact in float64.
inline constexpr std::int64_t largest_integer = (std::int64_t{1} << 53) - 1;
// The same limit for positions and sizes: less where an Index has 32 bits, so that two can be
// added.
inline constexpr auto largest_index =
    static_cast<Index>(std::min<std::int64_t>(largest_integer, PTRDIFF_MAX / 2));

}  // namespace maskscope
