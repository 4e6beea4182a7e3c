#include "app/window/panels/bench/plots.h"
#include "app/window/actions/actions.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plane_words.h"
#include "app/figure/style/labels.h"
#include "app/show/views/views.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

ViewKind kind_of(const App& app) {
    return shown_view(app.session.view(), app.session.shown().scene);
}

Figure lay_out_plots(const App& app, double width, double height) {
    LayoutOptions options = room_options(app, width, height);
    options.spot = app.ui.spot;
    return lay_out_view(app.session.shown(), app.session.bench(), app.session.view(), options);
}

// Words before a field, in the middle of its height.
void draw_words(App& app, const std::string& words) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    Text text{.at = {at.x, at.y + points(app, 16)},
              .text = words,
              .style = {13 * app.ui_scale},
              .role = Role::dim};
    draw_text(app, text);
    ImGui::Dummy({static_cast<float>(measure(words, text.style).width),
                  static_cast<float>(points(app, 32))});
    ImGui::SameLine(0, static_cast<float>(points(app, 8)));
}

// --- the plane

// Links a point to its row and column: in the inspector, as a cell of the weights.
void hover_point(App& app, const std::optional<Spot>& spot) {
    View& view = app.session.view();
    view.hovered.reset();
    if (!spot || (spot->kind != Spot::Kind::output && spot->kind != Spot::Kind::value)) return;
    const Index j = spot->kind == Spot::Kind::value ? spot->key
                    : view.show.focus               ? view.show.focus->j
                                                    : 0;
    view.hovered = CellRef{spot->lane, StageKind::weights, spot->b, spot->h, spot->row, j};
}

void focus_point(App& app) {
    if (const auto& hovered = app.session.view().hovered)
        app.session.view().show.focus = Cell{hovered->i, hovered->j};
}

void draw_component_chips(App& app, bool is_y) {
    View& view = app.session.view();
    const Index d_v = d_v_of(app.session.shown().scene.inputs).value_or(0);
    const Cell shown = shown_components(view, d_v);
    const Index mine = is_y ? shown.j : shown.i, other = is_y ? shown.i : shown.j;
    for (Index k = 0; k < d_v; ++k) {
        ImGui::SameLine(0, static_cast<float>(points(app, 4)));
        const std::string text =
            component_name(k, false) + (is_y ? " ↑##" : " →##") + std::to_string(k);
        if (!chip(app, text, {.selected = k == mine, .dimmed = k != mine}).clicked) continue;
        const Index rest = k == other ? mine : other;  // choosing the other one swaps them
        view.show.components = is_y ? Cell{rest, k} : Cell{k, rest};
    }
}

// Of many components the number is typed, from 1 on.
void draw_component_field(App& app, bool is_y) {
    View& view = app.session.view();
    const Index d_v = d_v_of(app.session.shown().scene.inputs).value_or(0);
    const Cell shown = shown_components(view, d_v);
    const Index mine = is_y ? shown.j : shown.i, other = is_y ? shown.i : shown.j;
    ImGui::SameLine(0, static_cast<float>(points(app, 10)));
    draw_words(app, is_y ? "v ↑" : "v →");
    const auto typed =
        number_field(app, is_y ? "component y" : "component x", static_cast<double>(mine + 1),
                     {.low = 1, .high = static_cast<double>(d_v), .whole = true});
    if (!typed) return;
    const auto k = static_cast<Index>(*typed) - 1;
    const Index rest = k == other ? mine : other;
    view.show.components = is_y ? Cell{rest, k} : Cell{k, rest};
}

void draw_components(App& app) {
    constexpr Index most_chips = 4;
    const Index d_v = d_v_of(app.session.shown().scene.inputs).value_or(0);
    if (d_v <= 2) return;
    for (const bool is_y : {false, true})
        d_v <= most_chips ? draw_component_chips(app, is_y) : draw_component_field(app, is_y);
}

// --- root d

void drag_width(App& app, const Figure& figure, Point at, bool pressed) {
    const Spot* spot = spot_at(figure.spots, at);
    if (pressed && spot != nullptr && spot->kind == Spot::Kind::width) app.ui.dragged = *spot;
    if (!app.now.buttons[0]) app.ui.dragged.reset();
    if (!app.ui.dragged) return;
    const Rect& axis = app.ui.dragged->rect;
    const double share = std::clamp((at.x - axis.x) / std::max(1.0, axis.w), 0.0, 1.0);
    set_width(app, std::pow(double(root_d_most), share));
}

void draw_width_field(App& app) {
    ImGui::SameLine(0, static_cast<float>(points(app, 24)));
    draw_words(app, "d =");
    const auto width =
        number_field(app, "marked width", static_cast<double>(shown_width(app.session.view())),
                     {.low = 1, .high = double(root_d_most), .whole = true});
    if (width) set_width(app, *width);
}

// --- the pointer

// The keys choose until the pointer moves again.
void point_at_spot(App& app, const Figure& figure, Point at, bool over) {
    if (app.ui.spot_pointer == app.now.pointer) return;
    app.ui.spot_pointer = app.now.pointer;
    const Spot* spot = over && app.now.pointer_inside ? spot_at(figure.spots, at) : nullptr;
    app.ui.spot = spot != nullptr ? std::optional(*spot) : std::nullopt;
}

void use_plot_pointer(App& app, const Figure& figure, Point origin, bool over) {
    const Point at{app.now.pointer.x - origin.x, app.now.pointer.y - origin.y};
    const bool pressed = over && ImGui::IsMouseClicked(0);
    point_at_spot(app, figure, at, over);
    if (kind_of(app) == ViewKind::root_d) return drag_width(app, figure, at, pressed);
    hover_point(app, app.ui.spot);
    if (!pressed || app.session.covered()) return;
    const Spot* spot = spot_at(figure.spots, at);
    if (spot == nullptr) return;
    if (spot->kind == Spot::Kind::entry)
        make_entry_lane(app, *spot);
    else
        focus_point(app);
}

}  // namespace

bool shows_plots(const App& app) {
    const ViewKind kind = kind_of(app);
    return kind == ViewKind::plane || kind == ViewKind::table || kind == ViewKind::root_d;
}

void draw_plot_tools(App& app) {
    if (kind_of(app) == ViewKind::plane) draw_components(app);
    if (kind_of(app) == ViewKind::root_d) draw_width_field(app);
}

void draw_plots(App& app) {
    const ImVec2 cursor = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const Point origin{cursor.x, cursor.y};
    const bool over = ImGui::IsWindowHovered() && !app.ui.question && !app.ui.path_line;
    use_plot_pointer(app, lay_out_plots(app, room.x, room.y), origin, over);
    app.figure = lay_out_plots(app, room.x, room.y);
    app.figure_at = origin;
    paint(app, panel_list(), app.figure, origin);
    ImGui::Dummy({room.x, static_cast<float>(app.figure.height)});
}

}  // namespace maskscope
