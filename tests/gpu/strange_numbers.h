#pragma once
// Makes scenes with infinities, NaN and numbers near the limits of float32 in them.

#include <cstdint>

#include "core/scene/scene.h"

namespace maskscope::golden {

// Returns the scene with some of its given numbers replaced, and sometimes a scale, a mask value or
// a bias that float32 cannot hold. The same seed gives the same scene.
Scene with_strange_numbers(Scene scene, std::uint64_t seed);

}  // namespace maskscope::golden
