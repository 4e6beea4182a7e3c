#pragma once
// Computes a scene by the reference implementation.

#include "core/compute/plain.h"

namespace maskscope {

inline Result computed(const Scene& scene) {
    Progress progress;
    return PlainBackend().compute(scene, {}, nullptr, progress);
}

}  // namespace maskscope
