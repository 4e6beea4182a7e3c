#include "app/window/actions/actions.h"
#include "app/window/panels/bench/bench_parts.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plane_words.h"
#include "app/show/views/views.h"
#include "app/style/labels.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

ViewKind kind_of(const Session& session) {
    return shown_view(session.view(), session.shown().scene);
}

Figure lay_out_plots(const Gui& gui, const Session& session, const BenchState& bench, double width,
                     double height) {
    LayoutOptions options = room_options(gui, session, width, height);
    options.spot = bench.spot;
    return lay_out_view(session.shown(), session.bench(), session.view(), options);
}

constexpr double chip_gap = 4, field_gap = 10, after_words = 8;  // points

// Words before a field, in the middle of its height.
void draw_words(Gui& gui, const std::string& words) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    Text text{.at = {at.x, at.y + points(gui, 16)},
              .text = words,
              .style = {13 * gui.scale},
              .role = Role::dim};
    draw_text(gui, text);
    take_room(measure(words, text.style).width, points(gui, 32));
    same_line(gui, after_words);
}

// A number field and the words before it.
double width_of_field(const Gui& gui, const std::string& words) {
    return measure(words, {13 * gui.scale}).width +
           points(gui, after_words + NumberOptions{}.width);
}

// Tools are at the right end of the line of tabs, as in the other views.
void go_right(Gui& gui, double width) {
    same_line(gui, 18);
    const double spare = room_width() - width;
    if (spare > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + static_cast<float>(spare));
}

// --- the plane

// Links a point to its row and column: in the inspector, as a cell of the weights.
void hover_point(Session& session, const std::optional<Spot>& spot) {
    View& view = session.view();
    view.hovered.reset();
    if (!spot || (spot->kind != Spot::Kind::output && spot->kind != Spot::Kind::value)) return;
    const Index j = spot->kind == Spot::Kind::value ? spot->key
                    : view.show.focus               ? view.show.focus->j
                                                    : 0;
    view.hovered = CellRef{spot->lane, StageKind::weights, spot->b, spot->h, spot->row, j};
}

void focus_point(Session& session) {
    if (const auto& hovered = session.view().hovered)
        session.view().show.focus = Cell{hovered->i, hovered->j};
}

std::string component_text(Index k, bool is_y) {
    return component_name(k, false) + (is_y ? " ↑##" : " →##") + std::to_string(k);
}

void draw_component_chips(Gui& gui, Session& session, bool is_y) {
    View& view = session.view();
    const Index d_v = d_v_of(session.shown().scene.inputs).value_or(0);
    const Cell shown = shown_components(view, d_v);
    const Index mine = is_y ? shown.j : shown.i, other = is_y ? shown.i : shown.j;
    for (Index k = 0; k < d_v; ++k) {
        if (k > 0 || is_y) same_line(gui, chip_gap);
        const std::string text = component_text(k, is_y);
        if (!chip(gui, text, {.selected = k == mine, .dimmed = k != mine}).clicked) continue;
        const Index rest = k == other ? mine : other;  // choosing the other one swaps them
        view.show.components = is_y ? Cell{rest, k} : Cell{k, rest};
    }
}

// With many components the number is typed, from 1 on.
void draw_component_field(Gui& gui, Session& session, bool is_y) {
    View& view = session.view();
    const Index d_v = d_v_of(session.shown().scene.inputs).value_or(0);
    const Cell shown = shown_components(view, d_v);
    const Index mine = is_y ? shown.j : shown.i, other = is_y ? shown.i : shown.j;
    if (is_y) same_line(gui, field_gap);
    draw_words(gui, is_y ? "v ↑" : "v →");
    const auto typed =
        number_field(gui, is_y ? "component y" : "component x", static_cast<double>(mine + 1),
                     {.low = 1, .high = static_cast<double>(d_v), .whole = true});
    if (!typed) return;
    const auto k = static_cast<Index>(*typed) - 1;
    const Index rest = k == other ? mine : other;
    view.show.components = is_y ? Cell{rest, k} : Cell{k, rest};
}

void draw_components(Gui& gui, Session& session) {
    constexpr Index most_chips = 4;
    const Index d_v = d_v_of(session.shown().scene.inputs).value_or(0);
    if (d_v <= 2) return;
    double width = 0;
    if (d_v <= most_chips)
        for (Index k = 0; k < 2 * d_v; ++k)
            width += chip_width(gui, component_text(k % d_v, k >= d_v)) + points(gui, chip_gap);
    else
        width = width_of_field(gui, "v →") + points(gui, field_gap) + width_of_field(gui, "v ↑");
    go_right(gui, width);
    for (const bool is_y : {false, true})
        d_v <= most_chips ? draw_component_chips(gui, session, is_y)
                          : draw_component_field(gui, session, is_y);
}

