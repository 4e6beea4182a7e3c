// Draws the inspector: how the weight of one cell is computed, variant by variant; its row as bars;
// and the statistics of the row.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/show/arithmetic/arithmetic.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/words.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

// The inspected cell: the one under the pointer, otherwise the pinned one.
struct InspectedCell {
    Index b = 0, h = 0;
    Cell cell;
    bool pinned = false;
};

std::optional<InspectedCell> inspected(const Session& session) {
    const View& view = session.view();
    const auto& focus = view.show.focus;
    const auto& hovered = view.hovered;
    if (hovered && hovered->stage != StageKind::output) {
        const Cell cell{hovered->i, hovered->j};
        return InspectedCell{hovered->b, hovered->h, cell, focus == cell};
    }
    if (!focus) return std::nullopt;
    const Shape shape = shape_of(session.shown().scene);
    const auto [b, h] = place_of_focus(view, shape);
    return InspectedCell{b, h, *focus, true};
}

Text scaled_text(const Gui& gui, Point at, const std::string& text, TextStyle style, Role role) {
    return {.at = at, .text = text, .style = scaled(gui, style), .role = role};
}

// Reserves space for something that is drawn by coordinates. Returns its rectangle, and moves the
// cursor below it.
Rect take_row(const Gui& gui, double height) {
    const Rect rect = row_at_cursor(gui, height);
    take_room(rect.w, rect.h);
    return rect;
}

// Draws the title: "name attends to My".
void draw_title(Gui& gui, const Arithmetic& arithmetic) {
    const Rect row = take_row(gui, 30);
    const double middle = row.y + row.h / 2;
    double x = row.x;
    const auto piece = [&](const std::string& text, TextStyle style, Role role, double share) {
        Text drawn = scaled_text(gui, {x, middle}, text, style, role);
        drawn.max_width = share * row.w;
        draw_text(gui, drawn);
        x += std::min(measure(text, drawn.style).width, drawn.max_width) + points(gui, 6);
    };
    const TextStyle strong{.size = 17, .weight = Weight::bold};
    piece(arithmetic.query, strong, Role::ink, 0.36);
    const std::string attends = "attends to";
    const bool fits = measure(attends, {.size = 14 * gui.scale}).width <= 0.28 * row.w;
    piece(fits ? attends : "→", {.size = 14}, Role::dim, 0.28);
    piece(arithmetic.key, strong, Role::ink, 0.36);
}

// --- the arithmetic

void draw_line(Gui& gui, const ArithmeticLine& line) {
    const Rect row = take_row(gui, 20);
    tooltip_beside(gui, explanation(std::string(line.term)));
    const double middle = row.y + row.h / 2;
    const TextStyle plain{.size = 12.5, .mono = true};
    TextStyle result_style = plain;
    if (line.strong) result_style.weight = Weight::bold;
    Text result = scaled_text(gui, {row.right(), middle}, line.result, result_style, Role::ink);
    result.anchor = Anchor::right;
    draw_text(gui, result);
    Text operation = scaled_text(gui, {row.x, middle}, line.operation, plain, Role::dim);
    operation.max_width =
        std::max(1.0, row.w - measure(line.result, result.style).width - points(gui, 8));
    draw_text(gui, operation);
}

void draw_chain(Gui& gui, const std::vector<ArithmeticLine>& lines) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (const ArithmeticLine& line : lines) draw_line(gui, line);
    ImGui::PopStyleVar();
}

// --- the row as bars

constexpr double bar_left = 58, bar_thickness = 7, bar_step = 9;  // points
constexpr double word_step = 15;  // from bar to bar if a word follows one

// Returns the word after a key's bar: "NaN" (which has no bar), "leaks", or "" if there is none.
std::string word_of(const KeyShare& share) {
    if (std::isnan(share.weight)) return "NaN";
    return share.leaks ? "leaks" : "";
}

