#include "app/window/panels/sidebar/sidebar.h"

#include "app/window/panels/parts.h"

namespace maskscope {

void draw_sidebar(App& app) {
    const Rect& rect = app.panels.sidebar;
    if (rect.w <= 0 || rect.h <= 0) return;
    begin_panel(app, "sidebar", rect);
    draw_edge(app, rect, Edge::right);
    draw_tokens(app);
    gap(app, 10);
    draw_layers(app);
    gap(app, 10);
    draw_variants(app);
    gap(app, 10);
    draw_inputs(app);
    end_panel();
}

}  // namespace maskscope
