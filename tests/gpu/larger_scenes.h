#pragma once

#include "core/scene/scene.h"

namespace maskscope::golden {

// Returns a random scene whose sequences are repeated until they have n tokens: several tiles,
// several cells for each thread. Only seeded inputs grow; for others it returns nullopt.
std::optional<Scene> larger_scene(std::uint64_t seed, Index n);

}  // namespace maskscope::golden
