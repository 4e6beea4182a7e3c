#pragma once

#include "core/frameworks/framework.h"

namespace maskscope {

// Returns the frameworks of assets/frameworks, sorted by file, read once. A file that cannot be
// read is left out (tests read each).
const std::vector<Framework>& frameworks();

}  // namespace maskscope
