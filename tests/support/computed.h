#pragma once
// A scene as the plain backend computes it, and a short word for infinity.

#include <limits>

#include "core/compute/plain.h"

namespace maskscope {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline Result computed(const Scene& scene) {
    Progress progress;
    return PlainBackend().compute(scene, {}, nullptr, progress);
}

}  // namespace maskscope
