#include "app/panels/bench_marks.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/painter.h"
#include "app/widgets.h"

namespace maskscope {

namespace {

// Cell, row and column of what is pointed at (or pinned), in every heatmap of its sequence.
void draw_linked(App& app, const Figure& figure, Cell cell, Index b, Point origin) {
    for (const Heatmap& map : figure.heatmaps) {
        if (map.b != b || cell.i >= map.cells->rows || map.lane == earlier_lane) continue;
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

// The cells that the last edit or step changed, for a moment.
void draw_changes(App& app, const Figure& figure, Point origin) {
    app.changed_cells.see(figure.heatmaps, app.session.shown().scene, app.time_before);
    if (app.reduced_motion) app.changed_cells.forget();
    for (const Heatmap& map : figure.heatmaps)
        for (const Cell& cell : app.changed_cells.of(map, app.time_before))
            frame_changed(app, panel_list(), on_screen(map, origin), cell);
}

}  // namespace

BenchPointer bench_pointer(const App& app, Point origin, bool over) {
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

void draw_bench_marks(App& app, const Figure& figure, Point origin) {
    draw_changes(app, figure, origin);
    const View& view = app.session.view();
    const Index b = figure.heatmaps.empty() ? 0 : figure.heatmaps.front().b;
    if (view.hovered)
        draw_linked(app, figure, {view.hovered->i, view.hovered->j}, view.hovered->b, origin);
    else if (view.show.focus)
        draw_linked(app, figure, *view.show.focus, b, origin);
    if (view.show.ring) draw_ring(app, figure, *view.show.ring, origin);
}

}  // namespace maskscope
