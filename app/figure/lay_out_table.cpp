#include <algorithm>
#include <cmath>

#include "app/figure/lay_out_parts.h"
#include "app/labels.h"

namespace maskscope {

namespace {

double width_of(const std::string& text, double size, Weight weight) {
    return text.empty() ? 0 : measure(text, {size, weight}).width;
}

// A wide output is drawn with narrower cells, not as a wider heatmap than the others.
Index breadth(const BenchStage& stage, Index n_k) {
    return stage.stage == StageKind::output
               ? std::min(stage.cells->columns, std::max<Index>(n_k, 4))
               : stage.cells->columns;
}

}  // namespace

double figure_text_width(const Text& text) { return measure(text.text, text.style).width; }

void Table::place(const BenchStage& stage, int row, int lane) {
    heatmaps.push_back({stage, row, stage.column, lane, {}});
}

int Table::rows() const {
    int last = one_row ? 0 : int(block.lanes.size()) - 1;
    for (const Placed& placed : heatmaps) last = std::max(last, placed.row);
    return last + 1;
}

int Table::columns() const {
    int last = -1;
    for (const Placed& placed : heatmaps) last = std::max(last, placed.column);
    return last + 1;
}

Index Table::cells_in(int column) const {
    Index widest = 0;
    for (const Placed& placed : heatmaps)
        if (placed.column == column)
            widest = std::max(widest, breadth(placed.stage, Index(block.keys.size())));
    return widest;
}

double Table::cells_across() const {
    double all = 0;
    for (int column = 0; column < columns(); ++column) all += double(cells_in(column));
    return all;
}

bool Table::has_sums(int column) const {
    return std::any_of(heatmaps.begin(), heatmaps.end(), [&](const Placed& placed) {
        return placed.column == column && placed.stage.stage == StageKind::weights;
    });
}

bool Table::is_leftmost(const Placed& placed) const {
    return std::none_of(heatmaps.begin(), heatmaps.end(), [&](const Placed& other) {
        return other.row == placed.row && other.column < placed.column;
    });
}

// Is the road to it straight? From the fork to a lane below it is a curve.
bool Table::is_straight(const Placed& placed) const {
    return placed.row == 0 || (placed.lane >= 0 && !is_first_of_lane(placed));
}

bool Table::is_first_of_lane(const Placed& placed) const {
    return std::none_of(heatmaps.begin(), heatmaps.end(), [&](const Placed& other) {
        return other.lane == placed.lane && other.column < placed.column;
    });
}

double Table::gap_before(int column) const {
    if (column == 0) return 0;
    double words = 0, labels = one_row ? label_width() : 0;
    for (const Placed& placed : heatmaps) {
        if (placed.column != column) continue;
        if (is_straight(placed))
            words = std::max(words, width_of(placed.stage.operation, 12 * unit, Weight::semibold));
        if (is_leftmost(placed)) labels = label_width();
    }
    return std::max((compact ? 30 : 44) * unit, words + 14 * unit) + labels;
}

double Table::label_width() const {
    const double title = compact ? 0 : width_of("queries ↓", 12 * unit, Weight::regular);
    const double tokens = std::min(110 * unit, block.query_ems * token_size * unit);
    // The axes' titles may hang out a little to the left: the margin is free there.
    return std::max(title - 8 * unit, tokens) + 10 * unit;
}

double Table::longest_key() const { return block.key_ems * token_size * unit; }

double Table::sums_width() const {
    bool by_design = false, zeroed = false;
    for (const Lane& lane : block.lanes)
        for (const RowSum& sum : lane.sums) {
            by_design |= sum.by_design && sum.figures.sum < 1 - sum.tolerance;
            zeroed |= sum.zeroed;
        }
    if (compact) return (zeroed ? 76 : 64) * unit;
    return (by_design ? 158 : zeroed ? 104 : 92) * unit;
}

double Table::sum_bar_width() const { return (compact ? 20 : 38) * unit; }

double Table::title_offset() const { return token_height() + (compact ? 9 : 11) * unit; }

double Table::pitch_gap() const { return (compact ? 4 : 16) * unit; }

double Table::token_height() const {
    return vertical_tokens ? std::min(80 * unit, longest_key()) + 6 * unit
                           : (compact ? 17 : 20) * unit;
}

double Table::title_height() const { return block.title.empty() ? 0 : 24 * unit; }

double Table::head_height() const { return (compact ? 20 : 30 + 22) * unit + token_height(); }

double Table::fixed_width() const {
    double width = label_width();
    for (int column = 0; column < columns(); ++column)
        width += gap_before(column) + (has_sums(column) ? sums_width() : 0);
    return width;
}

double Table::fixed_height() const {
    return title_height() + rows() * (head_height() + pitch_gap()) +
           (compact ? 0 : colour_bars_height * unit);
}

double Table::lane_titles_end() const {
    double end = 0;
    for (const Placed& placed : heatmaps)
        if (placed.lane >= 0 && !one_row && is_first_of_lane(placed)) {
            const std::string& name = block.lanes[std::size_t(placed.lane)].name;
            end = std::max(end,
                           placed.rect.x + 28 * unit + width_of(name, 15 * unit, Weight::semibold));
        }
    return end;
}

void Table::position(double left, double top) {
    const double pitch = head_height() + double(block.queries.size()) * cell_h + pitch_gap();
    top += title_height();
    double x = left + label_width();
    for (int column = 0; column < columns(); ++column) {
        x += gap_before(column);
        for (Placed& placed : heatmaps)
            if (placed.column == column)
                placed.rect = {std::round(x), std::round(top + placed.row * pitch + head_height()),
                               double(breadth(placed.stage, Index(block.keys.size()))) * cell_w,
                               double(placed.stage.cells->rows) * cell_h};
        x += double(cells_in(column)) * cell_w + (has_sums(column) ? sums_width() : 0);
    }
    right = std::max(x, lane_titles_end());
    bottom = top + rows() * pitch + (compact ? 0 : colour_bars_height * unit);
}

}  // namespace maskscope
