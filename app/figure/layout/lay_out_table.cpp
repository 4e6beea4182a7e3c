#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/style/labels.h"

namespace maskscope {

namespace {

double width_of(const std::string& text, double size, Weight weight) {
    return text.empty() ? 0 : measure(text, {size, weight}).width;
}

constexpr Index least_cap = 4, least_tensor_cap = 6;

// A wide output, Q, K or V has narrower cells, so that its heatmap is not wider than the others.
// So has a mask of 1s if every pixel counts.
Index breadth(const BenchStage& stage, const BenchTokens& tokens, bool bare) {
    const Index columns = stage.cells->columns;
    if (bare && stage.stage == StageKind::allowed) return (2 * columns + 2) / 3;
    if (is_tensor_lane(stage.lane))
        return std::min(columns, std::max(Index(tokens.queries.size()), least_tensor_cap));
    if (stage.stage != StageKind::output) return columns;
    return std::min(columns, std::max(Index(tokens.keys.size()), least_cap));
}

// Thousands of tokens are compared only where they are two objects.
bool has_same_keys(const BenchTokens& x, const BenchTokens& y) {
    return &x == &y || x.keys == y.keys;
}

constexpr double overhang = 8;  // points: of the last upright token, with nothing next to it

}  // namespace

const BenchLane* Table::lane_of(const PlacedHeatmap& placed) const {
    return placed.lane < 0 ? nullptr : &block->lanes[placed.lane];
}

const BenchTokens& Table::tokens_of(const PlacedHeatmap& placed) const {
    return placed.stage->tokens ? *placed.stage->tokens : *block->tokens;
}

void Table::place(const BenchStage& stage, int row, int column, int lane) {
    heatmaps.push_back({&stage, row, column, lane, stage.operations, {}});
}

int Table::rows() const {
    int last = one_row() ? 0 : int(block->lanes.size()) - 1;
    for (const PlacedHeatmap& placed : heatmaps) last = std::max(last, placed.row);
    return last + 1;
}

int Table::columns() const {
    int last = -1;
    for (const PlacedHeatmap& placed : heatmaps) last = std::max(last, placed.column);
    return last + 1;
}

Index Table::cells_in(int column) const {
    Index widest = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.column == column)
            widest = std::max(widest, breadth(*placed.stage, tokens_of(placed), is_bare));
    return widest;
}

Index Table::cells_down(int row) const {
    Index most = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.row == row) most = std::max(most, placed.stage->cells->rows);
    return std::max<Index>(most, 1);
}

bool Table::has_sums(int column) const {
    return std::ranges::any_of(heatmaps, [&](const PlacedHeatmap& placed) {
        const BenchLane* lane = lane_of(placed);
        return placed.column == column && placed.stage->stage == StageKind::weights && lane &&
               !lane->sums.rows.empty();
    });
}

bool Table::is_leftmost(const PlacedHeatmap& placed) const {
    return std::ranges::none_of(heatmaps, [&](const PlacedHeatmap& other) {
        return other.row == placed.row && other.column < placed.column;
    });
}

// The leftmost of a row, or one whose left neighbour has other rows. Where there is hardly room,
// the rows of the lanes are named beside the fork alone.
bool Table::has_labels(const PlacedHeatmap& placed) const {
    if (is_tight && placed.lane >= 0 && placed.row > 0 && fork()) return false;
    const PlacedHeatmap* neighbour = nullptr;
    for (const PlacedHeatmap& other : heatmaps)
        if (other.row == placed.row && other.column < placed.column &&
            (!neighbour || other.column > neighbour->column))
            neighbour = &other;
    if (!neighbour) return true;
    const BenchTokens &before = tokens_of(*neighbour), &own = tokens_of(placed);
    return &before != &own && before.queries != own.queries;
}

bool Table::is_first_of_lane(const PlacedHeatmap& placed) const {
    return std::ranges::none_of(heatmaps, [&](const PlacedHeatmap& other) {
        return other.lane == placed.lane && other.column < placed.column;
    });
}

