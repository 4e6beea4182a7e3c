#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/figure/draw_cell.h"
#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/style.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

// Writes a limit, however small it is: "3", "0.37", "2e-5".
std::string limit_text(double value) {
    const double size = std::abs(value);
    std::string text = size == std::round(size) && size < 1000 ? fmt::format("{}", int(size))
                       : size < 0.01                           ? fmt::format("{:.2g}", size)
                                                               : cell_text(size, false);
    // "1e-5" instead of "1e-05"
    if (const auto zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
    return value < 0 ? "−" + text : text;
}

}  // namespace

std::string limits_text(Limits limits) {
    return (limits.logarithmic ? "log " : "") + limit_text(limits.low) + " … " +
           limit_text(limits.high);
}

namespace {

// The legend in lines: each entry is a small picture and its words.
struct Legend {
    Figure& figure;
    Point at;
    double left, width, unit, right;

    double side() const { return 20 * unit; }
    double width_of(const std::string& words, double picture) const {
        return picture + 8 * unit + figure_text_width({{}, words, {12 * unit}});
    }
    // Reserves space for an entry: a picture of this width, and the longer of its words and
    // `longest`. Returns the place of the picture.
    Rect next(const std::string& words, double picture, const std::string& longest = "") {
        Text text{{}, words, {12 * unit}, Role::dim};
        const double all = std::max(width_of(words, picture), width_of(longest, picture));
        const bool has_room = width <= 0 || at.x + all <= left + width;
        if (at.x > left && !has_room) at = {left, at.y + 26 * unit};
        const Rect rect{at.x, at.y, picture, side()};
        text.at = {rect.right() + 8 * unit, rect.y + side() / 2};
        figure.texts.push_back(std::move(text));
        right = std::max(right, at.x + all);
        at.x += all + 24 * unit;
        return rect;
    }
};

bool has_colours_of(const BenchStage& a, const BenchStage& b) {
    return a.map == b.map && a.limits == b.limits;
}

// Draws a bar for each pair of map and limits. The bar names its stages if another bar has the same
// map, and always below a grid of heads, whose heatmaps have neither titles nor notes.
void draw_colour_bars(Legend& legend, std::span<const BenchStage* const> stages, bool is_grid) {
    std::vector<std::pair<const BenchStage*, std::vector<std::string>>> bars;  // with their stages
    for (const BenchStage* stage : stages) {
        if (stage->stage == StageKind::allowed) continue;
        auto bar = std::ranges::find_if(
            bars, [&](const auto& other) { return has_colours_of(*other.first, *stage); });
        if (bar == bars.end()) bar = bars.insert(bar, {stage, {}});
        const std::string name = stage->colours.empty() ? stage->title : stage->colours;
        if (std::ranges::count(bar->second, name) == 0) bar->second.push_back(name);
    }
    for (const auto& [bar, names] : bars) {
        const bool is_only = std::ranges::count_if(bars, [map = bar->map](const auto& other) {
                                 return other.first->map == map;
                             }) == 1;
        std::string words = limits_text(bar->limits), longest = "−0.00 … 0.00";
        if (is_grid || !is_only) {
            const std::string named = fmt::format("{} ", fmt::join(names, ", "));
            words = named + words;
            longest = named + longest;
        }
        const SharedSource& source = bar->cells->source;
        if (is_grid && source && source->seen < 1) words += ", " + bar->note;
        Rect rect = legend.next(words, 56 * legend.unit, longest);
        rect.y += 4 * legend.unit;
        rect.h = 12 * legend.unit;
        legend.figure.colour_bars.push_back({rect, bar->limits, bar->map});
    }
}

constexpr const char* lost_words = "weight lost";
constexpr double lost_width = 36;  // points

void draw_weight_lost(Legend& legend) {
    const double unit = legend.unit;
    SumBar bar;
    bar.rect = legend.next(lost_words, lost_width * unit);
    bar.rect.y += 3 * unit;
    bar.rect.h = 14 * unit;
    bar.kept = 0.32;
    bar.status = Role::odd;
    bar.variant = shared_variant;
    bar.row = -1;
    legend.figure.sums.push_back(bar);
}

}  // namespace

Point draw_legend(Figure& figure, const LegendSigns& of, std::span<const BenchStage* const> stages,
                  const LayoutOptions& options, Point from) {
    const double width = options.width > 0 ? options.width - from.x : 0;
    Legend legend{figure, from, from.x, width, options.scale, from.x};
    if (options.with_colour_bars) draw_colour_bars(legend, stages, of.grid);
    if (!options.with_legend) return {legend.right, legend.at.y + 26 * options.scale};
    const auto has = [&](std::uint8_t signs) { return (of.signs & signs) != 0; };
    if (has(sign::blocked)) figure.hatches.push_back({legend.next("blocked", legend.side())});
    if (has(sign::missing)) {
        const Rect rect = legend.next("missing", legend.side());
        const double radius = style::cell_style(rect.w).dot;
        figure.hatches.push_back({rect});
        figure.dots.push_back({{rect.x + rect.w / 2, rect.y + rect.h / 2}, radius, Role::wrong});
    }
    if (has(sign::leaks))
        figure.boxes.push_back({legend.next("leaks", legend.side()), 0, true, true, Role::raised,
                                Role::wrong, 2 * options.scale});
    if (has(sign::nan)) figure.hatches.push_back({legend.next("NaN", legend.side()), true});
    const auto draw_infinity = [&](const char* words, std::uint8_t signs) {
        figure.boxes.push_back({legend.next(words, legend.side()), 0, true, true,
                                infinity_role(signs).value_or(Role::panel), Role::line,
                                options.scale});
    };
    if (has(sign::plus_infinity)) draw_infinity("+∞", sign::plus_infinity);
    const bool any_blocked = has(sign::blocked);  // in most scenes these are −∞
    if (!any_blocked && has(sign::minus_infinity)) draw_infinity("−∞", sign::minus_infinity);
    if (of.loses_weight) draw_weight_lost(legend);
    return {legend.right, legend.at.y + 26 * options.scale};
}

}  // namespace maskscope
