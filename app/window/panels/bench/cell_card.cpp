// Draws the card beside a cell that was clicked, or that has the cell cursor: its arithmetic for
// each variant, with a line for each operation. The card does not show what a step hides.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/show/arithmetic/arithmetic.h"
#include "app/style/labels.h"
#include "app/window/panels/bench/bench_parts.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Lengths in points.
constexpr double card_width = 286, card_padding = 14, card_line = 21, card_title = 28,
                 before_variant = 6;

struct CardLine {
    std::string operation, result;
    std::string_view term{};
    std::optional<int> weight_of{};  // the variant whose weight the line shows
    bool begins_variant = false;
};

struct Card {
    std::string query, key;
    std::vector<CardLine> lines;
};

bool hides_any(const View& view, std::optional<int> variant) {
    using enum StageKind;
    return std::ranges::any_of(
        std::initializer_list<StageKind>{scores, scaled, logits, softmax, weights},
        [&](StageKind stage) { return view.hides(stage, variant); });
}

void add_variant(Card& card, const VariantArithmetic& variant, const View& view) {
    const std::string name = fmt::format("weight in {}", variant_letter(variant.index));
    if (hides_any(view, variant.index)) {
        card.lines.push_back({name, "?", "weight", variant.index, true});
        return;
    }
    bool begins = true;
    for (const ArithmeticLine& line : variant.lines) {
        card.lines.push_back({line.operation, line.result, line.term, std::nullopt, begins});
        begins = false;
    }
    if (variant.lines.empty()) return;
    CardLine& last = card.lines.back();
    last.weight_of = variant.index;
    last.operation += "  " + name;
}

std::optional<Card> card_of(const Session& session) {
    const View& view = session.view();
    const Result& shown = session.shown();
    if (!view.pinned || view.show.focus != Cell{view.pinned->i, view.pinned->j})
        return std::nullopt;
    if (shown.variants.empty() || is_tensor_variant(view.pinned->variant)) return std::nullopt;
    const auto [b, h] = place_of_focus(view, shape_of(shown.scene));
    const Arithmetic arithmetic =
        make_arithmetic(shown, shown_variants(view, shown.scene), b, h, *view.show.focus);
    if (arithmetic.variants.empty()) return std::nullopt;
    Card card{arithmetic.query, arithmetic.key, {}};
    if (hides_any(view, std::nullopt)) return std::nullopt;  // the shared lines are hidden
    for (const ArithmeticLine& line : arithmetic.shared)
        card.lines.push_back({line.operation, line.result, line.term});
    for (const VariantArithmetic& variant : arithmetic.variants) add_variant(card, variant, view);
    return card;
}

double height_of(const Gui& gui, const Card& card) {
    double height = 2 * card_padding + card_title;
    for (const CardLine& line : card.lines)
        height += card_line + (line.begins_variant ? before_variant : 0);
    return std::round(points(gui, height));
}

}  // namespace

std::optional<Rect> pinned_on_screen(const Session& session, const BenchState& bench) {
    if (!session.view().pinned) return std::nullopt;
    const CellRef& pinned = *session.view().pinned;
    const Heatmap* found = nullptr;
    for (const Heatmap& map : bench.figure.heatmaps) {
        const bool same = map.variant == pinned.variant && map.cells->stage == pinned.stage;
        const bool has_cell = pinned.i < map.cells->rows && pinned.j < map.cells->columns &&
                              map.cells->stage != StageKind::output;
        if (has_cell && (same || found == nullptr)) found = &map;
        if (has_cell && same) break;
    }
    if (found == nullptr) return std::nullopt;
    Rect cell = cell_rect(*found, pinned.i, pinned.j);
    if (!found->rect.contains({cell.x + cell.w / 2, cell.y + cell.h / 2})) return std::nullopt;
    cell.x += bench.figure_at.x;
    cell.y += bench.figure_at.y;
    return cell;
}

