// Chooses the table for a block and the size of its cells in the available room.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

Economy economy_of(const LayoutOptions& options) { return options.economy.value_or(Economy{}); }

bool is_weights(const PlacedHeatmap& placed) {
    return placed.stage->stage == StageKind::weights && placed.lane != earlier_lane;
}

bool numbers_may_fit(double cell_w, double cell_h, double unit) {
    return cell_w >= 20 * unit && cell_h >= 14 * unit;
}

bool numbers_may_fit(const Table& t) { return numbers_may_fit(t.cell_w, t.cell_h, t.unit); }

// Cells grow to fill the room, as wide as their numbers need if rows are low; whole pixels from 3
// up.
void size_cells(Table& t, double room_w, double room_h, const LayoutOptions& options) {
    double rows = 0;
    for (int row = 0; row < t.rows(); ++row) rows += double(t.cells_down(row));
    double w = 0, h = 0;
    if (options.width > 0) {
        w = t.widest_cell(room_w - t.fixed_width());
        h = std::max(1.0, room_h - t.fixed_height()) / rows;
    } else {
        const auto& tokens = *t.block->tokens;
        const double longest = double(std::max(tokens.keys.size(), tokens.queries.size()));
        w = h = std::clamp(1536 * t.unit / longest, 2.0, options.cell * t.unit);
    }
    const double widest =
        numbers_may_fit(w, h, t.unit) ? std::max(1.5 * h, std::min(52 * t.unit, 2.5 * h)) : h;
    w = std::min({w, widest, 110 * t.unit});
    h = std::min(h, w);
    // With many cells, whole pixels for each would waste much of the space, so only their sum is
    // whole.
    constexpr double many = 24;
    const auto snapped = [&](double cell, double count) {
        if (options.width > 0 && count > many)
            return std::max(1.0, std::floor(cell * count)) / count;
        return cell >= 3 ? std::floor(cell) : cell;
    };
    t.cell_w = snapped(w, double(t.block->tokens->keys.size()));
    t.cell_h = snapped(h, double(t.block->tokens->queries.size()));
}

// Whether all key tokens fit above their cells, in the room left by their neighbours. A token that
// would be shortened either way does not count.
bool keys_fit(const Table& t) {
    const double gap = key_gap * t.unit, too_long = t.longest_vertical * t.unit;
    for (const PlacedHeatmap& placed : t.heatmaps) {
        if (placed.stage->stage == StageKind::output) continue;
        const double cell = t.cell_width(placed);
        const Index n = Index(t.tokens_of(placed).keys.size());
        for (Index j = 0; j < n; ++j) {
            const double width = t.key_width(placed, j);
            if (width <= cell - gap || width > too_long) continue;
            const double beside = std::max(t.key_width(placed, j - 1), t.key_width(placed, j + 1));
            double room = 2 * (cell - gap) - std::min(beside, cell - gap);
            if (j == 0 || j + 1 == n) room = std::min(room, cell + 6 * t.unit);
            if (width > room) return false;
        }
    }
    return true;
}

// Type grows with its cell; whole points.
double grown(const Table& t, double size, double most) {
    const double room = std::min(t.cell_w / 4.6, 0.42 * t.cell_h) / t.unit;
    return std::max(size, std::floor(std::min(room, most)));
}

void fit_cells(Table& t, double room_w, double room_h, const LayoutOptions& options) {
    size_cells(t, room_w, room_h, options);
    t.token_size = grown(t, options.token_size, 17);
    if (t.token_size > options.token_size) {
        size_cells(t, room_w, room_h, options);
        if (!keys_fit(t)) {
            t.token_size = options.token_size;
            size_cells(t, room_w, room_h, options);
        }
    }
    t.number_size = grown(t, options.number_size, 20);
    if (!keys_fit(t)) t.token_size = std::min(t.token_size, 12.0);
    t.vertical_tokens = t.vertical_tokens || !keys_fit(t);
    if (t.vertical_tokens) size_cells(t, room_w, room_h, options);
}

double least_room(const Table& t) {
    double width = t.fixed_width();
    for (int column = 0; column < t.columns(); ++column) width += t.least_width(column);
    return width;
}