// Draws one variant's bar in its colour, followed by a word for a leak or NaN.
void draw_bar(Gui& gui, const Rect& area, double y, int variant, const KeyShare& share,
              double longest) {
    const double full = area.w - points(gui, 44);  // the rest is for a word after the longest bar
    const double length =
        std::isfinite(share.weight) ? std::clamp(share.weight / longest, 0.0, 1.0) * full : 0;
    const Rect bar{area.x, y, length, points(gui, bar_thickness)};
    if (length > 0) draw_box(gui, {.rect = bar, .filled = true, .fill = variant_role(variant)});
    const std::string word = word_of(share);
    if (word.empty()) return;
    draw_text(gui, scaled_text(gui, {bar.right() + points(gui, 6), y + bar.h / 2}, word,
                               {.size = 12, .weight = Weight::semibold}, Role::wrong));
}

void draw_key(Gui& gui, const Arithmetic& arithmetic, const KeyBars& bars, double longest) {
    const auto has_word = [](const KeyShare& share) { return !word_of(share).empty(); };
    const bool wide = bars.shares.size() > 1 && std::ranges::any_of(bars.shares, has_word);
    const double step = wide ? word_step : bar_step;
    const double room = std::max(1.0, double(bars.shares.size())) * step;
    const Rect row = take_row(gui, std::max(25.0, room + 8));
    if (std::ranges::any_of(bars.shares, &KeyShare::leaks))
        tooltip_beside(gui, explanation("leak"));
    const double left = row.x + points(gui, bar_left), middle = row.y + row.h / 2;
    Text key = scaled_text(gui, {left - points(gui, 8), middle}, bars.key,
                           {.size = 12, .weight = bars.focused ? Weight::bold : Weight::regular},
                           bars.focused ? Role::ink : Role::dim);
    key.anchor = Anchor::right;
    key.max_width = points(gui, bar_left - 8);
    draw_text(gui, key);
    draw_box(gui, {.rect = {left, row.y + points(gui, 2), std::max(1.0, points(gui, 1)),
                            row.h - points(gui, 4)},
                   .filled = true,
                   .fill = Role::hatch});
    const Rect area{left + points(gui, 3), row.y, row.right() - left - points(gui, 3), row.h};
    if (bars.is_blocked()) {
        draw_text(gui, scaled_text(gui, {area.x + points(gui, 5), middle}, "blocked", {.size = 12},
                                   Role::dim));
        return;
    }
    double y = middle - points(gui, room - (step - bar_thickness)) / 2;
    for (std::size_t k = 0; k < bars.shares.size(); ++k, y += points(gui, step))
        draw_bar(gui, area, y, arithmetic.variants[k].index, bars.shares[k], longest);
}

void draw_bars(Gui& gui, const Arithmetic& arithmetic) {
    const auto& [keys, more, longest] = arithmetic.bars;
    heading(gui, fmt::format("The row of “{}”", arithmetic.query),
            longest < 1 ? "longest bar " + exact_text(longest) : "");
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (const KeyBars& key : keys) draw_key(gui, arithmetic, key, longest);
    if (more > 0)
        label(gui, fmt::format("and {} more {}", more, more == 1 ? "key" : "keys"),
              {.style = {.size = 12}, .role = Role::dim});
    ImGui::PopStyleVar();
}

// --- the statistics of the row

// Returns the width of a variant's numbers, in points; less from three variants on, so that names
// fit on their lines.
double numbers_width(std::size_t variants) { return variants < 3 ? 56 : 46; }

double column_right(const Gui& gui, const Rect& row, std::size_t variants, std::size_t k) {
    return row.right() -
           static_cast<double>(variants - 1 - k) * points(gui, numbers_width(variants));
}

void draw_figure_line(Gui& gui, const RowLine& line) {
    const std::size_t variants = line.numbers.size();
    // With many variants, numbers are below the name.
    const double columns = double(variants) * numbers_width(variants);
    const bool above = room_width() - points(gui, columns) < points(gui, 80);
    const Rect row = take_row(gui, above ? 42 : 24);
    tooltip_beside(gui, explanation(line.name));
    const double first = row.y + points(gui, 12), second = above ? row.y + points(gui, 32) : first;
    double left = row.right();
    for (std::size_t k = 0; k < variants; ++k) {
        const double right = column_right(gui, row, variants, k);
        Text number = scaled_text(gui, {right, second}, line.numbers[k].text,
                                  {.size = 12.5, .mono = true}, line.numbers[k].role);
        number.anchor = Anchor::right;
        draw_text(gui, number);
        if (!above) left = std::min(left, right - measure(number.text, number.style).width);
    }
    Text name = scaled_text(gui, {row.x, first}, line.name, {}, Role::dim);
    name.max_width = std::max(1.0, left - row.x - points(gui, 6));
    draw_text(gui, name);
}

