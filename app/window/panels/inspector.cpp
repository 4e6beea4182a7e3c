// The inspector: how the weight of one cell came about, line after line and lane by lane; the row
// as bars; the figures of the row.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/figure/style/labels.h"
#include "app/pytorch/script.h"
#include "app/show/arithmetic/arithmetic.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/words.h"

namespace maskscope {

namespace {

constexpr std::size_t most_bars = 24;  // of a longer row the largest are drawn

// The cell that is inspected: the one that is pointed at, else the one that is pinned.
struct Inspected {
    Index b = 0, h = 0;
    Cell cell;
    bool pinned = false;
};

std::optional<Inspected> inspected(const Session& session) {
    const View& view = session.view();
    const auto& focus = view.show.focus;
    const auto& hovered = view.hovered;
    if (hovered && hovered->stage != StageKind::output) {
        const Cell cell{hovered->i, hovered->j};
        return Inspected{hovered->b, hovered->h, cell, focus == cell};
    }
    if (!focus) return std::nullopt;
    const Shape shape = shape_of(session.shown().scene);
    return Inspected{shown_sequences(view, shape).front(), shown_heads(view, shape).front(), *focus,
                     true};
}

Text scaled_text(const App& app, Point at, const std::string& text, TextStyle style, Role role) {
    style.size *= app.ui_scale;
    return {.at = at, .text = text, .style = style, .role = role};
}

// Room for something that is drawn by hand: its rectangle, and the cursor below it.
Rect take_row(const App& app, double height) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect rect{at.x, at.y, std::max(1.0, room_width()), points(app, height)};
    ImGui::Dummy({static_cast<float>(rect.w), static_cast<float>(rect.h)});
    return rect;
}

// "name looks at My"
void draw_title(App& app, const Arithmetic& arithmetic) {
    const Rect row = take_row(app, 30);
    const double middle = row.y + row.h / 2;
    double x = row.x;
    const auto piece = [&](const std::string& text, TextStyle style, Role role, double share) {
        Text drawn = scaled_text(app, {x, middle}, text, style, role);
        drawn.max_width = share * row.w;
        draw_text(app, drawn);
        x += std::min(measure(text, drawn.style).width, drawn.max_width) + points(app, 6);
    };
    const TextStyle strong{.size = 17, .weight = Weight::bold};
    piece(arithmetic.query, strong, Role::ink, 0.36);
    piece("looks at", {.size = 14}, Role::dim, 0.25);
    piece(arithmetic.key, strong, Role::ink, 0.36);
}

// --- the arithmetic

void draw_line(App& app, const ArithmeticLine& line) {
    const Rect row = take_row(app, 20);
    tooltip(app, explanation(std::string(line.term)));
    const double middle = row.y + row.h / 2;
    const TextStyle plain{.size = 12.5, .mono = true};
    TextStyle result_style = plain;
    if (line.strong) result_style.weight = Weight::bold;
    Text result = scaled_text(app, {row.right(), middle}, line.result, result_style, Role::ink);
    result.anchor = Anchor::right;
    draw_text(app, result);
    Text operation = scaled_text(app, {row.x, middle}, line.operation, plain, Role::dim);
    operation.max_width =
        std::max(1.0, row.w - measure(line.result, result.style).width - points(app, 8));
    draw_text(app, operation);
}

void draw_chain(App& app, const std::vector<ArithmeticLine>& lines) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (const ArithmeticLine& line : lines) draw_line(app, line);
    ImGui::PopStyleVar();
}

void draw_chains(App& app, const Arithmetic& arithmetic) {
    draw_chain(app, arithmetic.shared);
    for (const LaneArithmetic& lane : arithmetic.lanes) {
        gap(app, 2);
        lane_letter_chip(app, lane.lane);
        draw_chain(app, lane.lines);
    }
}

// --- the row as bars

// All keys of a short row; of a long one the largest weights and the cell's own key, in order.
std::vector<std::size_t> drawn_keys(const std::vector<KeyBars>& bars) {
    std::vector<std::size_t> keys(bars.size());
    std::iota(keys.begin(), keys.end(), std::size_t{0});
    if (keys.size() <= most_bars) return keys;
    const auto rank = [&](std::size_t j) {
        double largest = bars[j].focused ? 2 : 0;
        for (const KeyShare& share : bars[j].shares)
            if (share.weight > largest) largest = share.weight;
        return largest;
    };
    const auto middle = keys.begin() + most_bars;
    std::partial_sort(keys.begin(), middle, keys.end(), [&](std::size_t x, std::size_t y) {
        return rank(x) > rank(y) || (rank(x) == rank(y) && x < y);
    });
    keys.erase(middle, keys.end());
    std::sort(keys.begin(), keys.end());
    return keys;
}