Table fitted_with(const BenchBlock& block, int lanes_across, double room_w, double room_h,
                  const LayoutOptions& options, const SharedTableSizes& alike,
                  bool tensors_abreast) {
    Table t = table_of(block, options, lanes_across, tensors_abreast);
    t.alike = alike;
    t.vertical_tokens = alike.vertical;
    if (options.width > 0)
        while (least_room(t) > room_w && t.leave_out_column()) continue;
    for (int k = 0; k < economy_of(options).left_out; ++k) t.leave_out_column();
    const auto is_short = [&] { return options.width > 0 && least_room(t) > room_w; };
    t.is_tight = is_short();
    fit_cells(t, room_w, room_h, options);
    if (!t.is_tight && is_short()) {  // keys that read upwards need room, too
        t.is_tight = true;
        fit_cells(t, room_w, room_h, options);
    }
    return t;
}

// Scores and weights matter to someone editing Q, K and V: if there is not room for both, their
// numbers take precedence over the stages between them.
Table with_numbers(const BenchBlock& block, Table all, double room_w, double room_h,
                   const LayoutOptions& options) {
    if (block.tensors.empty() || options.width <= 0) return all;
    Table fewer = all;
    while (!numbers_may_fit(fewer) && fewer.leave_out_column(true)) {
        fewer.vertical_tokens = fewer.alike.vertical;
        fewer.token_size = options.token_size;
        fit_cells(fewer, room_w, room_h, options);
    }
    return numbers_may_fit(fewer) ? fewer : all;
}

// Arranges Q, K and V so that cells have the most room.
Table fitted(const BenchBlock& block, int lanes_across, double room_w, double room_h,
             const LayoutOptions& options, const SharedTableSizes& alike) {
    const auto with = [&](bool abreast) {
        Table all = fitted_with(block, lanes_across, room_w, room_h, options, alike, abreast);
        return with_numbers(block, std::move(all), room_w, room_h, options);
    };
    Table stacked = with(false);
    if (block.tensors.size() < 3 || options.width <= 0) return stacked;
    Table abreast = with(true);
    const auto rank = [](const Table& t) {
        return std::tuple(numbers_may_fit(t), -double(t.left_out.size()), t.cell_w * t.cell_h);
    };
    return rank(abreast) > rank(stacked) ? abreast : stacked;
}

// In a file about 1600 points wide at most, with evenly filled rows.
int lanes_across_in_file(const BenchBlock& block, const LayoutOptions& options) {
    const int lanes = int(block.lanes.size());
    int across = lanes;
    for (; across > 1; --across) {
        Table t = fitted(block, across, 0, 0, options, {});
        t.position(0, 0);
        if (t.right <= 1600 * t.unit) break;
    }
    const int rows = (lanes + across - 1) / across;
    return (lanes + rows - 1) / rows;
}

}  // namespace

namespace {

// Q, K and V in a column, or Q and K side by side above V; returns how many columns that takes.
int place_tensors(Table& t, const BenchBlock& block, bool abreast) {
    int row = 0;
    for (const BenchStage& stage : block.tensors) {
        const bool is_query = stage.lane == queries_lane;
        if (abreast)
            t.place(stage, stage.lane == values_lane ? 1 : 0, stage.column + (is_query ? 0 : 1),
                    stage.lane);
        else
            t.place(stage, row++, stage.column, stage.lane);
    }
    return block.tensors.empty() ? 0 : abreast ? 2 : 1;
}

// The mask, or each lane's own, and the weights of each lane; the rest is left out.
void place_weights(Table& t, const BenchBlock& block) {
    const auto leave_out = [&](const BenchStage& stage) {
        if (std::ranges::find(t.left_out, stage.title) == t.left_out.end())
            t.left_out.push_back(stage.title);
    };
    for (const BenchStage& stage : block.shared) leave_out(stage);
    if (block.mask) t.place(*block.mask, 0, 0, shared_lane);
    const int first = block.mask ? 1 : 0;
    const auto is_mask = [](const BenchStage& stage) { return stage.stage == StageKind::allowed; };
    const bool own_masks = std::ranges::any_of(block.lanes, [&](const BenchLane& lane) {
        return std::ranges::any_of(lane.stages, is_mask);
    });
    for (int k = 0; k < int(block.lanes.size()); ++k) {
        const int column = first + k % t.lanes_across * (own_masks ? 2 : 1);
        for (const BenchStage& stage : block.lanes[k].stages)
            if (is_mask(stage))
                t.place(stage, k / t.lanes_across, column, k);
            else if (stage.stage == StageKind::weights)
                t.place(stage, k / t.lanes_across, column + (own_masks ? 1 : 0), k);
            else
                leave_out(stage);
    }
}

}  // namespace

