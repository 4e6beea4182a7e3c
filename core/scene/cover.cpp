#include "core/scene/cover.h"

#include <algorithm>

namespace maskscope {

bool Cover::operator==(const Cover&) const = default;

bool Cover::hides(int variant) const {
    return !variants || std::ranges::find(*variants, variant) != variants->end();
}

bool Cover::hides(StageKind stage, std::optional<int> variant) const {
    const bool hidden = stages ? std::ranges::find(*stages, stage) != stages->end()
                               : variant && stage != StageKind::allowed;
    return hidden && (variant ? hides(*variant) : !variants);
}

}  // namespace maskscope
