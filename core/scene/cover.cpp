#include "core/scene/cover.h"

#include <algorithm>

namespace maskscope {

bool Cover::operator==(const Cover&) const = default;

bool Cover::hides(int lane) const {
    return !lanes || std::ranges::find(*lanes, lane) != lanes->end();
}

bool Cover::hides(StageKind stage, std::optional<int> lane) const {
    const bool hidden = stages ? std::ranges::find(*stages, stage) != stages->end()
                               : lane && stage != StageKind::allowed;
    return hidden && (lane ? hides(*lane) : !lanes);
}

}  // namespace maskscope
