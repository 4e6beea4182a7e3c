// Draws the bench in the window: the figure as in a file, but filling its space, and over it what
// only the window has: frames at the pointer, the ring, the pinned cell.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/layout/lay_out.h"
#include "app/figure/layout/scroll.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/bench/bench_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/edit/edit.h"
#include "core/scene/names.h"

namespace maskscope {

// --- marks that only the window has over the figure: frames at the pointer, and the ring

namespace {

// Draws the row and column of the pointed or pinned tokens in one heatmap, and the cell where they
// cross.
void draw_tokens_in(Gui& gui, const Heatmap& seen, const PointedTokens& tokens) {
    const Cells& cells = *seen.cells;
    const bool of_keys = seen.variant == keys_variant || seen.variant == values_variant;
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

// Draws the rows and columns of these tokens in every heatmap of the sequence.
void draw_linked(Gui& gui, const Figure& figure, const PointedTokens& tokens, Index b,
                 Point origin) {
    for (const Heatmap& map : figure.heatmaps)
        if (map.b == b && map.variant != foreign_variant)
            draw_tokens_in(gui, on_screen(map, origin), tokens);
}

// Draws the frame of a single cell: of the output, or of Q, K and V.
void draw_own_cell(Gui& gui, const Figure& figure, const CellRef& cell, Point origin) {
    if (cell.stage != StageKind::output) return;
    for (const Heatmap& map : figure.heatmaps)
        if (map.variant == cell.variant && map.cells->stage == cell.stage && map.b == cell.b &&
            map.h == cell.h)
            frame_cell(gui, panel_list(), on_screen(map, origin), {cell.i, cell.j});
}

// Draws the ring, which means "click me", on the first drawn mask.
void draw_ring(Gui& gui, const Figure& figure, Cell cell, Point origin) {
    for (const Heatmap& map : figure.heatmaps) {
        if (map.cells->stage != StageKind::allowed) continue;
        if (cell.i < map.cells->rows && cell.j < map.cells->columns)
            ring_cell(gui, panel_list(), on_screen(map, origin), cell);
        return;
    }
}

// Frames the cells that the last edit or step changed, for a moment.
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

namespace {

constexpr double panel_padding = 18;  // points

LayoutOptions options_of(const Gui& gui, const Session& session, double width, double height) {
    LayoutOptions options = room_options(gui, width, height);
    options.zoom = session.view().zoom;
    options.hovered = named_cell(session);
    options.picked = session.view().picked;
    return options;
}

// Lays out the figure for this frame. Keeps the previous one if none of its inputs have changed.
void lay_out_bench(const Gui& gui, const Session& session, BenchState& bench, double width,
                   double height) {
    LayoutKey key{session.results().bench().made, session.view(),
                  options_of(gui, session, width, height)};
    key.options.with_mask = !bench.calm || needs_mask(session.view(), session.shown().scene);
    key.view.show.focus.reset();
    key.view.show.ring.reset();
    const ViewKind kind = shown_view(session.view(), session.shown().scene);
    const bool of_bench = entry_of(kind) == nullptr;
    if (of_bench && bench.laid_out == key) return;
    bench.whole =
        lay_out_view(session.shown(), session.results().bench(), session.view(), key.options);
    ++bench.layouts;
    bench.last = last_place(bench.whole, width, height);
    bench.seen.reset();
    bench.laid_out = of_bench ? std::optional(std::move(key)) : std::nullopt;
}

// Returns the visible part of the figure.
const Figure& seen_figure(BenchState& bench, const Rect& seen) {
    if (bench.seen != seen) bench.figure = scrolled(bench.whole, {seen.x, seen.y}, seen.w, seen.h);
    bench.seen = seen;
    return bench.figure;
}

// True if the wheel zooms instead of scrolling: over a heatmap, with Ctrl, or without it if there
// are more tokens than a person can read. Never in a view of all heads.
bool wheel_zooms(const Gui& gui, const Session& session) {
    if (!session.view().hovered || shows_all_heads(session)) return false;
    if ((gui.now.modifiers & GLFW_MOD_CONTROL) != 0) return true;
    return has_more_than_can_be_read(session.results().bench());
}

bool is_token(const Bench& bench, const std::string& text) {
    return std::ranges::any_of(bench.blocks, [&](const BenchBlock& block) {
        return std::ranges::count(block.tokens->queries, text) > 0 ||
               std::ranges::count(block.tokens->keys, text) > 0;
    });
}

// Returns the term that explains the bar of a row's sum.
std::string term_of(const SumBar& bar) {
    switch (bar.mark) {
        case SumBar::Mark::above_one:
            return "sum above 1";
        case SumBar::Mark::nan:
            return "sum NaN";
        case SumBar::Mark::empty:
            return "sum empty";
        case SumBar::Mark::by_design:
            return "sum by design";
        case SumBar::Mark::one:
        case SumBar::Mark::none:
            break;
    }
    if (bar.leaked > 0) return "sum leaks";
    return bar.status == Role::odd ? "sum below 1" : "sum 1";
}

// Explains what is under the pointer: shows a shortened token in full, and the meaning of a term or
// of a row's sum.
void explain_figure(Gui& gui, const Bench& shown, const BenchState& bench) {
    const Point origin = bench.figure_at;
    const Point at{gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y};
    for (const Text& text : bench.figure.texts) {
        if (!text_rect(text).contains(at)) continue;
        if (is_cut(text)) return tooltip_here(gui, text.text);
        if (is_token(shown, text.text)) continue;
        if (const std::string words = explanation(text.text); !words.empty())
            return tooltip_here(gui, words);
    }
    for (const SumBar& bar : bench.figure.sums) {
        Rect rect = bar.rect;
        rect.w += points(gui, 8) + measure(bar.text, {.size = bar.text_size}).width;
        if (rect.contains(at)) return tooltip_here(gui, explanation(term_of(bar)));
    }
}

// Draws all sequences of the batch on the left; returns the width of that strip.
double draw_batch(Gui& gui, Session& session, Point origin, bool over) {
    View& view = session.view();
    if (session.results().bench().batch.empty()) return 0;
    const Shape shape = session.shown().variants.front().shape;
    const BatchStrip strip =
        lay_out_batch(session.results().bench(), shown_sequences(view, shape), gui.scale);
    paint(gui, panel_list(), strip.figure, origin);
    const Point at{gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y};
    if (over && ImGui::IsMouseClicked(0))
        for (std::size_t k = 0; k < strip.rows.size(); ++k)
            if (strip.rows[k].contains(at))
                view.show.sequences = std::vector<Index>{session.results().bench().batch[k].b};
    set_cursor(origin.x, origin.y);
    take_room(0, strip.figure.height);
    return strip.figure.width + points(gui, 24);
}

// Moves the cell cursor on a press. A double click on a number begins editing it, except in the
// mask.
void press_numbers(const Session& session, BenchState& bench, const BenchPointer& pointer) {
    const auto& cell = session.view().hovered;
    if (!pointer.pressed || !cell || shows_all_heads(session)) return;
    take_cursor_to(bench, *cell);
    const bool plain = pointer.double_clicked && !pointer.ctrl && !pointer.alt;
    if (plain && cell->stage != StageKind::allowed) ask_for_number(bench, *cell);
}

// Draws the tabs, closer together if space is short.
void draw_tabs(Gui& gui, Session& session, BenchState& bench) {
    const Scene& scene = session.shown().scene;
    const ViewKind shown = shown_view(session.view(), scene);
    const std::vector<ViewKind> tabs = tabs_of(session.view(), scene);
    double spare = room_width();
    for (const ViewKind kind : tabs)
        spare -= tab_width(gui, std::string(label(kind)), kind == shown);
    const double between = std::max(1.0, double(tabs.size()) - 1) * gui.scale;
    const double gap = std::clamp(std::floor(spare / between), 2.0, 18.0);
    for (const ViewKind kind : tabs) {
        if (kind != tabs.front()) same_line(gui, gap);
        if (tab(gui, std::string(label(kind)), kind == shown)) show_view(session, bench, kind);
    }
}

// Returns the nearest scroll position at which a heatmap shows the cell cursor.
Point place_of_cursor(const Session& session, const BenchState& bench, const Rect& seen) {
    const auto& cursor = bench.tensor_cursor;
    const auto& cell = cursor ? cursor : session.view().pinned;
    Point nearest{seen.x, seen.y};
    double least = infinity;
    for (const Heatmap& map : bench.whole.heatmaps) {
        const bool has_cell =
            cell && map.b == cell->b && cell->i < map.cells->rows && cell->j < map.cells->columns;
        const bool is_own =
            cursor ? map.variant == cursor->variant
                   : map.cells->stage != StageKind::output && map.variant != foreign_variant;
        if (!has_cell || !is_own) continue;
        const Point at = place_to_see(bench.whole, {cell_rect(map, cell->i, cell->j)}, seen);
        const double far = std::abs(at.x - seen.x) + std::abs(at.y - seen.y);
        if (far >= least) continue;
        least = far;
        nearest = at;
    }
    return nearest;
}

// Returns where to scroll first: to the place of the fact, but so that the ring, which is to be
// clicked, is visible.
Point first_place(const Session& session, const BenchState& bench, const Rect& seen) {
    Point claim = place_of_claim(session, bench.whole, seen);
    if (entry_above(session)) claim.y = 0;  // the fact is about its sentences
    std::vector<Rect> rings;
    if (const auto& ring = session.view().show.ring)
        for (const Heatmap& map : bench.whole.heatmaps)
            if (map.cells->stage == StageKind::allowed && ring->i < map.cells->rows &&
                ring->j < map.cells->columns)
                rings.push_back(cell_rect(map, ring->i, ring->j));
    return place_to_see(bench.whole, rings, {claim.x, claim.y, seen.w, seen.h});
}

// Scrolls a new figure to its first place. Until the user scrolls, it does so again after the
// number of tokens or the size of the space has changed.
void begin_scrolling(const Session& session, BenchState& bench, const Rect& seen, bool is_new) {
    const Shape shape = shape_of(session.shown().scene);
    const std::tuple sizes(shape.n_q, shape.n_k, seen.w, seen.h);
    const bool changed = bench.begun_with != sizes && is_scrolled_to(bench.begun_at);
    if (!is_new && !changed) return;
    bench.begun_at = first_place(session, bench, seen);
    bench.begun_with = sizes;
    scroll_to(bench.begun_at);
}

// Notes which stage has been switched on since the last drawing. is_new: the document, the step or
// the view is another.
void note_stages(const Session& session, BenchState& bench, bool is_new) {
    const std::vector<StageKind> now = shown_stages(session.view().show);
    const std::vector<StageKind> before = std::exchange(bench.stages_on, now);
    if (is_new) bench.comes.reset();
    for (const StageKind stage : now)
        if (!is_new && std::ranges::find(before, stage) == before.end()) bench.comes = stage;
    if (bench.comes && std::ranges::find(now, *bench.comes) == now.end()) bench.comes.reset();
}

// Scrolls to the heatmaps of the stage that has been switched on. If not all of them fit, those of
// the first variant are in view.
void scroll_to_stage(BenchState& bench, const Rect& seen) {
    std::vector<Rect> parts;
    for (const Heatmap& map : bench.whole.heatmaps)
        if (bench.comes == map.cells->stage && map.variant != foreign_variant)
            parts.insert(parts.begin(), map.rect);
    if (parts.empty()) return;  // it is still being computed
    bench.comes.reset();
    scroll_to(place_to_see(bench.whole, parts, seen));
}

// Draws the figure in its space, or the visible part of a larger one, and ends the scrolled region.
void draw_scrolled(Gui& gui, Session& session, BenchState& bench, const Rect& room) {
    const bool over = ImGui::IsWindowHovered() && is_uppermost(gui);
    const std::tuple now(session.document().number, session.document().step,
                         shown_view(session.view(), session.shown().scene));
    const bool is_new = std::exchange(bench.begun_in, now) != now;
    note_stages(session, bench, is_new);
    const Point at = scrolled_to();
    const double batch = draw_batch(gui, session, {room.x, room.y - at.y}, over);
    const Point origin{room.x + batch, room.y};
    const double width = std::max(1.0, room.w - batch);
    const Rect seen{at.x, at.y, width, room.h};
    const bool over_field = is_over_number_field(gui, bench, room);
    BenchPointer pointer = bench_pointer(gui, origin, over && !over_field);
    if (bench.number || !wheel_zooms(gui, session)) pointer.wheel = 0;
    lay_out_bench(gui, session, bench, width, room.h);
    use_pointer(session, bench.drag, seen_figure(bench, seen), pointer, gui.scale);
    press_numbers(session, bench, pointer);
    if (entry_above(session) && pointer.at)
        use_view_pointer(gui, session, bench, bench.figure,
                         {.at = *pointer.at, .inside = true, .pressed = pointer.pressed});
    keep_cursor_within(session, bench);
    lay_out_bench(gui, session, bench, width, room.h);
    bench.figure_at = origin;
    begin_scrolling(session, bench, seen, is_new);
    scroll_to_stage(bench, seen);
    if (std::exchange(bench.follows, false)) scroll_to(place_of_cursor(session, bench, seen));
    paint(gui, panel_list(), seen_figure(bench, seen), origin);
    draw_bench_marks(gui, session, bench);
    draw_border(gui, session, bench, pointer.at);
    if (over && !over_field && !gui.still_at) explain_figure(gui, session.results().bench(), bench);
    draw_number_field(gui, session, bench, room);
    end_scrolled(room, batch + std::max(bench.whole.width, bench.last.x + width),
                 std::max(bench.whole.height, bench.last.y + room.h));
}

}  // namespace

const ViewEntry* entry_above(const Session& session) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->lay_out_above ? entry : nullptr;
}

void draw_bench(Gui& gui, Session& session, BenchState& bench, const Rect& rect) {
    begin_panel(gui, "bench", rect,
                {.ground = Role::ground, .padding = panel_padding, .wheel_scrolls = false});
    if (session.opening()) {
        bench.figure = bench.whole = {};
        bench.laid_out.reset();
        label(gui, opening_text(session), {.role = Role::dim});
        return end_panel();
    }
    if (!bench.calm) draw_tabs(gui, session, bench);
    if (shows_plots(session)) {
        if (!bench.calm) draw_plot_tools(gui, session);
        gap(gui, 6);
        draw_plots(gui, session, bench);
        return end_panel();
    }
    if (!bench.calm) draw_bench_tools(gui, session, bench, has_low_tools(gui, rect));
    gap(gui, 6);
    if (entry_above(session) && is_trained(session.scene().inputs))
        draw_sentence(gui, session, true);
    const Rect room = begin_scrolled(gui, "figure", wheel_zooms(gui, session));
    draw_scrolled(gui, session, bench, room);
    end_panel();
}

}  // namespace maskscope
