#pragma once
// A page on which numbers are filled in by hand.

#include <string>
#include <vector>

#include "app/session/files/load.h"
#include "core/scene/scene.h"

namespace maskscope {

struct WorksheetOptions {
    std::vector<StageKind> blank{StageKind::weights};  // with their row sums
    bool solution = false;                             // nothing is blank
};

// The scene as an A4 page, upright or not, whichever leaves more room to a cell: a PDF. Returns the
// exit status; throws Error: a stage to be left blank is not drawn, or its cells would be too small
// to write in.
int worksheet(const SceneArgument& scene, const std::string& out, const WorksheetOptions& options);

}  // namespace maskscope
