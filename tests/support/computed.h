#pragma once
// A scene as the plain backend computes it.

#include "core/compute/plain.h"

namespace maskscope {

inline Result computed(const Scene& scene) {
    Progress progress;
    return PlainBackend().compute(scene, {}, nullptr, progress);
}

}  // namespace maskscope
