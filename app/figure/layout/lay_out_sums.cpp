#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/style.h"
#include "core/base/number_text.h"

namespace maskscope {

SumBar sum_bar_of(const RowSum& row, const Cells& cells, Index i) {
    const double sum = row.figures.sum;
    SumBar bar;
    bar.row = i;
    if (row.figures.nan || std::isnan(sum)) {
        bar.mark = SumBar::Mark::nan;
        bar.status = Role::wrong;
        bar.text = "NaN";
        return bar;
    }
    if (row.zeroed) {
        bar.mark = SumBar::Mark::empty;
        bar.status = Role::dim;
        bar.text = "empty";
        return bar;
    }
    bar.leaked = leaked_in_row(cells, i);
    bar.kept = sum - bar.leaked;
    if (std::isinf(bar.leaked))
        bar.kept = 0, bar.leaked = 1;  // which has no share in an infinite sum
    const bool is_one = std::abs(sum - 1) <= row.tolerance, below = !is_one && sum < 1;
    const bool by_design = !is_one && (row.by_cell || (row.by_design && below));
    bar.text = is_one ? "1" : cell_text(sum, true);
    if (by_design) bar.mark = SumBar::Mark::by_design;
    if (!is_one && !below && !by_design) bar.mark = SumBar::Mark::above_one;
    bar.status = bar.leaked > 0 ? Role::wrong : is_one || by_design ? Role::right : Role::odd;
    return bar;
}

namespace {

// Returns the row that a bar shows if rows are thinner than it: the one whose sum is farthest from
// being right. leaks: true if any cell leaks.
Index worst_of(const BenchLane& lane, const Cells& cells, bool leaks, Index first, Index end) {
    const auto wrong = [&](Index i) {
        const RowSum& row = lane.sums.rows[i];
        if (row.zeroed) return 0.0;
        if (row.figures.nan || std::isnan(row.figures.sum)) return infinity;
        return std::abs(row.figures.sum - 1) + (leaks ? 2 * leaked_in_row(cells, i) : 0);
    };
    Index worst = first;
    double most = wrong(first);
    for (Index i = first + 1; i < end; ++i)
        if (const double own = wrong(i); own > most) {
            worst = i;
            most = own;
        }
    return worst;
}

// Draws the weight that leaves each row as a column of its own: one cell for each row, with a bar
// as long as the share. Lanes without a sink have none.
void draw_sinks(Figure& figure, const Table& t, const PlacedHeatmap& placed, const Heatmap& map) {
    const BenchLane& lane = *t.lane_of(placed);
    if (!lane.sums.has_sinks) return;
    const double u = t.unit, x = t.sink_left(placed), width = t.sink_width() - 12 * u;
    figure.texts.push_back(
        {{x + width / 2, map.rect.y - 10 * u}, "sink", {12 * u}, Role::dim, Anchor::centre});
    const Rect first = cell_rect(map, 0, 0);
    const double size = 13 * u, bar = 4 * u;
    const bool numbers = first.h >= 1.3 * size + bar;
    for (Index i = 0; i < Index(lane.sums.rows.size()); ++i) {
        const Rect cell = cell_rect(map, i, 0);
        const double middle = cell.y + cell.h / 2;
        if (middle < map.rect.y || middle > map.rect.bottom()) continue;
        const double sink = lane.sums.rows[i].sink.value_or(0), gap = first.h > 6 * u ? u : 0;
        const Rect rect{x, cell.y, width, cell.h - gap};
        figure.boxes.push_back({rect, 0, true, true, Role::raised, Role::line});
        const double high = numbers ? bar : rect.h;
        const Rect taken{x, rect.bottom() - high, std::clamp(sink, 0.0, 1.0) * width, high};
        figure.boxes.push_back({taken, 0, true, false, Role::dim, Role::dim});
        if (!numbers || !lane.sums.rows[i].sink) continue;
        figure.texts.push_back({{x + width / 2, rect.y + (rect.h - bar) / 2},
                                cell_text(sink, true),
                                style::number_style(size),
                                Role::ink,
                                Anchor::centre});
    }
}

}  // namespace

namespace {

// Returns the width of a bar. The numbers take the rest of the column.
double bar_width(const Table& t) {
    const double text = (t.in_hall ? 33 : 38) * t.unit;
    return std::min(t.sums_width() - t.sink_width() - t.sums_gap() - text, 40 * t.unit);
}

// Returns true if the sums are drawn as dots, because there is nothing to compare.
bool all_are_one(const BenchLane& lane, const Cells& cells) {
    return (signs_of_any(cells) & sign::leaks) == 0 &&
           std::ranges::all_of(lane.sums.rows, [](const RowSum& row) {
               return !row.zeroed && !row.figures.nan &&
                      std::abs(row.figures.sum - 1) <= row.tolerance;
           });
}

}  // namespace

// Draws a bar for every row, as high as the row allows, and numbers if there is space for text.
void draw_sums(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    const BenchLane& lane = *t.lane_of(placed);
    const Heatmap map = figure.heatmaps.back();
    const double x = t.sums_left(placed);
    if (t.sink_width() > 0) draw_sinks(figure, t, placed, map);
    const double cell_h = cell_rect(map, 0, 0).h, width = bar_width(t);
    const double line = 1.2 * 12 * t.unit;  // of the smallest text
    const Index every = std::max<Index>(1, Index(std::ceil(line / cell_h)));
    const Index rows = std::max<Index>(1, Index(std::ceil(2 * t.unit / cell_h)));  // of a bar
    const Index numbered = (every + rows - 1) / rows * rows;
    const double text_size = double(every) * cell_h >= 1.2 * 13 * t.unit ? 13 : 12;
    const auto count = Index(lane.sums.rows.size());
    const bool calm = all_are_one(lane, *placed.stage->cells);
    const Cells& cells = *placed.stage->cells;
    const bool leaks = (signs_of_any(cells) & sign::leaks) != 0;
    for (Index i = 0; i < count; i += rows) {
        const Index end = std::min(count, i + rows);
        if (cell_rect(map, end - 1, 0).bottom() < map.rect.y) continue;
        if (cell_rect(map, i, 0).y > map.rect.bottom()) break;
        const Index shown = worst_of(lane, cells, leaks, i, end);
        SumBar bar = sum_bar_of(lane.sums.rows[shown], cells, shown);
        const double top = cell_rect(map, i, 0).y, bottom = cell_rect(map, end - 1, 0).bottom();
        const double middle = (top + bottom) / 2;
        if (middle < map.rect.y || middle > map.rect.bottom()) continue;
        bar.text_size = text_size * t.unit;
        bar.lane = map.lane;
        bar.b = map.b;
        bar.h = map.h;
        if (every == 1) {
            const double height = std::clamp(cell_h * 0.5, 8 * t.unit, 22 * t.unit);
            bar.rect = {x, std::round(middle - height / 2), width, std::round(height)};
            if (calm) {
                bar.mark = SumBar::Mark::one;
                bar.rect.w = bar.rect.h;
            }
        } else {
            // The text of a thin bar is as far away as that of a higher bar, and has its own line.
            bar.rect = {x, top, width, bottom - top};
            Text number = style::sum_text(bar);
            number.at.x = x + width + 5 * t.unit;
            bar.text.clear();
            if (i % numbered == 0) figure.texts.push_back(std::move(number));
        }
        figure.sums.push_back(std::move(bar));
    }
}

}  // namespace maskscope