// Connectors are labelled; a heatmap without one needs less room. The lines of a fork take theirs
// before the first column of the lanes.
double Table::gap_before(int column) const {
    const std::vector<const PlacedHeatmap*> lanes = branches();
    const bool forks = lanes.size() > 1 && first_branch()->column <= column;
    const double fork = forks && first_branch()->column == column ? fork_width() : 0;
    if (column == 0) return std::max(0.0, fork - label_width());
    double gap = (one_row() ? 24 : 44) * unit;
    for (const PlacedHeatmap& placed : heatmaps) {
        if (placed.column != column) continue;
        const BenchLane* lane = lane_of(placed);
        const bool is_difference = lane && lane->variant == difference_lane;
        const bool is_branch = forks && std::ranges::find(lanes, &placed) != lanes.end();
        double connector = is_difference ? 6 * unit : 24 * unit;
        if (is_branch) {
            gap = std::max(gap, fork);
            continue;
        }
        if (!is_difference && !(placed.lane < 0 && placed.row > 0))
            for (const std::string& line : placed.operations)
                connector = std::max({connector, 44 * unit,
                                      width_of(line, 12 * unit, Weight::semibold) + 14 * unit});
        if (is_joined(placed)) connector += 14 * unit;
        gap = std::max(gap, connector + (has_labels(placed) ? label_width() : 0));
    }
    return gap;
}

double Table::least_width(int column) const {
    double width = 48 * unit;
    for (const PlacedHeatmap& placed : heatmaps) {
        if (placed.column != column) continue;
        const double sums = has_sums(column) ? sums_width() : 0;
        const double beyond = sums > 0 ? 0 : column + 1 == columns() ? overhang : 30;  // points
        width = std::max(
            width, width_of(placed.stage->title, 14 * unit, Weight::semibold) - beyond * unit);
        const BenchLane* lane = lane_of(placed);
        const bool spans_columns = std::ranges::any_of(heatmaps, [&](const PlacedHeatmap& other) {
            return other.lane == placed.lane && other.column != placed.column;
        });
        if (!lane || !one_row() || spans_columns) continue;  // a name has the room of its lane
        const double name = 36 * unit + width_of(lane->name, 15 * unit, Weight::semibold);
        width = std::max(width, std::min(name, 240 * unit) - sums);
    }
    return width;
}

double Table::column_width(int column) const {
    return std::max(double(cells_in(column)) * cell_w, least_width(column));
}

// Keys that read upwards over narrow cells extend further to the left.
double Table::axis_gap() const { return (vertical_tokens ? 9 : 5) * unit; }

double Table::label_width() const {
    const double title = width_of("queries ↓", 12 * unit, Weight::regular) + axis_gap();
    double ems = block->tokens->longest_label;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.stage->tokens) ems = std::max(ems, placed.stage->tokens->longest_label);
    const double tokens = std::min(longest_label * unit, ems * token_size * unit) + 10 * unit;
    return std::max({alike.label, title, tokens});
}

double Table::longest_key() const {
    double ems = block->tokens->longest_key;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.stage->tokens) ems = std::max(ems, placed.stage->tokens->longest_key);
    return std::max(alike.key, ems * token_size * unit);
}

double Table::key_width(const PlacedHeatmap& placed, Index j) const {
    const std::vector<double>& ems = tokens_of(placed).key_ems;
    return j < Index(ems.size()) && j >= 0 ? ems[j] * token_size * unit : 0;
}

double Table::cell_width(const PlacedHeatmap& placed) const {
    const double columns = double(std::max<Index>(placed.stage->cells->columns, 1));
    return double(breadth(*placed.stage, tokens_of(placed), is_bare)) * cell_w / columns;
}

double Table::sums_width() const {
    const auto any = [&](bool RowSums::*has) {
        return std::ranges::any_of(block->lanes,
                                   [&](const BenchLane& lane) { return lane.sums.*has; });
    };
    const bool by_design = any(&RowSums::is_off_by_design), zeroed = any(&RowSums::has_zeroed);
    return (by_design && !is_tight ? 158 : zeroed ? 104 : 88) * unit + sink_width();
}

double Table::sink_width() const {
    const bool sinks = std::ranges::any_of(
        block->lanes, [](const BenchLane& lane) { return lane.sums.has_sinks; });
    return sinks && !is_tight ? 56 * unit : 0;
}

double Table::sums_left(const PlacedHeatmap& weights) const {
    return sink_left(weights) + sink_width();
}

double Table::sink_left(const PlacedHeatmap& weights) const {
    const double title = width_of(weights.stage->title, 14 * unit, Weight::semibold);
    return std::max(weights.rect.right(), weights.rect.x + title) + 12 * unit;
}

