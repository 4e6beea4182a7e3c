#pragma once

#include <iosfwd>

#include "app/session/files/load.h"

namespace maskscope {

// Implements maskscope pytorch SCENE [--variant I]: writes the variant as a PyTorch script. notes:
// gets the path of a built-in model if the script reads one. Throws Error.
void pytorch(const SceneArgument& scene, int variant, std::ostream& out, std::ostream& notes);

}  // namespace maskscope