namespace {

double right_end(const Figure& figure) {
    double right = 0;
    for (const Heatmap& map : figure.heatmaps) right = std::max(right, map.rect.right());
    for (const Text& text : figure.texts) right = std::max(right, text_rect(text).right());
    for (const SumBar& bar : figure.sums) right = std::max(right, bar.rect.right());
    return right;
}

double shared_area(const Rect& x, const Rect& y) {
    const double w = std::min(x.right(), y.right()) - std::max(x.x, y.x);
    const double h = std::min(x.bottom(), y.bottom()) - std::max(x.y, y.y);
    return w > 0 && h > 0 ? w * h : 0;
}

// Returns the parts of the screen that the card should not hide: the heatmaps, each with its row
// sums.
std::vector<Rect> kept_clear(const BenchState& bench) {
    constexpr std::size_t most = 32;  // with hundreds of heads, a card cannot avoid all
    std::vector<Rect> rects;
    for (const Heatmap& map : bench.figure.heatmaps) {
        if (rects.size() == most) break;
        Rect rect = map.rect;
        for (const SumBar& bar : bench.figure.sums)
            if (bar.variant == map.variant && bar.rect.x > rect.x && bar.rect.y >= rect.y &&
                bar.rect.bottom() <= rect.bottom() && map.cells->stage == StageKind::weights)
                rect.w = std::max(rect.w, bar.rect.right() - rect.x);
        rect.x += bench.figure_at.x;
        rect.y += bench.figure_at.y;
        rects.push_back(rect);
    }
    return rects;
}

// Returns the cost of a place for the card: mainly for what the card would hide there, and a little
// for its distance from the cell.
double cost_of(const Rect& card, const Rect& cell, const std::vector<Rect>& clear) {
    constexpr double of_all_hidden = 1e4;  // the cost in pixels of hiding everything
    double hidden = 0;
    for (const Rect& rect : clear) hidden += shared_area(card, rect);
    if (shared_area(card, cell) > 0) hidden += card.w * card.h;
    const double x = std::max({card.x - cell.right(), cell.x - card.right(), 0.0});
    const double y = std::max({card.y - cell.bottom(), cell.y - card.bottom(), 0.0});
    return of_all_hidden * hidden / (card.w * card.h) + std::hypot(x, y);
}

// Returns a place to the right of the figure if there is space, otherwise the one at which the card
// hides least.
Rect place_card(const Gui& gui, const BenchState& bench, const Rect& cell, double height,
                const Rect& room) {
    const double width = points(gui, card_width), gap = points(gui, 14);
    const double top = std::max(room.y, bench.figure_at.y);  // the tabs and chips stay visible
    const auto within = [&](double x, double y) -> Rect {
        return {std::clamp(x, room.x, std::max(room.x, room.right() - width)),
                std::clamp(y, top, std::max(top, room.bottom() - height)), width, height};
    };
    const double beside = bench.figure_at.x + right_end(bench.figure) + gap;
    if (beside + width <= room.right() - points(gui, 6)) return within(beside, cell.y - gap);
    const std::vector<Rect> clear = kept_clear(bench);
    std::vector<double> xs{cell.right() + gap, cell.x - gap - width, room.right() - width - gap};
    std::vector<double> ys{cell.y - gap, cell.bottom() + gap, cell.y - gap - height,
                           room.bottom() - height - gap};
    for (const Rect& rect : clear) {
        xs.insert(xs.end(), {rect.x, rect.right() + gap});
        ys.push_back(rect.bottom() + gap);
    }
    Rect best = within(xs.front(), ys.front());
    for (const double x : xs)
        for (const double y : ys)
            if (const Rect card = within(x, y);
                cost_of(card, cell, clear) < cost_of(best, cell, clear))
                best = card;
    return best;
}

void draw_card_title(Gui& gui, const Card& card, const Rect& line) {
    double x = line.x;
    const double middle = line.y + line.h / 2, room = line.w - points(gui, 30);
    const auto piece = [&](const std::string& text, Weight weight, Role role, double share) {
        Text drawn{.at = {x, middle},
                   .text = text,
                   .style = {.size = 14 * gui.scale, .weight = weight},
                   .role = role,
                   .max_width = share * room};
        draw_text(gui, drawn);
        x += std::min(measure(text, drawn.style).width, drawn.max_width) + points(gui, 5);
    };
    piece(card.query, Weight::bold, Role::ink, 0.34);
    piece("attends to", Weight::regular, Role::dim, 0.3);
    piece(card.key, Weight::bold, Role::ink, 0.34);
}

void draw_card_line(Gui& gui, const CardLine& line, const Rect& row) {
    const double middle = row.y + row.h / 2;
    const Weight weight = line.weight_of ? Weight::bold : Weight::regular;
    const Role role = line.weight_of ? variant_role(*line.weight_of) : Role::ink;
    const TextStyle style{.size = 12.5 * gui.scale, .weight = weight, .mono = true};
    draw_text(gui, {.at = {row.right(), middle},
                    .text = line.result,
                    .style = style,
                    .role = role,
                    .anchor = Anchor::right});
    const double taken = measure(line.result, style).width + points(gui, 8);
    draw_text(gui, {.at = {row.x, middle},
                    .text = line.operation,
                    .style = style,
                    .role = line.weight_of ? role : Role::dim,
                    .max_width = std::max(1.0, row.w - taken)});
}

}  // namespace

Rect draw_cell_card(Gui& gui, Session& session, const BenchState& bench, const Rect& room) {
    const auto card = card_of(session);
    const auto cell = card ? pinned_on_screen(session, bench) : std::nullopt;
    if (!cell || bench.number) return {};
    const Rect rect = place_card(gui, bench, *cell, height_of(gui, *card), room);
    begin_panel(gui, "cell card", rect,
                {.ground = Role::raised,
                 .padding = card_padding,
                 .outlined = true,
                 .radius = 8,
                 .above = true,
                 .wheel_scrolls = false});
    const double padding = points(gui, card_padding);
    Rect row{rect.x + padding, rect.y + padding, rect.w - 2 * padding, points(gui, card_title)};
    draw_card_title(gui, *card, row);
    set_cursor(row.right() - points(gui, 22), row.y);
    const bool closes =
        button(gui, "×##card", {.width = 24, .tip = "Escape: close", .role = Role::dim});
    double y = row.bottom();
    for (const CardLine& line : card->lines) {
        if (line.begins_variant) y += points(gui, before_variant);
        row = {row.x, y, row.w, points(gui, card_line)};
        draw_card_line(gui, line, row);
        if (row.contains(gui.now.pointer) && ImGui::IsWindowHovered() && !gui.still_at)
            if (const std::string words = explanation(std::string(line.term)); !words.empty())
                tooltip_here(gui, words);
        y = row.bottom();
    }
    end_panel();
    if (closes) session.view().pinned.reset();
    return rect;
}

}  // namespace maskscope
