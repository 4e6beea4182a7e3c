#pragma once
// The numbers of a bias layer.

#include <optional>
#include <string>
#include <vector>

#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"

namespace maskscope {

// A row for each cell, whose number is typed over (empty takes it away), and one more to add the
// pinned cell. The new cells where that changed them.
std::optional<std::vector<BiasCell>> draw_bias_cells(Gui& gui, Session& session,
                                                     const SidebarState& sidebar,
                                                     const std::string& id,
                                                     const std::vector<BiasCell>& cells);

}  // namespace maskscope
