#pragma once

#include "core/scene/scene.h"

namespace maskscope {

// The part of a lesson step that is covered while it asks; everything after the fork by default.
struct Cover {
    std::optional<std::vector<int>> variants;      // only these variants; nullopt = all
    std::optional<std::vector<StageKind>> stages;  // nullopt = all after the fork
    bool operator==(const Cover&) const;
    bool hides(int variant) const;
    // True if the cover hides this stage of a variant. variant = nullopt: a stage that all variants
    // share, which is hidden only if `stages` lists it and `variants` is nullopt.
    bool hides(StageKind stage, std::optional<int> variant) const;
};

}  // namespace maskscope
