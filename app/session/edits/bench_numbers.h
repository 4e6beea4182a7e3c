#pragma once
// Types numbers on the bench: scores and entries of Q, K and V. Independent of ImGui.

#include <optional>
#include <string>

#include "app/session/session.h"

namespace maskscope {

// Returns why the number in a cell cannot be typed, in one sentence; nullopt if it can. The cell
// must belong to the shown result (for Q, K or V: to the scene's inputs).
std::optional<std::string> why_not_typed(const Session& session, const CellRef& cell);

// Returns the initial text of a number's field: all digits of a short number, so that typed text
// reappears; otherwise the digits that its cell shows.
std::string number_text(const Scene& scene, double x);

// Replaces a cell's number by a finite one, as one undo step. A number typed into scaled scores
// becomes the score that the variant scales to it. Returns false, with a message, on failure.
bool type_number(Session& session, const CellRef& cell, double x);

}  // namespace maskscope
