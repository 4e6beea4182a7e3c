#pragma once
// A mask rule as the sidebar lists it, and the fields of its parameters.

#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/window/context/ui_state.h"
#include "app/window/paint/gui.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

// The variants whose rules are listed: all shown ones if their rules are equal, else one variant.
struct ListedLanes {
    std::vector<int> lanes;
    bool shared = true;
    int first() const { return lanes.front(); }
};

// The same rule of every listed variant, which an edit changes as one step.
struct LayerRow {
    const ListedLanes& listed;
    LayerPath path;
    MaskLayer layer;  // a copy, because an edit replaces the scene while its rules are being drawn

    std::string id() const;  // "layer/0/2.1"
    bool in_group() const { return path.size() > 1; }
};

void change_layer(Session& session, const LayerRow& row, const MaskLayer& next,
                  const std::string& what, const std::string& merge = "");
void remove_layer(Session& session, const LayerRow& row);

void draw_parameters(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row);
// Begins to edit the rule's formula, if it has one.
void edit_formula(Gui& gui, const LayerRow& row);
// Applies a formula while it is typed; an error is shown below it, at its column.
void draw_formula(Gui& gui, Session& session, SidebarState& sidebar, const LayerRow& row,
                  std::string MaskLayer::*formula);

}  // namespace maskscope
