#pragma once
// Draws a page on which numbers are filled in by hand.

#include <string>
#include <vector>

#include "app/session/files/load.h"
#include "core/scene/scene.h"

namespace maskscope {

struct WorksheetOptions {
    std::vector<StageKind> blank{StageKind::weights};  // with their row sums
    bool solution = false;                             // nothing is left empty
};

// Draws the scene as an A4 page in PDF, portrait or landscape, whichever makes cells larger.
// Returns the exit status. Throws Error if a stage to fill in is not drawn, or its cells would be
// too small to write in.
int worksheet(const SceneArgument& scene, const std::string& out, const WorksheetOptions& options);

}  // namespace maskscope
