#pragma once

#include <iosfwd>
#include <string>

#include "app/session/files/load.h"
#include "core/result/result.h"

namespace maskscope {

// Implements maskscope describe SCENE: prints the scene and its statistics as text. Throws Error.
void describe(const SceneArgument& scene, std::ostream& out);

// Returns the same for a result that holds weights and sensitivity; for screen readers and
// terminals.
std::string description(const Result& result);

}  // namespace maskscope
