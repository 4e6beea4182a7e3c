#pragma once

#include "core/scene/scene.h"

namespace maskscope::golden {

// A random scene whose sentences are repeated until they have n tokens: several tiles, several
// cells a thread. Only seeded inputs grow; of the others nothing is returned.
std::optional<Scene> larger_scene(std::uint64_t seed, Index n);

}  // namespace maskscope::golden
