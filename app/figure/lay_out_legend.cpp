#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/lay_out_parts.h"
#include "core/number_text.h"

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

std::string limits_text(Limits limits) {
    return limit_text(limits.low) + " … " + limit_text(limits.high) +
           (limits.logarithmic ? ", logarithmic" : "");
}

// One bar for each pair of map and limits that a column has.
std::vector<ColourBar> bars_of(const Table& t, int column) {
    std::vector<ColourBar> bars;
    for (const Placed& placed : t.heatmaps) {
        if (placed.column != column || placed.stage.stage == StageKind::allowed) continue;
        const ColourBar bar{{}, placed.stage.limits, placed.stage.map};
        const bool there = std::any_of(bars.begin(), bars.end(), [&](const ColourBar& other) {
            return other.map == bar.map && other.limits == bar.limits;
        });
        if (!there) bars.push_back(bar);
    }
    return bars;
}

}  // namespace

void draw_colour_bars(Figure& figure, const Table& t) {
    for (int column = 0; column < t.columns(); ++column) {
        const std::vector<ColourBar> bars = bars_of(t, column);
        double left = 0, x = 0, y = t.bottom - 18 * t.unit;
        for (const Placed& placed : t.heatmaps)
            if (placed.column == column) left = x = placed.rect.x;
        const double column_w = double(t.cells_in(column)) * t.cell_w;
        const bool stacked = double(bars.size()) * 120 * t.unit > column_w + 40 * t.unit;
        if (stacked && bars.size() > 1) y -= 8 * t.unit;
        for (ColourBar bar : bars) {
            const double thick = (stacked ? 9 : 12) * t.unit;
            bar.rect = {x, y - thick / 2, 56 * t.unit, thick};
            Text text{{bar.rect.right() + 8 * t.unit, y},
                      limits_text(bar.limits),
                      {12 * t.unit},
                      Role::dim};
            if (stacked)
                x = left, y += 15 * t.unit;
            else
                x = text.at.x + figure_text_width(text) + 18 * t.unit;
            figure.colour_bars.push_back(bar);
            figure.texts.push_back(std::move(text));
        }
    }
}

double draw_legend(Figure& figure, const Bench& bench, const LayoutOptions& options, double left,
                   double top) {
    const double unit = options.scale, side = 20 * unit, y = top + side / 2;
    double x = left;
    const auto entry = [&](const std::string& words, double width) {
        Text text{{x + width + 8 * unit, y}, words, {12 * unit}, Role::dim};
        x = text.at.x + figure_text_width(text) + 24 * unit;
        figure.texts.push_back(std::move(text));
    };
    const auto square = [&] { return Rect{x, top, side, side}; };
    if ((bench.signs & sign::blocked) != 0) {
        figure.hatches.push_back({square(), Ground::hatch, Role::hatch});
        entry("blocked", side);
    }
    if (options.covered) return x;  // the other signs would tell the answer
    if ((bench.signs & sign::leaks) != 0) {
        figure.boxes.push_back({square(), 0, true, true, Role::raised, Role::wrong, 2 * unit});
        entry("leaks", side);
    }
    if ((bench.signs & sign::nan) != 0) {
        figure.hatches.push_back({square(), Ground::cross_hatch, Role::wrong});
        entry("NaN", side);
    }
    if (bench.loses_weight) {
        SumBar bar;
        bar.rect = {x, top + 3 * unit, 36 * unit, 14 * unit};
        bar.kept = 0.32;
        bar.status = Role::odd;
        bar.lane = -1;
        bar.row = -1;
        figure.sums.push_back(bar);
        entry("weight lost", 36 * unit);
    }
    return x;
}

}  // namespace maskscope
