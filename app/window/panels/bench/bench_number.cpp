#include "app/window/actions/actions.h"
#include "app/window/panels/bench/bench_parts.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/scroll.h"
#include "app/session/edits/bench_input.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

const char* const field_id = "number of a cell";
constexpr double field_width = 84, field_height = 32;  // points

const Heatmap* heatmap_of(const Figure& figure, const CellRef& cell) {
    const auto found = std::ranges::find_if(figure.heatmaps, [&](const Heatmap& map) {
        return map.variant == cell.variant && map.cells->stage == cell.stage && map.b == cell.b &&
               map.h == cell.h && cell.i < map.cells->rows && cell.j < map.cells->columns;
    });
    return found == figure.heatmaps.end() ? nullptr : &*found;
}

// Returns the place of the field: centred on its cell, but moved sideways if necessary, so that it
// stays within the bench and does not cover the row's label.
Rect field_rect(const Gui& gui, const BenchState& bench, const Rect& room, const Heatmap& map,
                const CellRef& cell) {
    const Heatmap seen = on_screen(map, bench.figure_at);
    const Rect at = cell_rect(seen, cell.i, cell.j);
    const double w = std::max(points(gui, field_width), at.w), h = points(gui, field_height);
    const double left = std::max(seen.rect.x, room.x);
    const double x = std::clamp(at.x + at.w / 2 - w / 2, left, std::max(left, room.right() - w));
    return {std::round(x), std::round(at.y + at.h / 2 - h / 2), w, h};
}

bool is_seen(const Heatmap& map, const CellRef& cell) {
    const Rect at = cell_rect(map, cell.i, cell.j);
    return map.rect.contains({at.x + at.w / 2, at.y + at.h / 2});
}

bool is_word(std::string text, std::initializer_list<const char*> words) {
    std::erase_if(text, [](char letter) { return letter == ' '; });
    return std::ranges::any_of(words, [&](const char* word) { return text == word; });
}

std::string why_no_number(const std::string& text) {
    const bool infinite = is_word(text, {"inf", "+inf", "-inf", "−inf", "∞", "+∞", "-∞", "−∞"});
    if (infinite || is_word(text, {"nan", "NaN", "NAN"}))
        return fmt::format(
            "\"{}\" can only come from a tensor file. Type a finite number (1e39 becomes ∞ in "
            "float32)",
            text);
    return not_a_number_message(text);
}

// Scrolls until the cell is visible, and asks for its number again. Does nothing if that is not
// possible.
void scroll_to_number(BenchState& bench, const CellRef& cell) {
    const Heatmap* map = heatmap_of(bench.whole, cell);
    if (map == nullptr || !bench.seen) return;
    const Point at = place_to_see(bench.whole, {cell_rect(*map, cell.i, cell.j)}, *bench.seen);
    if (std::abs(at.x - bench.seen->x) + std::abs(at.y - bench.seen->y) < 1) return;
    scroll_to(at);
    bench.number_asked = cell;
}

void begin(Gui& gui, Session& session, BenchState& bench, const CellRef& cell) {
    const Heatmap* map = heatmap_of(bench.figure, cell);
    if (map == nullptr || !is_seen(*map, cell)) return scroll_to_number(bench, cell);
    if (const auto why = why_not_typed(session, cell)) {
        bench.refusal = BenchState::Refusal{cell, *why};
        session.say(*why, true);
        return;
    }
    bench.number = cell;
    edit_field(gui, field_id, number_text(session.scene(), value_at(*map->cells, cell.i, cell.j)));
}

bool leads_on(int key) { return key == GLFW_KEY_TAB || key == GLFW_KEY_UP || key == GLFW_KEY_DOWN; }

// Returns the cell to which a key leads after committing: Tab to the next number of the row, Up and
// Down along the column.
std::optional<CellRef> led_to(const Gui& gui, const Heatmap& map, CellRef cell) {
    Index down = 0, right = 0;
    for (const int key : gui.now.pressed) {
        if (key == GLFW_KEY_TAB) right = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0 ? -1 : 1;
        if (key == GLFW_KEY_UP) down = -1;
        if (key == GLFW_KEY_DOWN) down = 1;
    }
    cell.i += down;
    cell.j += right;
    const bool inside =
        cell.i >= 0 && cell.j >= 0 && cell.i < map.cells->rows && cell.j < map.cells->columns;
    if ((down == 0 && right == 0) || !inside) return std::nullopt;
    return cell;
}

bool commit(Session& session, const CellRef& cell, const std::string& text) {
    double x = 0;
    if (read_number(text, x)) return type_number(session, cell, x);
    session.say(why_no_number(text), true);
    return false;
}

// Moves the cell cursor to the number that is being typed.
void move_cursor_to(Session& session, BenchState& bench, const CellRef& cell) {
    if (is_tensor_variant(cell.variant)) {
        bench.tensor_cursor = cell;
    } else {
        session.view().show.focus = Cell{cell.i, cell.j};
        session.view().pinned = cell;
    }
}

void draw_field(Gui& gui, Session& session, BenchState& bench, const Rect& room, const Heatmap& map,
                const CellRef& cell) {
    const Rect rect = field_rect(gui, bench, room, map, cell);
    const ImVec2 before = ImGui::GetCursorScreenPos();
    set_cursor(rect.x, rect.y);
    const auto next = led_to(gui, map, cell);
    if (std::erase_if(gui.now.pressed, leads_on) > 0) gui.editing->leave = true;
    const auto typed = text_field(gui, field_id, "", {.width = rect.w / gui.scale});
    ImGui::SetCursorScreenPos(before);
    if (edited_text(gui, field_id)) return;
    move_cursor_to(session, bench, cell);
    if (typed && !commit(session, cell, *typed)) return;  // the field stays open, with the reason
    bench.number.reset();
    if (next) bench.number_asked = next;
}

void tell_refusal(Gui& gui, const Session& session, BenchState& bench) {
    if (!bench.refusal) return;
    if (session.view().hovered == bench.refusal->cell)
        tooltip_here(gui, bench.refusal->why);
    else
        bench.refusal.reset();
}

}  // namespace

bool is_over_number_field(const Gui& gui, const BenchState& bench, const Rect& room) {
    if (!bench.number || !edited_text(gui, field_id)) return false;
    const Heatmap* map = heatmap_of(bench.figure, *bench.number);
    return map != nullptr &&
           field_rect(gui, bench, room, *map, *bench.number).contains(gui.now.pointer);
}

void draw_number_field(Gui& gui, Session& session, BenchState& bench, const Rect& room) {
    if (bench.number) {
        const CellRef cell = *bench.number;
        const Heatmap* map = heatmap_of(bench.figure, cell);
        if (map == nullptr || !is_seen(*map, cell) || !edited_text(gui, field_id))
            bench.number.reset();
        else
            draw_field(gui, session, bench, room, *map, cell);
    }
    if (const auto asked = std::exchange(bench.number_asked, std::nullopt))
        begin(gui, session, bench, *asked);
    tell_refusal(gui, session, bench);
}

}  // namespace maskscope
