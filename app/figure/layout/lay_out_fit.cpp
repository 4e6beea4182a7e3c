// Makes the table of a block in either arrangement, and decides the size of its cells.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

Table table_of(const BenchBlock& block, const LayoutOptions& options, bool abreast) {
    Table t;
    t.block = &block;
    t.abreast = abreast;
    t.in_hall = t.queries_once = options.in_hall;
    t.in_file = options.complete;
    t.has_names = std::ranges::any_of(block.lanes, [](const BenchLane& lane) {
        return lane.variant != shared_lane || !lane.name.empty();
    });
    t.unit = options.scale;
    t.token_size = options.token_size;
    if (options.complete) t.longest_label = t.longest_vertical = 200;
    int row = 0;
    for (const BenchStage& stage : block.earlier)
        t.place(stage, stage.column == 0 ? row++ : 0, stage.column, foreign_lane);
    row = 0;
    // Presenting has more width than height: there K is beside Q, not below it.
    const bool beside =
        options.in_hall && block.tensors.size() > 1 && block.tensors.front().lane == queries_lane;
    const int wider = beside ? 1 : 0;
    for (const BenchStage& stage : block.tensors) {
        const bool is_beside = beside && stage.lane == keys_lane;
        t.place(stage, is_beside ? 0 : row++, stage.column + (is_beside ? 1 : 0), stage.lane);
    }
    for (const BenchStage& stage : block.shared)
        t.place(stage, 0, stage.column + wider, shared_lane);
    // The mask is below the shared scores, or between them and what it masks.
    const bool under_each_other = !abreast && block.lanes.size() > 1;
    const bool in_line =
        block.mask && options.with_mask && !block.shared.empty() && !under_each_other;
    if (block.mask && options.with_mask)
        t.place(*block.mask, block.shared.empty() || in_line ? 0 : 1,
                block.mask->column + wider + (in_line ? 1 : 0), shared_lane);
    int next = t.columns();
    for (int k = 0; k < int(block.lanes.size()); ++k)
        for (const BenchStage& stage : block.lanes[k].stages)
            if (options.with_mask || stage.stage != StageKind::allowed)
                t.place(stage, abreast ? 0 : k,
                        abreast ? next++ : stage.column + wider + (in_line ? 1 : 0), k);
    t.close_gaps();
    t.measure();
    return t;
}

CellRange cells_of(const LayoutOptions& options, Index tokens) {
    constexpr double hall = 384;                // points that its screen is high
    constexpr double largest = 14 / 25.4 * 72;  // in a figure: 14 mm
    CellRange range{36 * options.scale, 64 * options.scale};
    if (options.in_hall) range = {hall / 16 * options.scale, hall / 9 * options.scale};
    if (options.complete) {
        const double most = options.in_hall ? range.most : largest;  // a slide fills a screen, too
        range = {30 * options.scale, std::max(30 * options.scale, most)};
        if (!options.with_numbers) range.least = 16 * options.scale;  // for the tokens
    }
    if (tokens <= most_readable) return range;
    if (options.width <= 0)
        range.most = std::clamp(1536 * options.scale / double(tokens), 2.0, range.most);
    // A heatmap has at least this side; in a figure, type becomes smaller first.
    const double side = options.complete ? 180 : 64;  // points
    const bool smallest = options.complete && options.scale <= smallest_scale + 1e-9;
    range.least = smallest ? 0 : side * options.scale / double(tokens);
    range.least = std::max(range.least, options.least_cell);
    return range;
}

bool Fit::beats(const Fit& other) const {
    const double larger = cell - other.cell;
    return std::abs(larger) > 1e-9 ? larger > 0 : hidden < other.hidden - 1;
}

Fit fit_of(double cell, double width, double height, double room_width, double room_height) {
    if (room_width <= 0) return {cell, 0};
    const double seen = std::min(width, room_width) * std::min(height, std::max(0.0, room_height));
    return {cell, width * height - seen};
}

std::size_t in_a_row(std::size_t count, double part_width, double part_height, double room) {
    const double n = double(count);
    const double held = room > 0 ? std::floor(room / part_width)
                                 : std::round(std::sqrt(n * part_height * 16 / (part_width * 9)));
    const auto across = std::size_t(std::clamp(held, 1.0, n));
    const std::size_t rows = (count + across - 1) / across;
    return (count + rows - 1) / rows;
}

double largest_cell(double most, Index tokens, const std::function<bool(double)>& fits) {
    if (tokens <= most_readable) {
        for (double size = std::floor(most); size > 1; --size)
            if (fits(size)) return size;
        return 1;
    }
    double low = 0, high = most * double(tokens);
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (fits(middle / double(tokens)) ? low : high) = middle;
    }
    return std::max(low, 1.0) / double(tokens);
}

}  // namespace maskscope
