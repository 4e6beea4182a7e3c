#pragma once

#include <iosfwd>
#include <string>

#include "app/session/files/load.h"
#include "core/result/result.h"

namespace maskscope {

// maskscope describe SCENE: the scene and its figures as text. Throws Error.
void describe(const SceneArgument& scene, std::ostream& out);

// The same for a result that holds weights and sensitivity; for screen readers and terminals.
std::string description(const Result& result);

}  // namespace maskscope
