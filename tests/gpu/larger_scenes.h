#pragma once

#include "core/scene/scene.h"

namespace maskscope::golden {

// Returns a random scene whose sequences are repeated until they have n tokens, so that it takes
// several tiles. nullopt if it cannot grow: its inputs must be seeded vectors or patterns, and its
// rules must fit more tokens.
std::optional<Scene> larger_scene(std::uint64_t seed, Index n);

}  // namespace maskscope::golden