void draw_figures(Gui& gui, const Arithmetic& arithmetic) {
    const Rect row = row_at_cursor(gui, 20);
    draw_text(gui, scaled_text(gui, {row.x, row.y + row.h / 2}, "This row",
                               {.weight = Weight::semibold}, Role::dim));
    for (std::size_t k = 0; k < arithmetic.variants.size(); ++k) {
        const double right = column_right(gui, row, arithmetic.variants.size(), k);
        set_cursor(right - points(gui, 20), row.y);
        variant_letter_chip(gui, arithmetic.variants[k].index);
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    gap(gui, 4);
    for (const RowLine& line : arithmetic.figures) draw_figure_line(gui, line);
    ImGui::PopStyleVar();
}

// Draws a button for each variant that copies it as a script, for example to paste it into a
// notebook.
void draw_pytorch_button(Gui& gui, Session& session, const Arithmetic& arithmetic) {
    for (const VariantArithmetic& variant : arithmetic.variants) {
        const std::string letter(1, variant_letter(variant.index));
        const std::string text = arithmetic.variants.size() == 1
                                     ? "Copy as PyTorch"
                                     : fmt::format("Copy {} as PyTorch", letter);
        const std::string tip =
            "Copy this variant as a standalone script that checks these weights. On the command "
            "line: maskscope pytorch.";
        const bool pressed = button(gui, fmt::format("{}##pytorch{}", text, letter),
                                    {.outlined = true, .width = -1});
        tooltip_beside(gui, tip);
        if (pressed) copy_as_pytorch(gui, session, variant.index);
    }
}

void draw_cell(Gui& gui, Session& session) {
    const Result& shown = session.shown();
    const auto cell = inspected(session);
    Arithmetic arithmetic;  // empty if an edit removed the pinned cell
    if (cell)
        arithmetic = make_arithmetic(shown, shown_variants(session.view(), shown.scene), cell->b,
                                     cell->h, cell->cell);
    if (arithmetic.variants.empty()) {
        heading(gui, "Inspector");
        const bool cells = shown_entry(session) == nullptr;
        paragraph(gui,
                  cells ? "Hover over a cell to see how its weight is computed. Click to pin it."
                        : "Pin a cell in the Pipeline view to see how its weight is computed.",
                  {.role = Role::dim});
        return;
    }
    const std::string head =
        shape_of(shown.scene).h > 1 ? fmt::format("head {} · ", cell->h + 1) : "";
    heading(gui, "Inspector", head + (cell->pinned ? "pinned" : "following"));
    draw_title(gui, arithmetic);
    draw_chain(gui, arithmetic.shared);
    for (const VariantArithmetic& variant : arithmetic.variants) {
        gap(gui, 2);
        variant_letter_chip(gui, variant.index);
        draw_chain(gui, variant.lines);
    }
    gap(gui, 10);
    draw_bars(gui, arithmetic);
    gap(gui, 2);
    draw_figures(gui, arithmetic);
    gap(gui, 10);
    draw_pytorch_button(gui, session, arithmetic);
}

}  // namespace

void draw_inspector(Gui& gui, Session& session, const Rect& rect) {
    if (rect.w <= 0 || rect.h <= 0) return;
    begin_panel(gui, "inspector", rect);
    draw_edge(gui, rect, Edge::left);
    if (!may_explore(session)) {
        heading(gui, "Inspector", "covered");
        paragraph(gui, "Answer the question to see the numbers.", {.role = Role::dim});
    } else if (!session.opening()) {
        draw_cell(gui, session);
    }
    end_panel();
}

}  // namespace maskscope
