#include "app/window/actions/actions.h"
#include "app/window/panels/bench/bench_parts.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/layout/scroll.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

Figure lay_out_plots(const Gui& gui, const Session& session, const BenchState& bench, double width,
                     double height) {
    LayoutOptions options = room_options(gui, width, height);
    options.spot = bench.spot;
    return lay_out_view(session.shown(), session.results().bench(), session.view(), options);
}

constexpr double chip_gap = 4, field_gap = 10, after_words = 8;  // points

// Draws words before a field, centred in its height.
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

// Returns the width of a number field and the words before it.
double width_of_field(const Gui& gui, const std::string& words) {
    return measure(words, {13 * gui.scale}).width +
           points(gui, after_words + NumberOptions{}.width);
}

// Moves the cursor so that tools are at the right end of the line of tabs, as in other views.
void go_right(Gui& gui, double width) {
    same_line(gui, 18);
    const double spare = room_width() - width;
    if (spare > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + static_cast<float>(spare));
}

double width_of(const Gui& gui, const ViewField& field) {
    if (field.chips.empty()) return width_of_field(gui, field.words);
    double width = 0;
    for (const std::string& chip : field.chips)
        width += chip_width(gui, chip) + points(gui, chip_gap);
    return width;
}

std::optional<Index> choose_chip(Gui& gui, const ViewField& field, bool is_first) {
    std::optional<Index> chosen;
    for (std::size_t k = 0; k < field.chips.size(); ++k) {
        if (k > 0 || !is_first) same_line(gui, chip_gap);
        const Index value = field.low + Index(k);
        const bool is_shown = value == field.value;
        if (chip(gui, field.chips[k], {.selected = is_shown, .dimmed = !is_shown}).clicked)
            chosen = value;
    }
    return chosen;
}

std::optional<Index> type_number(Gui& gui, const ViewField& field, bool is_first) {
    if (!is_first) same_line(gui, field_gap);
    draw_words(gui, field.words);
    const auto typed = number_field(gui, field.name, static_cast<double>(field.value),
                                    {.low = static_cast<double>(field.low),
                                     .high = static_cast<double>(field.high),
                                     .whole = true});
    return typed ? std::optional(static_cast<Index>(*typed)) : std::nullopt;
}

// --- the pointer

// Chooses the spot under the pointer. While the pointer rests, keeps the spot that keys have
// chosen.
void point_at_spot(const Gui& gui, BenchState& bench, const Figure& figure,
                   const PlotPointer& pointer) {
    if (bench.spot_pointer == gui.now.pointer) return;
    bench.spot_pointer = gui.now.pointer;
    const bool over = pointer.inside && gui.now.pointer_inside;
    const Spot* spot = over ? spot_at(figure.spots, pointer.at) : nullptr;
    bench.spot = spot != nullptr ? std::optional(*spot) : std::nullopt;
}

// Returns the current place of the chosen spot; an empty list if none is chosen.
std::vector<Rect> chosen_part(const BenchState& bench) {
    for (const Spot& spot : bench.whole.spots)
        if (bench.spot && spot.kind == bench.spot->kind && spot.row == bench.spot->row &&
            spot.key == bench.spot->key)
            return {spot.rect};
    return {};
}

}  // namespace

bool shows_plots(const Session& session) {
    const ViewEntry* entry = shown_entry(session);
    return entry && !(entry->lay_out_above && has_view(session.shown().scene, entry->kind));
}

void draw_plot_tools(Gui& gui, Session& session) {
    const ViewEntry* entry = shown_entry(session);
    if (!entry->fields) return;
    const std::vector<ViewField> fields = entry->fields(session.shown(), session.view());
    if (fields.empty()) return;
    double width = 0;
    for (const ViewField& field : fields)
        width += width_of(gui, field) +
                 (&field != &fields.front() && field.chips.empty() ? points(gui, field_gap) : 0);
    go_right(gui, width);
    for (const ViewField& field : fields) {
        const bool is_first = &field == &fields.front();
        const auto value = field.chips.empty() ? type_number(gui, field, is_first)
                                               : choose_chip(gui, field, is_first);
        if (value) field.set(session.view(), *value);
    }
}

void use_view_pointer(const Gui& gui, Session& session, BenchState& bench, const Figure& figure,
                      PlotPointer pointer) {
    const ViewEntry* entry = shown_entry(session);
    if (!entry->use_pointer) return;
    if (!may_explore(session)) {
        session.view().hovered.reset();
        if (pointer.pressed) press_hidden(session, figure, pointer.at);
        return;
    }
    point_at_spot(gui, bench, figure, pointer);
    const Spot* under = pointer.pressed ? spot_at(figure.spots, pointer.at) : nullptr;
    if (under) bench.grabbed = *under;
    if (!gui.now.buttons[0]) bench.grabbed.reset();
    pointer.spot = bench.spot;
    pointer.grabbed = bench.grabbed;
    entry->use_pointer(session, figure, pointer);
}

void draw_plots(Gui& gui, Session& session, BenchState& bench) {
    const Rect room = begin_scrolled(gui, "plot", false);
    const Point at = scrolled_to(), origin{room.x, room.y};
    const bool over = ImGui::IsWindowHovered() && is_uppermost(gui);
    const auto lay_out_seen = [&] {
        bench.whole = lay_out_plots(gui, session, bench, room.w, room.h);
        bench.figure = scrolled(bench.whole, at, room.w, room.h);
    };
    lay_out_seen();
    use_view_pointer(gui, session, bench, bench.figure,
                     {.at = {gui.now.pointer.x - origin.x, gui.now.pointer.y - origin.y},
                      .inside = over,
                      .pressed = over && ImGui::IsMouseClicked(0)});
    lay_out_seen();
    bench.figure_at = origin;
    bench.laid_out.reset();
    if (std::exchange(bench.follows, false))
        scroll_to(place_to_see(bench.whole, chosen_part(bench), {at.x, at.y, room.w, room.h}));
    paint(gui, panel_list(), bench.figure, origin);
    const ViewEntry* entry = shown_entry(session);
    if (over && bench.spot && entry->explain && !gui.still_at)
        if (const std::string tip = entry->explain(session, *bench.spot); !tip.empty())
            tooltip_here(gui, tip);
    end_scrolled(room, bench.whole.width, bench.whole.height);
}

}  // namespace maskscope