double Table::token_height() const {
    constexpr double bold = 1.07;  // of the token that is pointed at
    return vertical_tokens ? std::min(longest_vertical * unit, bold * longest_key()) + 8 * unit
                           : 20 * unit;
}

double Table::title_height() const { return block->title.empty() ? 0 : 24 * unit; }

bool Table::has_keys(const PlacedHeatmap& placed) const {
    if (placed.stage->stage == StageKind::output && !is_tensor_lane(placed.lane)) return false;
    return !is_low || std::ranges::none_of(heatmaps, [&](const PlacedHeatmap& above) {
        return above.column == placed.column && above.row < placed.row &&
               above.stage->stage != StageKind::output &&
               has_same_keys(tokens_of(above), tokens_of(placed));
    });
}

double Table::keys_height(int row) const {
    const bool keys = !is_low || std::ranges::any_of(heatmaps, [&](const PlacedHeatmap& placed) {
        return placed.row == row && has_keys(placed);
    });
    return keys ? token_height() : 2 * unit;
}

double Table::head_height(int row) const {
    return (is_low ? 24 + 20 : 30 + 22) * unit + keys_height(row);
}

double Table::foot(int row) const {
    double marks = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.row == row) marks = std::max(marks, marks_height(*this, *placed.stage));
    return (is_low ? 8 : 16) * unit + marks;
}

double Table::beside_column(int column) const {
    double marks = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.column == column) marks = std::max(marks, marks_width(*this, *placed.stage));
    return std::max(marks, has_sums(column) ? sums_width() : 0);
}

double Table::fixed_width() const {
    double width = label_width() + (has_sums(columns() - 1) ? 0 : overhang * unit);
    for (int column = 0; column < columns(); ++column)
        width += gap_before(column) + beside_column(column);
    return width;
}

double Table::fixed_height() const {
    double height = title_height();
    for (int row = 0; row < rows(); ++row) height += head_height(row) + foot(row);
    return height;
}

// A column is as wide as its cells, and never narrower than its titles.
double Table::widest_cell(double room) const {
    std::vector<bool> is_least(std::size_t(columns()), false);
    for (;;) {
        double left = room, cells = 0;
        for (int column = 0; column < columns(); ++column)
            if (is_least[column])
                left -= least_width(column);
            else
                cells += double(cells_in(column));
        if (cells == 0) break;
        const double cell = std::max(left, 0.0) / cells;
        bool changed = false;
        for (int column = 0; column < columns(); ++column)
            if (!is_least[column] && double(cells_in(column)) * cell < least_width(column))
                is_least[column] = changed = true;
        if (!changed) return cell;
    }
    double cell = 1e9;
    for (int column = 0; column < columns(); ++column)
        cell = std::min(cell, least_width(column) / double(std::max<Index>(cells_in(column), 1)));
    return cell;
}

double Table::lane_titles_end() const {
    double end = 0;
    for (const PlacedHeatmap& placed : heatmaps)
        if (placed.lane >= 0 && !one_row() && is_first_of_lane(placed))
            end = std::max(end, placed.rect.x + 28 * unit +
                                    width_of(lane_of(placed)->name, 15 * unit, Weight::semibold));
    return room_right > 0 ? std::min(end, room_right) : end;
}

void Table::position(double left, double top) {
    double x = left + label_width();
    for (int column = 0; column < columns(); ++column) {
        x += gap_before(column);
        for (PlacedHeatmap& placed : heatmaps)
            if (placed.column == column) {
                const Index across = breadth(*placed.stage, tokens_of(placed), is_bare);
                placed.rect = {std::round(x), 0, double(across) * cell_w,
                               double(placed.stage->cells->rows) * cell_h};
            }
        x += column_width(column) + beside_column(column);
    }
    double y = top + title_height();
    for (int row = 0; row < rows(); ++row) {
        for (PlacedHeatmap& placed : heatmaps)
            if (placed.row == row) placed.rect.y = std::round(y + head_height(row));
        y += head_height(row) + double(cells_down(row)) * cell_h + foot(row);
    }
    if (!has_sums(columns() - 1)) x += overhang * unit;
    right = std::max(x, lane_titles_end());
    bottom = y;
}

}  // namespace maskscope
