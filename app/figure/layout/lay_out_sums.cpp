#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "core/base/number_text.h"

namespace maskscope {

namespace {

double leaked_in(const Cells& cells, Index row) {
    double leaked = 0;
    if ((signs_of_row(cells, row) & sign::leaks) == 0) return leaked;
    const CellRow all = row_of(cells, row);
    for (std::size_t j = 0; j < all.values.size(); ++j)
        if (all.signs[j] & sign::leaks) leaked += all.values[j];
    return leaked;
}

}  // namespace

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
    bar.leaked = leaked_in(cells, i);
    bar.kept = sum - bar.leaked;
    const bool is_one = std::abs(sum - 1) <= row.tolerance, below = !is_one && sum < 1;
    const bool by_design = row.by_design && below;
    bar.text = is_one ? "1" : cell_text(sum, true) + (by_design ? " by design" : "");
    if (by_design) bar.mark = SumBar::Mark::by_design;
    if (!is_one && !below) bar.mark = SumBar::Mark::above_one;
    bar.status = bar.leaked > 0 ? Role::wrong : is_one || by_design ? Role::right : Role::odd;
    return bar;
}

void draw_sums(Figure& figure, const Table& t, const PlacedHeatmap& placed) {
    const BenchLane& lane = *t.lane_of(placed);
    const Heatmap map = figure.heatmaps.back();
    const double x = t.sums_left(placed);
    figure.texts.push_back({{x, placed.rect.y - t.keys_height(placed.row) - 11 * t.unit},
                            "Row sums",
                            {14 * t.unit, Weight::semibold},
                            Role::ink});
    const double cell_h = cell_rect(map, 0, 0).h;
    const double line = 1.2 * 12 * t.unit;  // of the smallest text
    const Index every = std::max<Index>(1, Index(std::ceil(line / cell_h)));
    const double text_size = double(every) * cell_h >= 1.2 * 13 * t.unit ? 13 : 12;
    for (Index i = 0; i < Index(lane.sums.size()); i += every) {
        SumBar bar = sum_bar_of(lane.sums[i], *placed.stage->cells, i);
        const Rect cell = cell_rect(map, i, 0);
        const double height = std::clamp(cell.h * 0.5, 8 * t.unit, 22 * t.unit);
        const double middle = cell.y + cell.h / 2;
        if (middle < map.rect.y || middle > map.rect.bottom()) continue;
        bar.rect = {x, std::round(middle - height / 2), 38 * t.unit, std::round(height)};
        bar.text_size = text_size * t.unit;
        bar.lane = map.lane;
        bar.b = map.b;
        bar.h = map.h;
        figure.sums.push_back(std::move(bar));
    }
}

}  // namespace maskscope
