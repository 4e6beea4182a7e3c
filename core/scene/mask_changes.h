#pragma once
// Finds the effect of an edit of a mask.

#include <optional>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// Returns the queries in which two masks may differ, ascending, if their rules differ only in cells
// that `blocked` and `allowed` list; else nullopt.
std::optional<std::vector<Index>> changed_queries(const std::vector<MaskLayer>& x,
                                                  const std::vector<MaskLayer>& y);

}  // namespace maskscope
