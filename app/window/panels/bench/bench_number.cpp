#include "app/window/panels/bench/bench_number.h"
#include "app/window/actions/actions.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/session/edits/bench_numbers.h"
#include "app/window/paint/painter.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

const char* const field_id = "number of a cell";
constexpr double field_width = 84, field_height = 32;  // points

const Heatmap* heatmap_of(const Figure& figure, const CellRef& cell) {
    const auto found = std::ranges::find_if(figure.heatmaps, [&](const Heatmap& map) {
        return map.lane == cell.lane && map.cells->stage == cell.stage && map.b == cell.b &&
               map.h == cell.h && cell.i < map.cells->rows && cell.j < map.cells->columns;
    });
    return found == figure.heatmaps.end() ? nullptr : &*found;
}

// Over the middle of its cell, and whole within the bench.
Rect field_rect(const App& app, const Heatmap& map, const CellRef& cell, Point origin) {
    const Heatmap seen = on_screen(map, origin);
    const Rect at = cell_rect(seen, cell.i, cell.j);
    const double w = std::max(points(app, field_width), at.w), h = points(app, field_height);
    const Rect& bench = app.panels.bench;
    const double x =
        std::clamp(at.x + at.w / 2 - w / 2, bench.x, std::max(bench.x, bench.right() - w));
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
            "\"{}\" stands in tensor files alone: type a finite number (1e39 is ∞ in float32)",
            text);
    return fmt::format("\"{}\" is no number, like −0.5 or 1e-3", text);
}

void begin(App& app, const Figure& figure, const CellRef& cell) {
    const Heatmap* map = heatmap_of(figure, cell);
    if (map == nullptr || !is_seen(*map, cell)) return;
    if (const auto why = why_not_typed(app.session, cell)) {
        app.ui.refusal = Ui::Refusal{cell, *why};
        app.session.say(*why, true);
        return;
    }
    app.ui.number = cell;
    edit_field(app, field_id,
               number_text(app.session.scene(), value_at(*map->cells, cell.i, cell.j)));
}

bool leads_on(int key) { return key == GLFW_KEY_TAB || key == GLFW_KEY_UP || key == GLFW_KEY_DOWN; }

// Where a key leads after it has committed: Tab to the next number of the row, the arrows up and
// down in its column.
std::optional<CellRef> led_to(const App& app, const Heatmap& map, CellRef cell) {
    Index down = 0, right = 0;
    for (const int key : app.now.pressed) {
        if (key == GLFW_KEY_TAB) right = (app.now.modifiers & GLFW_MOD_SHIFT) != 0 ? -1 : 1;
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

bool commit(App& app, const CellRef& cell, const std::string& text) {
    double x = 0;
    if (read_number(text, x)) return type_number(app.session, cell, x);
    app.session.say(why_no_number(text), true);
    return false;
}

// The cell cursor stays with what is typed.
void move_cursor_to(App& app, const CellRef& cell) {
    if (is_tensor_lane(cell.lane))
        app.ui.tensor_cursor = cell;
    else
        app.session.view().show.focus = Cell{cell.i, cell.j};
}

void draw_field(App& app, const Heatmap& map, const CellRef& cell, Point origin) {
    const Rect rect = field_rect(app, map, cell, origin);
    const ImVec2 before = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({static_cast<float>(rect.x), static_cast<float>(rect.y)});
    const auto next = led_to(app, map, cell);
    if (std::erase_if(app.now.pressed, leads_on) > 0) app.ui.editing->leave = true;
    const auto typed = text_field(app, field_id, "", {.width = rect.w / app.ui_scale});
    ImGui::SetCursorScreenPos(before);
    if (edited_text(app, field_id)) return;
    app.ui.number.reset();
    move_cursor_to(app, cell);
    if (typed && !commit(app, cell, *typed)) return;
    if (next) app.ui.number_asked = next;
}

void tell_refusal(App& app) {
    if (!app.ui.refusal) return;
    if (app.session.view().hovered == app.ui.refusal->cell)
        tooltip_here(app, app.ui.refusal->why);
    else
        app.ui.refusal.reset();
}

}  // namespace

bool is_over_number_field(const App& app, const Figure& figure, Point origin) {
    if (!app.ui.number || !edited_text(app, field_id)) return false;
    const Heatmap* map = heatmap_of(figure, *app.ui.number);
    return map != nullptr &&
           field_rect(app, *map, *app.ui.number, origin).contains(app.now.pointer);
}

void draw_number_field(App& app, const Figure& figure, Point origin) {
    if (app.ui.number) {
        const CellRef cell = *app.ui.number;
        const Heatmap* map = heatmap_of(figure, cell);
        if (map == nullptr || !is_seen(*map, cell) || !edited_text(app, field_id))
            app.ui.number.reset();
        else
            draw_field(app, *map, cell, origin);
    }
    if (const auto asked = std::exchange(app.ui.number_asked, std::nullopt))
        begin(app, figure, *asked);
    tell_refusal(app);
}

}  // namespace maskscope
