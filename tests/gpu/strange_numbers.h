#pragma once
// Scenes with infinities, NaN and numbers near the end of float32 in them.

#include <cstdint>

#include "core/scene/scene.h"

namespace maskscope::golden {

// The scene with some of its given numbers replaced, and sometimes a scale, a blocking value or a
// bias that float32 cannot hold. The same for the same seed.
Scene with_strange_numbers(Scene scene, std::uint64_t seed);

}  // namespace maskscope::golden
