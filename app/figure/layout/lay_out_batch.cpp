#include "app/figure/layout/lay_out_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

constexpr double side = 56, sums_width = 18, gap = 10, row_gap = 12, head = 34;  // points

// Returns a rectangle whose longer side is always the same; a row of tokens is at least a pixel.
Rect heatmap_rect(const Cells& cells, Point at, double unit) {
    const double most = double(std::max<Index>({cells.rows, cells.columns, 1}));
    return {at.x, at.y, std::max(4.0, std::round(side * unit * double(cells.columns) / most)),
            std::max(4.0, std::round(side * unit * double(cells.rows) / most))};
}

// Draws a bar without text for every row of at least a pixel.
void draw_small_sums(Figure& figure, const BenchLane& lane, const Heatmap& map, double unit) {
    const double cell_h = cell_rect(map, 0, 0).h;
    const Index every = std::max<Index>(1, Index(std::ceil(3 * unit / cell_h)));
    for (Index i = 0; i < Index(lane.sums.rows.size()); i += every) {
        SumBar bar = sum_bar_of(lane.sums.rows[i], *map.cells, i);
        const double height = std::max(2.0, std::min(0.7 * cell_h * double(every), 12 * unit));
        bar.rect = {map.rect.right() + 6 * unit,
                    map.rect.y + (double(i) + 0.5) * cell_h - height / 2, sums_width * unit,
                    height};
        bar.text.clear();
        bar.lane = map.lane;
        bar.b = map.b;
        figure.sums.push_back(std::move(bar));
    }
}

std::string length_of(const BatchRow& row) {
    return row.queries == row.keys ? fmt::format("{}", row.queries)
                                   : fmt::format("{} × {}", row.queries, row.keys);
}

double length_width(const Bench& bench, double unit) {
    double widest = figure_text_width({{}, "length", {12 * unit}});
    for (const BatchRow& row : bench.batch)
        widest = std::max(widest, figure_text_width({{}, length_of(row), {13 * unit}}));
    return widest + 12 * unit;
}

void draw_head(Figure& figure, const BatchRow& first, double x, double pitch, double unit) {
    figure.texts.push_back(
        {{x - 12 * unit, 16 * unit}, "length", {12 * unit}, Role::dim, Anchor::right});
    for (std::size_t k = 0; k < first.lanes.size(); ++k)
        draw_lane_name(figure, first.lanes[k], {x + double(k) * pitch, 16 * unit}, 0, unit);
}

void draw_row(Figure& figure, const BatchRow& row, const Rect& rect, double x, double pitch,
              double unit) {
    figure.texts.push_back({{x - 12 * unit, rect.y + rect.h / 2},
                            length_of(row),
                            {13 * unit},
                            Role::ink,
                            Anchor::right});
    for (std::size_t k = 0; k < row.lanes.size(); ++k) {
        const BenchLane& lane = row.lanes[k];
        if (lane.stages.empty()) continue;
        const BenchStage& stage = lane.stages.front();
        const Point at{x + double(k) * pitch, rect.y + row_gap / 2 * unit};
        Heatmap map = heatmap_of(stage, heatmap_rect(*stage.cells, at, unit), {});
        map.lane = lane.variant;
        map.b = row.b;
        if (stage.hidden) continue;
        draw_small_sums(figure, lane, map, unit);
        figure.heatmaps.push_back(std::move(map));
    }
}

}  // namespace

BatchStrip lay_out_batch(const Bench& bench, const std::vector<Index>& selected, double scale) {
    BatchStrip strip;
    Figure& figure = strip.figure;
    const double unit = figure.unit = scale;
    if (bench.batch.empty()) return strip;
    const BatchRow& first = bench.batch.front();
    const bool small = !first.lanes.empty() && !first.lanes.front().stages.empty();
    const double x = length_width(bench, unit) + 6 * unit;
    const double pitch = (side + 6 + sums_width + gap) * unit;
    const double high =
        small ? heatmap_rect(*first.lanes.front().stages.front().cells, {}, unit).h : 16 * unit;
    figure.width = std::round(x + double(first.lanes.size()) * pitch);
    if (small) draw_head(figure, first, x, pitch, unit);
    double y = head * unit;
    for (const BatchRow& row : bench.batch) {
        const Rect rect{0, y, figure.width, high + row_gap * unit};
        const bool is_selected = std::ranges::find(selected, row.b) != selected.end();
        if (is_selected)
            figure.boxes.push_back({rect, 5 * unit, true, true, Role::raised, Role::line});
        draw_row(figure, row, rect, x, pitch, unit);
        strip.rows.push_back(rect);
        y = rect.bottom();
    }
    figure.height = y;
    return strip;
}

}  // namespace maskscope
