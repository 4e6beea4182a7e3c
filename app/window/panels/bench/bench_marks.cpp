// Marks that only the window draws over the figure of the bench: the pointer, its frames, the ring.

#include "app/window/panels/bench/bench_parts.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/painter.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

// Draws the row and column that are pointed at or pinned in one heatmap, and where they cross.
void draw_tokens_in(Gui& gui, const Heatmap& seen, const PointedTokens& tokens) {
    const Cells& cells = *seen.cells;
    const bool of_keys = seen.lane == keys_lane || seen.lane == values_lane;
    const auto& row = of_keys ? tokens.key : tokens.query;
    const bool has_row = row && *row < cells.rows;
    if (of_keys || cells.stage == StageKind::output) {
        if (has_row) frame_row(gui, panel_list(), seen, *row);
        return;
    }
    const bool has_column = tokens.key && *tokens.key < cells.columns;
    if (has_row) frame_row(gui, panel_list(), seen, *row);
    if (has_column) frame_column(gui, panel_list(), seen, *tokens.key);
    if (has_row && has_column) frame_cell(gui, panel_list(), seen, {*row, *tokens.key});
}

// Draws what is linked to the pointed tokens, in every heatmap of the sequence.
void draw_linked(Gui& gui, const Figure& figure, const PointedTokens& tokens, Index b,
                 Point origin) {
    for (const Heatmap& map : figure.heatmaps)
        if (map.b == b && map.lane != foreign_lane)
            draw_tokens_in(gui, on_screen(map, origin), tokens);
}

// Draws a single cell: of the output, or of Q, K and V.
void draw_own_cell(Gui& gui, const Figure& figure, const CellRef& cell, Point origin) {
    if (cell.stage != StageKind::output) return;
    for (const Heatmap& map : figure.heatmaps)
        if (map.lane == cell.lane && map.cells->stage == cell.stage && map.b == cell.b &&
            map.h == cell.h)
            frame_cell(gui, panel_list(), on_screen(map, origin), {cell.i, cell.j});
}

// Draws the ring, which means "click me", on the first mask that is drawn.
void draw_ring(Gui& gui, const Figure& figure, Cell cell, Point origin) {
    for (const Heatmap& map : figure.heatmaps) {
        if (map.cells->stage != StageKind::allowed) continue;
        if (cell.i < map.cells->rows && cell.j < map.cells->columns)
            ring_cell(gui, panel_list(), on_screen(map, origin), cell);
        return;
    }
}

// Marks the cells that the last edit or step changed, for a moment.
void draw_changes(Gui& gui, const Session& session, BenchState& bench, const Figure& figure,
                  Point origin) {
    bench.changed_cells.see(figure.heatmaps, session.shown().scene, gui.time);
    if (gui.reduced_motion) bench.changed_cells.forget();
    for (const Heatmap& map : figure.heatmaps)
        for (const Cell& cell : bench.changed_cells.of(map, gui.time))
            frame_changed(gui, panel_list(), on_screen(map, origin), cell);
}

}  // namespace

BenchPointer bench_pointer(const Gui& gui, Point origin, bool over) {
    BenchPointer pointer;
    if (over && gui.now.pointer_inside)
        pointer.at = Point{gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y};
    pointer.pressed = over && ImGui::IsMouseClicked(0);
    pointer.held = gui.now.buttons[0];
    pointer.double_clicked = ImGui::IsMouseDoubleClicked(0);
    pointer.middle_held = gui.now.buttons[2];
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    pointer.moved = by.x != 0 || by.y != 0;
    pointer.wheel = gui.now.wheel.y;
    pointer.ctrl = (gui.now.modifiers & GLFW_MOD_CONTROL) != 0;
    pointer.alt = (gui.now.modifiers & GLFW_MOD_ALT) != 0;
    return pointer;
}

void draw_bench_marks(Gui& gui, const Session& session, BenchState& bench) {
    const Figure& figure = bench.figure;
    const Point origin = bench.figure_at;
    draw_changes(gui, session, bench, figure, origin);
    const View& view = session.view();
    const auto& cursor = bench.tensor_cursor;
    const auto& cell = view.hovered ? view.hovered : cursor;
    if (cell)
        draw_linked(gui, figure, tokens_of(*cell), cell->b, origin);
    else if (const auto marked = marked_cell(session))
        draw_linked(gui, figure, {marked->i, marked->j},
                    place_of_focus(view, shape_of(session.shown().scene)).first, origin);
    if (view.hovered) draw_own_cell(gui, figure, *view.hovered, origin);
    if (cursor) draw_own_cell(gui, figure, *cursor, origin);
    if (view.show.ring) draw_ring(gui, figure, *view.show.ring, origin);
}

void draw_border(Gui& gui, const Session& session, const BenchState& bench,
                 std::optional<Point> at) {
    const auto border = border_at(session, bench.drag, bench.figure, at, gui.scale);
    if (!border) return;
    gui.over_border = true;
    const Point origin = bench.figure_at;
    const auto on_panel = [&](Point p) { return imgui_point({p.x + origin.x, p.y + origin.y}); };
    for (const auto& [from, to] : lines_of(session.scene(), bench.figure, *border)) {
        const auto line = [&](Role role, double width) {
            panel_list().AddLine(on_panel(from), on_panel(to), imgui_colour(colours(gui)[role]),
                                 static_cast<float>(points(gui, width)));
        };
        line(Role::ground, 4);
        line(Role::ink, 2);
    }
}

}  // namespace maskscope
