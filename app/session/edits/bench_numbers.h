#pragma once
// Numbers of the bench that may be typed: scores, and entries of Q, K and V. No ImGui.

#include <optional>
#include <string>

#include "app/session/session.h"

namespace maskscope {

// Why the number in a cell cannot be typed, in one sentence; nothing where it can. The cell must be
// one of the shown result (of Q, K or V: of the scene's inputs).
std::optional<std::string> why_not_typed(const Session& session, const CellRef& cell);

// A number as a field shows it first: so many digits that it reads back the same in the lanes'
// dtypes.
std::string number_text(const Scene& scene, double x);

// Types a finite number over that of a cell, as one step of undo. A number typed into scaled scores
// becomes the score that the cell's lane scales to it. False, and a message, where it cannot be.
bool type_number(Session& session, const CellRef& cell, double x);

}  // namespace maskscope
