#pragma once
// Chooses among random scenes, because each combination of settings is a program of its own, and
// compiling a program takes the software renderer fifty times as long as running it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope::golden {

class CoveredSettings {
public:
    using Make = std::optional<Scene> (*)(std::uint64_t seed);

    // Chooses scenes that have every setting (together = 1), or every two settings in one variant
    // (2), of the scenes 0 to 1999, and that need few programs besides those of the golden
    // scenes.
    CoveredSettings(Make make, int together);

    // Returns the seeds of at most `count` scenes: of these, then of those among 0 to 1999 that
    // need no other programs; or of the first `count` scenes of all if MASKSCOPE_RANDOM_SCENES is
    // set: `tests/run.sh --full`.
    std::vector<std::uint64_t> seeds(std::ptrdiff_t count) const;

private:
    Make make_;
    std::set<std::vector<int>> programs_;
    std::vector<std::uint64_t> seeds_;
};

// Every two settings of random_scene() in float32, and the same with strange numbers; every setting
// of larger_scene().
const CoveredSettings& covered_settings();
const CoveredSettings& covered_strange_settings();
const CoveredSettings& covered_larger_settings();

}  // namespace maskscope::golden
