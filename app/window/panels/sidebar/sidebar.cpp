#include "app/window/panels/sidebar/sidebar.h"

#include "app/window/panels/parts.h"

namespace maskscope {

void draw_sidebar(Gui& gui, Session& session, Ui& ui, const Rect& rect) {
    if (rect.w <= 0 || rect.h <= 0) return;
    SidebarState& sidebar = ui.sidebar;
    begin_panel(gui, "sidebar", rect);
    draw_edge(gui, rect, Edge::right);
    draw_tokens(gui, session, sidebar);
    gap(gui, 10);
    draw_layers(gui, session, ui);
    gap(gui, 10);
    draw_variants(gui, session, sidebar);
    gap(gui, 10);
    draw_inputs(gui, session, ui);
    end_panel();
}

}  // namespace maskscope