Table table_of(const BenchBlock& block, const LayoutOptions& options, int lanes_across,
               bool tensors_abreast) {
    Table t;
    t.block = &block;
    t.lanes_across = lanes_across;
    t.tensors_abreast = tensors_abreast;
    t.unit = options.scale;
    t.token_size = options.token_size;
    if (options.complete) t.longest_label = t.longest_vertical = 200;
    const Economy economy = economy_of(options);
    t.is_low = economy.low;
    t.is_bare = economy.bare;
    t.is_unmarked = economy.unmarked;
    if (economy.weights_alone) {
        place_weights(t, block);
        return t;
    }
    int earlier_row = 0;
    for (const BenchStage& stage : block.earlier)
        t.place(stage, stage.column == 0 ? earlier_row++ : 0, stage.column, earlier_lane);
    const int tensor_columns = place_tensors(t, block, tensors_abreast);
    const bool mask_first = economy.mask_first && block.mask && !block.shared.empty();
    if (mask_first) t.place(*block.mask, 0, 0, shared_lane);
    // columns that the bench did not count
    const int shift = std::max(0, tensor_columns - 1) + (mask_first ? 1 : 0);
    for (const BenchStage& stage : block.shared)
        t.place(stage, 0, stage.column + shift, shared_lane);
    if (block.mask && !mask_first)
        t.place(*block.mask, block.shared.empty() ? 0 : 1, block.mask->column + shift, shared_lane);
    const int after_earlier = block.earlier.empty() ? 0 : block.earlier.back().column + 1;
    const int first = block.mask ? block.mask->column + shift + 1 : after_earlier + tensor_columns;
    for (int k = 0; k < int(block.lanes.size()); ++k)
        for (const BenchStage& stage : block.lanes[k].stages) {
            if (lanes_across > 0)
                t.place(stage, k / lanes_across, first + k % lanes_across, k);
            else
                t.place(stage, k, stage.column + shift, k);
        }
    return t;
}

bool Table::leave_out_column(bool stages_of_lanes) {
    if (one_row()) return false;
    const auto weights = std::ranges::find_if(heatmaps, is_weights);
    const int last = weights == heatmaps.end() ? columns() - 1 : weights->column;
    const auto spared = [&](int column) {  // -1: needed; else the order of removal
        int order = column < last ? 1 : column > last ? 1000 - column : -1;
        for (const PlacedHeatmap& placed : heatmaps) {
            if (placed.column != column) continue;
            if (is_weights(placed) || placed.stage->stage == StageKind::allowed) return -1;
            if (stages_of_lanes && placed.stage->stage <= StageKind::scaled) return -1;
            if (placed.lane < 0 && order > 0) order = 100 - column;
        }
        if (stages_of_lanes && order != 1) return -1;
        return order < 0 ? -1 : order == 1 ? 1 + column : order;
    };
    int column = -1;
    for (int k = 0; k < columns(); ++k)
        if (spared(k) >= 0 && (column < 0 || spared(k) < spared(column))) column = k;
    if (column < 0) return false;
    for (const PlacedHeatmap& gone : heatmaps) {
        if (gone.column != column) continue;
        if (std::ranges::find(left_out, gone.stage->title) == left_out.end())
            left_out.push_back(gone.stage->title);
        PlacedHeatmap* next = nullptr;  // takes over the operations
        for (PlacedHeatmap& placed : heatmaps)
            if (placed.lane == gone.lane && placed.column > column &&
                (!next || placed.column < next->column))
                next = &placed;
        if (next)
            next->operations.insert(next->operations.begin(), gone.operations.begin(),
                                    gone.operations.end());
    }
    std::erase_if(heatmaps, [&](const PlacedHeatmap& placed) { return placed.column == column; });
    for (PlacedHeatmap& placed : heatmaps)
        if (placed.column > column) --placed.column;
    return true;
}

Table fitted_table(const BenchBlock& block, double room_w, double room_h,
                   const LayoutOptions& options, const SharedTableSizes& alike) {
    if (!is_side_by_side(block) && !economy_of(options).weights_alone)
        return fitted(block, 0, room_w, room_h, options, alike);
    if (options.width <= 0)
        return fitted(block, lanes_across_in_file(block, options), room_w, room_h, options, alike);
    Table best;
    double largest = -1;
    const int lanes = int(block.lanes.size());
    for (int rows = 1; rows <= lanes; ++rows) {
        const int across = (lanes + rows - 1) / rows;
        Table t = fitted(block, across, room_w, room_h, options, alike);
        const double size = least_room(t) <= room_w ? t.cell_w * t.cell_h : 0;
        if (size > largest) best = std::move(t), largest = size;
    }
    return best;
}

}  // namespace maskscope
