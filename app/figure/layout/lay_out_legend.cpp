#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

// "3", "0.37", "2e-5": a limit is stated, however small it is.
std::string limit_text(double value) {
    const double size = std::abs(value);
    std::string text = size == std::round(size) && size < 1000 ? fmt::format("{}", int(size))
                       : size < 0.01                           ? fmt::format("{:.2g}", size)
                                                               : cell_text(size, false);
    // "1e-05" as it is written by hand
    if (const auto zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
    return value < 0 ? "−" + text : text;
}

constexpr double bar_width = 56, narrow_bar = 30;  // points

double line_width(const BarLine& line, double bar, double unit) {
    return (bar + 8) * unit + figure_text_width({{}, line.text, {12 * unit}});
}

// How much room there is below a column, up to the next one's bars.
double room_under(const Table& t, int column) {
    double left = 0, next = t.room_right > 0 ? t.room_right : 1e9;
    for (const PlacedHeatmap& placed : t.heatmaps) {
        if (placed.column == column) left = placed.rect.x;
        if (placed.column == column + 1) next = placed.rect.x;
    }
    return next - left - 10 * t.unit;
}

void draw_bars_of(Figure& figure, const Table& t, int column) {
    const std::vector<BarLine> lines = bars_of(t, column);
    Point at{0, t.bottom - t.bars_height() + 14 * t.unit};
    for (const PlacedHeatmap& placed : t.heatmaps)
        if (placed.column == column) at.x = placed.rect.x;
    double side_by_side = -18 * t.unit;
    for (const BarLine& line : lines) side_by_side += line_width(line, bar_width, t.unit) + 18;
    const bool one_line = lines.size() < 2 || side_by_side <= room_under(t, column);
    for (const BarLine& line : lines) {
        const double room = room_under(t, column);
        const bool narrow = line_width(line, bar_width, t.unit) > room;
        const double thick = (one_line ? 12 : 9) * t.unit;
        BarLine shown = line;
        shown.bar.rect.w = (narrow ? narrow_bar : bar_width) * t.unit;
        const double end = draw_colour_bar(figure, shown, at, thick, t.unit);
        if (one_line)
            at.x = end + 18 * t.unit;
        else
            at.y += 16 * t.unit;
    }
}

}  // namespace

double narrow_line_width(const BarLine& line, double unit) {
    return line_width(line, narrow_bar, unit);
}

std::string limits_text(Limits limits) {
    return (limits.logarithmic ? "log " : "") + limit_text(limits.low) + " … " +
           limit_text(limits.high);
}

// One bar for each pair of map and limits in a column. Side by side, only the first column with a
// pair has its bar.
std::vector<BarLine> bars_of(const Table& t, int column) {
    std::vector<BarLine> lines;
    const auto is_there = [&](const ColourBar& bar, const PlacedHeatmap& before) {
        return before.stage->stage != StageKind::allowed && bar.map == before.stage->map &&
               bar.limits == before.stage->limits;
    };
    for (const PlacedHeatmap& placed : t.heatmaps) {
        if (placed.column != column || placed.stage->stage == StageKind::allowed) continue;
        const ColourBar bar{{}, placed.stage->limits, placed.stage->map};
        const bool listed = std::ranges::any_of(lines, [&](const BarLine& other) {
            return other.bar.map == bar.map && other.bar.limits == bar.limits;
        });
        const bool before =
            t.one_row() && std::ranges::any_of(t.heatmaps, [&](const PlacedHeatmap& other) {
                return other.column < column && is_there(bar, other);
            });
        if (!listed && !before) lines.push_back({bar, limits_text(bar.limits)});
    }
    return lines;
}

double draw_colour_bar(Figure& figure, const BarLine& line, Point at, double thickness,
                       double unit) {
    ColourBar bar = line.bar;
    bar.rect = {at.x, at.y - thickness / 2, bar.rect.w, thickness};
    Text text{{bar.rect.right() + 8 * unit, at.y}, line.text, {12 * unit}, Role::dim};
    const double end = text.at.x + figure_text_width(text);
    figure.colour_bars.push_back(bar);
    figure.texts.push_back(std::move(text));
    return end;
}

void draw_colour_bars(Figure& figure, const Table& t) {
    for (int column = 0; column < t.columns(); ++column) draw_bars_of(figure, t, column);
}

namespace {

// The legend in lines: each entry is a small picture and its words.
struct Legend {
    Figure& figure;
    Point at;
    double left, width, unit, right;

    double side() const { return 20 * unit; }
    // Makes room for an entry with a picture of this width; returns where it begins.
    Rect next(const std::string& words, double picture) {
        Text text{{}, words, {12 * unit}, Role::dim};
        const double all = picture + 8 * unit + figure_text_width(text);
        if (width > 0 && at.x > left && at.x + all > left + width) at = {left, at.y + 26 * unit};
        const Rect rect{at.x, at.y, picture, side()};
        text.at = {rect.right() + 8 * unit, rect.y + side() / 2};
        figure.texts.push_back(std::move(text));
        right = std::max(right, at.x + all);
        at.x += all + 24 * unit;
        return rect;
    }
};

void draw_weight_lost(Legend& legend) {
    const double unit = legend.unit;
    SumBar bar;
    bar.rect = legend.next("weight lost", 36 * unit);
    bar.rect.y += 3 * unit;
    bar.rect.h = 14 * unit;
    bar.kept = 0.32;
    bar.status = Role::odd;
    bar.lane = shared_lane;
    bar.row = -1;
    legend.figure.sums.push_back(bar);
}

}  // namespace

Point draw_legend(Figure& figure, const Bench& bench, const LayoutOptions& options, Point from,
                  double width) {
    Legend legend{figure, from, from.x, width, options.scale, from.x};
    const auto has = [&](std::uint8_t signs) { return (bench.signs & signs) != 0; };
    if (has(sign::blocked))
        figure.hatches.push_back(
            {legend.next("blocked", legend.side()), Ground::hatch, Role::hatch});
    if (!options.covered) {  // the other signs would give the answer away
        if (has(sign::leaks))
            figure.boxes.push_back({legend.next("leaks", legend.side()), 0, true, true,
                                    Role::raised, Role::wrong, 2 * options.scale});
        if (has(sign::nan))
            figure.hatches.push_back(
                {legend.next("NaN", legend.side()), Ground::cross_hatch, Role::wrong});
        if (bench.loses_weight) draw_weight_lost(legend);
    }
    return {legend.right, legend.at.y + 26 * options.scale};
}

}  // namespace maskscope