constexpr double bar_left = 58, bar_thickness = 7, bar_step = 9;  // points
constexpr double word_step = 15;  // from bar to bar where a word stands behind one

// What a bar cannot say.
std::string word_of(const KeyShare& share) {
    if (std::isnan(share.weight)) return "NaN";
    return share.leaks ? "leaks" : "";
}

double step_of(const KeyBars& bars) {
    const bool has_word =
        std::any_of(bars.shares.begin(), bars.shares.end(),
                    [](const KeyShare& share) { return !word_of(share).empty(); });
    return has_word && bars.shares.size() > 1 ? word_step : bar_step;
}

// One lane's bar: its colour by the lane, a leak and NaN in words.
void draw_bar(App& app, const Rect& area, double y, int lane, const KeyShare& share) {
    const double full = area.w - points(app, 44);  // room for a word behind the bar of weight 1
    const double length =
        std::isfinite(share.weight) ? std::clamp(share.weight, 0.0, 1.0) * full : 0;
    const Rect bar{area.x, y, length, points(app, bar_thickness)};
    if (length > 0) draw_box(app, {.rect = bar, .filled = true, .fill = lane_role(lane)});
    const std::string word = word_of(share);
    if (word.empty()) return;
    draw_text(app, scaled_text(app, {bar.right() + points(app, 6), y + bar.h / 2}, word,
                               {.size = 12, .weight = Weight::semibold}, Role::wrong));
}

void draw_key(App& app, const Arithmetic& arithmetic, const KeyBars& bars) {
    const double lanes = static_cast<double>(std::max<std::size_t>(1, bars.shares.size()));
    const double step = step_of(bars), room = lanes * step;
    const Rect row = take_row(app, std::max(25.0, room + 8));
    const auto leaks = [](const KeyShare& share) { return share.leaks; };
    if (std::any_of(bars.shares.begin(), bars.shares.end(), leaks))
        tooltip(app, explanation("leak"));
    const double left = row.x + points(app, bar_left), middle = row.y + row.h / 2;
    Text key = scaled_text(app, {left - points(app, 8), middle}, bars.key,
                           {.size = 12, .weight = bars.focused ? Weight::bold : Weight::regular},
                           bars.focused ? Role::ink : Role::dim);
    key.anchor = Anchor::right;
    key.max_width = points(app, bar_left - 8);
    draw_text(app, key);
    draw_box(app, {.rect = {left, row.y + points(app, 2), std::max(1.0, points(app, 1)),
                            row.h - points(app, 4)},
                   .filled = true,
                   .fill = Role::hatch});
    const Rect area{left + points(app, 3), row.y, row.right() - left - points(app, 3), row.h};
    if (bars.is_blocked()) {
        draw_text(app, scaled_text(app, {area.x + points(app, 5), middle}, "blocked", {.size = 12},
                                   Role::dim));
        return;
    }
    double y = middle - points(app, room - (step - bar_thickness)) / 2;
    for (std::size_t k = 0; k < bars.shares.size(); ++k, y += points(app, step))
        draw_bar(app, area, y, arithmetic.lanes[k].lane, bars.shares[k]);
}

void draw_bars(App& app, const Arithmetic& arithmetic) {
    heading(app, fmt::format("The row of “{}”", arithmetic.query));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const std::vector<std::size_t> keys = drawn_keys(arithmetic.bars);
    for (const std::size_t j : keys) draw_key(app, arithmetic, arithmetic.bars[j]);
    if (keys.size() < arithmetic.bars.size())
        label(app, fmt::format("and {} more keys", arithmetic.bars.size() - keys.size()),
              {.style = {.size = 12}, .role = Role::dim});
    ImGui::PopStyleVar();
}

// --- the figures of the row

constexpr double column = 56;  // points, a lane's numbers

// With many lanes the numbers stand under the name.
bool names_stand_above(const App& app, std::size_t lanes) {
    return room_width() - static_cast<double>(lanes) * points(app, column) < points(app, 110);
}

