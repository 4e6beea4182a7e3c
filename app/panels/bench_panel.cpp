// The bench in the window: the figure that a file would show, filling its room, and over it what
// only a window has: the pointer's frames, the ring, the pinned cell.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>

#include "app/figure/lay_out_view.h"
#include "app/painter.h"
#include "app/panels/panels.h"
#include "app/panels/tabs.h"
#include "app/views/views.h"
#include "app/widgets.h"
#include "core/names.h"

namespace maskscope {

namespace {

// Cell, row and column of what is pointed at (or pinned), in every heatmap of its sequence.
void draw_linked(App& app, const Figure& figure, Cell cell, Index b, Point origin) {
    for (const Heatmap& map : figure.heatmaps) {
        if (map.b != b || cell.i >= map.cells->rows) continue;
        const Heatmap seen = on_screen(map, origin);
        if (map.cells->stage == StageKind::output || cell.j >= map.cells->columns) continue;
        frame_row_and_column(app, panel_list(), seen, cell);
        frame_cell(app, panel_list(), seen, cell);
    }
}

// "Click me": on the first mask that is drawn.
void draw_ring(App& app, const Figure& figure, Cell cell, Point origin) {
    for (const Heatmap& map : figure.heatmaps) {
        if (map.cells->stage != StageKind::allowed) continue;
        if (cell.i < map.cells->rows && cell.j < map.cells->columns)
            ring_cell(app, panel_list(), on_screen(map, origin), cell);
        return;
    }
}

BenchPointer pointer_of(const App& app, Point origin, bool over) {
    BenchPointer pointer;
    if (over && app.now.pointer_inside)
        pointer.at = Point{app.now.pointer.x - origin.x, app.now.pointer.y - origin.y};
    pointer.pressed = over && ImGui::IsMouseClicked(0);
    pointer.held = app.now.buttons[0];
    pointer.double_clicked = ImGui::IsMouseDoubleClicked(0);
    pointer.middle_held = app.now.buttons[2];
    pointer.wheel = app.now.wheel.y;
    pointer.ctrl = (app.now.modifiers & GLFW_MOD_CONTROL) != 0;
    pointer.alt = (app.now.modifiers & GLFW_MOD_ALT) != 0;
    return pointer;
}

LayoutOptions options_of(const App& app, double width, double height) {
    LayoutOptions options;
    options.width = width;
    options.height = height;
    options.scale = app.ui_scale;
    options.with_title = false;
    options.interactive = true;
    options.covered = app.session.covered();
    options.zoom = app.session.view().zoom;
    options.hovered = app.session.view().hovered;
    return options;
}

// Which stages are drawn: a chip each, those that these inputs have.
void draw_stage_chips(App& app) {
    View& view = app.session.view();
    std::vector<StageKind> shown = shown_stages(view);
    for (int k = 1; k < stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!app.session.shown().variants.front().stage(stage).exists()) continue;
        const auto found = std::find(shown.begin(), shown.end(), stage);
        const bool is_shown = found != shown.end();
        const std::string text(label(stage));
        ImGui::SameLine(0, static_cast<float>(points(app, 6)));
        if (room_width() < chip_width(app, text)) break;
        if (!chip(app, text, {.selected = is_shown, .dimmed = !is_shown}).clicked) continue;
        if (is_shown)
            shown.erase(found);
        else
            shown.insert(std::upper_bound(shown.begin(), shown.end(), stage), stage);
        view.show.stages = shown;
        break;
    }
}

void draw_marks(App& app, const Figure& figure, Point origin) {
    const View& view = app.session.view();
    const Index b = figure.heatmaps.empty() ? 0 : figure.heatmaps.front().b;
    if (view.hovered)
        draw_linked(app, figure, {view.hovered->i, view.hovered->j}, view.hovered->b, origin);
    else if (view.show.focus)
        draw_linked(app, figure, *view.show.focus, b, origin);
    if (view.show.ring) draw_ring(app, figure, *view.show.ring, origin);
}

double lowest_heatmap(const Figure& figure) {
    double lowest = 1e9;
    for (const Heatmap& map : figure.heatmaps) lowest = std::min(lowest, map.rect.h);
    return lowest;
}

// The figure in its room; where many lanes or heads would make it too low to read, it is higher,
// and the panel scrolls.
Figure lay_out_to_read(const App& app, double width, double height) {
    const auto lay_out_at = [&](double h) {
        return lay_out_view(app.session.shown(), app.session.bench(), app.session.view(),
                            options_of(app, width, h));
    };
    Figure figure = lay_out_at(height);
    const double rows = double(app.session.bench().blocks.front().queries.size());
    const double readable = points(app, std::clamp(14 * rows, 64.0, 140.0));
    const double highest = 40 * height;
    while (lowest_heatmap(figure) < readable && height < highest) {
        height *= 1.25;
        Figure higher = lay_out_at(height);
        if (lowest_heatmap(higher) <= lowest_heatmap(figure)) break;  // the width is what lacks
        figure = std::move(higher);
    }
    return figure;
}

}  // namespace

void draw_bench(App& app) {
    const bool zooms = app.session.view().hovered.has_value();
    begin_panel(app, "bench", app.panels.bench,
                {.ground = Role::ground, .padding = 18, .wheel_scrolls = !zooms});
    draw_tabs(app);
    if (shown_view(app.session.view(), app.session.shown().scene) == ViewKind::pipeline)
        draw_stage_chips(app);
    gap(app, 6);
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const Point origin{at.x, at.y};
    const bool over = ImGui::IsWindowHovered() && !app.ui.question && !app.ui.path_line;

    use_pointer(app.session, app.ui.drag, lay_out_to_read(app, room.x, room.y),
                pointer_of(app, origin, over), app.ui_scale);
    app.figure = lay_out_to_read(app, room.x, room.y);
    app.figure_at = origin;
    paint(app, panel_list(), app.figure, origin);
    draw_marks(app, app.figure, origin);
    ImGui::Dummy({room.x, static_cast<float>(app.figure.height)});
    end_panel();
}

}  // namespace maskscope
