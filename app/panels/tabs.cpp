#include "app/panels/tabs.h"

#include <imgui.h>

#include <algorithm>

#include "app/views/views.h"
#include "app/widgets.h"

namespace maskscope {

const char* tab_name(ViewKind view) {
    switch (view) {
        case ViewKind::pipeline:
            return "Pipeline";
        case ViewKind::heads:
            return "Heads";
        case ViewKind::plane:
            return "Output plane";
        case ViewKind::root_d:
            return "Root d";
        case ViewKind::table:
            return "Table";
    }
    return "";
}

void show_view(App& app, ViewKind kind) {
    app.session.view().show.view = kind;
    app.session.view().hovered.reset();
    app.ui.spot.reset();
}

void draw_tabs(App& app) {
    const Scene& scene = app.session.shown().scene;
    const ViewKind shown = shown_view(app.session.view(), scene);
    bool first = true;
    for (const ViewKind kind : views_of(scene)) {
        if (!first) ImGui::SameLine(0, static_cast<float>(points(app, 18)));
        first = false;
        if (tab(app, tab_name(kind), kind == shown)) show_view(app, kind);
    }
}

void turn_tab(App& app, int steps) {
    const Scene& scene = app.session.shown().scene;
    const std::vector<ViewKind> views = views_of(scene);
    const auto count = static_cast<std::ptrdiff_t>(views.size());
    const auto at = std::ranges::find(views, shown_view(app.session.view(), scene)) - views.begin();
    show_view(app, views[static_cast<std::size_t>(((at + steps) % count + count) % count)]);
}

}  // namespace maskscope