// --- root d

void drag_width(Gui& gui, Session& session, BenchState& bench, const Figure& figure, Point at,
                bool pressed) {
    const Spot* spot = spot_at(figure.spots, at);
    if (pressed && spot != nullptr && spot->kind == Spot::Kind::width) bench.dragged_width = *spot;
    if (!gui.now.buttons[0]) bench.dragged_width.reset();
    if (!bench.dragged_width) return;
    const Rect& axis = bench.dragged_width->rect;
    const double share = std::clamp((at.x - axis.x) / std::max(1.0, axis.w), 0.0, 1.0);
    set_width(session, std::pow(double(root_d_most), share));
}

void draw_width_field(Gui& gui, Session& session) {
    go_right(gui, width_of_field(gui, "d ="));
    draw_words(gui, "d =");
    const auto width =
        number_field(gui, "marked width", static_cast<double>(shown_width(session.view())),
                     {.low = 1, .high = double(root_d_most), .whole = true});
    if (width) set_width(session, *width);
}

// --- the pointer

// A cell of the weights: rows that are computed alone are heatmaps of their own.
std::optional<CellRef> generated_cell(const Figure& figure, Point at, const Spot& row) {
    for (const Heatmap& map : figure.heatmaps)
        if (const auto cell = cell_at(map, at); cell && map.lane >= 0)
            return CellRef{map.lane, StageKind::weights, map.b, map.h, row.row, cell->j};
    return std::nullopt;
}

// The keys choose until the pointer moves again.
void point_at_spot(Gui& gui, BenchState& bench, const Figure& figure, Point at, bool over) {
    if (bench.spot_pointer == gui.now.pointer) return;
    bench.spot_pointer = gui.now.pointer;
    const Spot* spot = over && gui.now.pointer_inside ? spot_at(figure.spots, at) : nullptr;
    bench.spot = spot != nullptr ? std::optional(*spot) : std::nullopt;
}

void use_plot_pointer(Gui& gui, Session& session, BenchState& bench, const Figure& figure,
                      Point origin, bool over) {
    const Point at{gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y};
    const bool pressed = over && ImGui::IsMouseClicked(0);
    point_at_spot(gui, bench, figure, at, over);
    if (kind_of(session) == ViewKind::root_d)
        return drag_width(gui, session, bench, figure, at, pressed);
    if (kind_of(session) == ViewKind::generation && pressed && press_hidden(session, figure, at))
        return;
    if (kind_of(session) == ViewKind::generation)
        return use_generation_pointer(session, figure, over ? std::optional(at) : std::nullopt,
                                      pressed);
    hover_point(session, bench.spot);
    if (!pressed || session.covered()) return;
    const Spot* spot = spot_at(figure.spots, at);
    if (spot == nullptr) return;
    if (spot->kind == Spot::Kind::entry)
        make_entry_lane(session, *spot);
    else
        focus_point(session);
}

}  // namespace

bool shows_plots(const Session& session) {
    const ViewKind kind = kind_of(session);
    const bool translates = kind == ViewKind::translator && model_of(session.shown().scene);
    return kind != ViewKind::pipeline && kind != ViewKind::heads && !translates;
}

void draw_plot_tools(Gui& gui, Session& session) {
    if (kind_of(session) == ViewKind::plane) draw_components(gui, session);
    if (kind_of(session) == ViewKind::root_d) draw_width_field(gui, session);
}

void use_generation_pointer(Session& session, const Figure& figure, std::optional<Point> at,
                            bool pressed) {
    const Spot* row = at ? spot_at(figure.spots, *at) : nullptr;
    session.view().hovered = row != nullptr ? generated_cell(figure, *at, *row) : std::nullopt;
    if (row != nullptr && pressed) generate_up_to(session, row->row);
}

void draw_plots(Gui& gui, Session& session, BenchState& bench) {
    const ImVec2 cursor = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const Point origin{cursor.x, cursor.y};
    const bool over = ImGui::IsWindowHovered() && gui.focus.layer == Layer::window;
    use_plot_pointer(gui, session, bench, lay_out_plots(gui, session, bench, room.x, room.y),
                     origin, over);
    bench.figure = lay_out_plots(gui, session, bench, room.x, room.y);
    bench.figure_at = origin;
    bench.laid_out.reset();
    paint(gui, panel_list(), bench.figure, origin);
    take_room(room.x, bench.figure.height);
}

}  // namespace maskscope
