#pragma once
// Chooses among random scenes, because each combination of settings is a program of its own, and
// compiling a program takes the software renderer fifty times as long as running it.

#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope::golden {

class CoveredSettings {
public:
    // Returns true if a variant of the scene has two settings that no variant before had together,
    // or if no variant needs a new program. So every two settings that occur together in any scene
    // are tested together. Always true if MASKSCOPE_RANDOM_SCENES is set: `tests/run.sh --full`.
    bool chooses(const Scene& scene);

private:
    std::set<std::tuple<std::size_t, int, std::size_t, int>> pairs_;
    std::set<std::vector<int>> programs_;
};

}  // namespace maskscope::golden