double column_right(const App& app, const Rect& row, std::size_t lanes, std::size_t k) {
    return row.right() - static_cast<double>(lanes - 1 - k) * points(app, column);
}

void draw_letters(App& app, const Arithmetic& arithmetic) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect row{at.x, at.y, room_width(), points(app, 20)};
    draw_text(app, scaled_text(app, {row.x, row.y + row.h / 2}, "This row",
                               {.weight = Weight::semibold}, Role::dim));
    for (std::size_t k = 0; k < arithmetic.lanes.size(); ++k) {
        const double right = column_right(app, row, arithmetic.lanes.size(), k);
        ImGui::SetCursorScreenPos({static_cast<float>(right - points(app, 20)), at.y});
        lane_letter_chip(app, arithmetic.lanes[k].lane);
    }
}

void draw_figure_line(App& app, const RowLine& line) {
    const std::size_t lanes = line.numbers.size();
    const bool above = names_stand_above(app, lanes);
    const Rect row = take_row(app, above ? 42 : 24);
    tooltip(app, explanation(line.name));
    const double first = row.y + points(app, 12), second = above ? row.y + points(app, 32) : first;
    double left = row.right();
    for (std::size_t k = 0; k < lanes; ++k) {
        const double right = column_right(app, row, lanes, k);
        Text number = scaled_text(app, {right, second}, line.numbers[k].text,
                                  {.size = 12.5, .mono = true}, line.numbers[k].role);
        number.anchor = Anchor::right;
        draw_text(app, number);
        if (!above) left = std::min(left, right - measure(number.text, number.style).width);
    }
    Text name = scaled_text(app, {row.x, first}, line.name, {}, Role::dim);
    name.max_width = std::max(1.0, left - row.x - points(app, 6));
    draw_text(app, name);
}

void draw_figures(App& app, const Arithmetic& arithmetic) {
    draw_letters(app, arithmetic);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    gap(app, 4);
    for (const RowLine& line : arithmetic.figures) draw_figure_line(app, line);
    ImGui::PopStyleVar();
}

// The script goes to the clipboard: a lecturer pastes it into a notebook.
void draw_pytorch_button(App& app, const Arithmetic& arithmetic) {
    for (const LaneArithmetic& lane : arithmetic.lanes) {
        const std::string letter(1, lane_letter(lane.lane));
        const std::string text =
            arithmetic.lanes.size() == 1 ? "As PyTorch" : fmt::format("{} as PyTorch", letter);
        const std::string tip =
            "Copies the variant as a script that runs on its own and asserts these weights; "
            "`maskscope pytorch` writes the same.";
        if (button(app, text + "##pytorch" + letter, {.outlined = true, .width = -1, .tip = tip})) {
            app.write_clipboard(pytorch_script(app.session.shown(), lane.lane));
            app.session.say(
                fmt::format("Variant {} stands on the clipboard as a PyTorch script.", letter));
        }
    }
}

void draw_cell(App& app) {
    const Session& session = app.session;
    const Result& shown = session.shown();
    const auto cell = inspected(session);
    Arithmetic arithmetic;  // empty too where an edit took the pinned cell away
    if (cell)
        arithmetic = make_arithmetic(shown, shown_lanes(session.view(), shown.scene), cell->b,
                                     cell->h, cell->cell);
    if (arithmetic.lanes.empty()) {
        heading(app, "Inspector");
        paragraph(app, "Point at a cell to see how its weight came about; click to pin it.",
                  {.role = Role::dim});
        return;
    }
    heading(app, "Inspector", cell->pinned ? "pinned" : "following");
    draw_title(app, arithmetic);
    draw_chains(app, arithmetic);
    gap(app, 10);
    draw_bars(app, arithmetic);
    gap(app, 2);
    draw_figures(app, arithmetic);
    gap(app, 10);
    draw_pytorch_button(app, arithmetic);
}

}  // namespace

void draw_inspector(App& app) {
    const Rect& rect = app.panels.inspector;
    if (rect.w <= 0 || rect.h <= 0) return;
    begin_panel(app, "inspector", rect);
    draw_edge(app, rect, Edge::left);
    if (app.session.covered()) {
        heading(app, "Inspector", "covered");
        paragraph(app, "The numbers come with the answer.", {.role = Role::dim});
    } else {
        draw_cell(app);
    }
    end_panel();
}

}  // namespace maskscope
