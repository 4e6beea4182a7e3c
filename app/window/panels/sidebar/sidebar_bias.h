#pragma once
// The numbers of a bias rule.

#include <optional>
#include <string>
#include <vector>

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// Draws one row for each cell, whose number can be edited (empty removes it), and one more to add
// the pinned cell. Returns the new cells if that changed them.
std::optional<std::vector<BiasCell>> draw_bias_cells(Gui& gui, Session& session,
                                                     const SidebarState& sidebar,
                                                     const std::string& id,
                                                     const std::vector<BiasCell>& cells);

}  // namespace maskscope
