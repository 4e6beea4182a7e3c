// One block of the bench is a table: a row a lane, a column a stage. First the sizes that do not
// depend on the cells, then the cells that fill what is left, then every piece in its place.

#include "app/figure/lay_out.h"

#include <algorithm>
#include <cmath>

#include "app/figure/lay_out_parts.h"

namespace maskscope {

namespace {

// Lanes stand side by side where each shows one stage only and nothing but the mask is shared.
bool side_by_side(const BenchBlock& block) {
    return block.lanes.size() > 1 && block.shared.empty() &&
           std::all_of(block.lanes.begin(), block.lanes.end(),
                       [](const Lane& lane) { return lane.stages.size() == 1; });
}

// Side by side is the same table with each lane's stage in a column of its own.
BenchBlock in_one_row(BenchBlock block) {
    int column = block.mask ? block.mask->column + 1 : 0;
    for (Lane& lane : block.lanes)
        for (BenchStage& stage : lane.stages) stage.column = column++;
    return block;
}

Table table_of(const BenchBlock& block, const LayoutOptions& options) {
    Table t;
    t.one_row = side_by_side(block);
    t.block = t.one_row ? in_one_row(block) : block;
    t.unit = options.scale;
    t.compact = options.compact;
    t.token_size = options.token_size;
    for (const BenchStage& stage : t.block.shared) t.place(stage, 0, -1);
    if (t.block.mask) t.place(*t.block.mask, t.block.shared.empty() ? 0 : 1, -1);
    for (std::size_t k = 0; k < t.block.lanes.size(); ++k)
        for (const BenchStage& stage : t.block.lanes[k].stages)
            t.place(stage, t.one_row ? 0 : int(k), int(k));
    return t;
}

// Cells grow to fill the room, as wide as their numbers ask where rows are low; whole pixels from
// 3 up.
void size_cells(Table& t, double room_w, double room_h, const LayoutOptions& options) {
    const double keys = std::max(1.0, t.cells_across()), queries = double(t.block.queries.size());
    double w = 0, h = 0;
    if (options.width > 0) {
        w = std::max(1.0, room_w - t.fixed_width()) / keys;
        h = std::max(1.0, room_h - t.fixed_height()) / (t.rows() * queries);
    } else {
        const double longest = std::max(double(t.block.keys.size()), queries);
        w = h = std::clamp(1536 * t.unit / longest, 2.0, options.cell * t.unit);
    }
    const bool numbers_may_fit = w >= 34 * t.unit && h >= 14 * t.unit;
    const double widest = numbers_may_fit ? std::max(1.5 * h, std::min(52 * t.unit, 2.5 * h)) : h;
    w = std::min({w, widest, 110 * t.unit});
    h = std::min(h, w);
    t.cell_w = w >= 3 ? std::floor(w) : w;
    t.cell_h = h >= 3 ? std::floor(h) : h;
}

void fit_cells(Table& t, double room_w, double room_h, const LayoutOptions& options) {
    size_cells(t, room_w, room_h, options);
    if (t.longest_key() > t.cell_w - 2 * t.unit) t.token_size = 12;
    t.vertical_tokens = t.cell_w < 36 * t.unit && t.longest_key() > t.cell_w;
    if (t.vertical_tokens) size_cells(t, room_w, room_h, options);
}

// How the blocks of a bench stand: so many beside each other, so many under each other.
struct Grid {
    std::size_t across = 1, down = 1;
};

Grid grid_of(std::size_t count, std::size_t across) {
    return {across, (count + across - 1) / across};
}

// In a room the grid whose heatmaps become largest; in a file about as many across as down.
Grid choose_grid(const Bench& bench, double room_w, double room_h, const LayoutOptions& options) {
    const std::size_t count = bench.blocks.size();
    if (options.width <= 0) return grid_of(count, std::size_t(std::ceil(std::sqrt(double(count)))));
    Grid best;
    double largest = 0;
    for (std::size_t across = 1; across <= count; ++across) {
        const Grid grid = grid_of(count, across);
        Table table = table_of(bench.blocks.front(), options);
        fit_cells(table, room_w / double(grid.across), room_h / double(grid.down), options);
        const double size = table.cell_w * table.cell_h;
        if (size > largest) best = grid, largest = size;
    }
    return best;
}

// Draws the blocks from (left, top) on; returns where they end on the right and at the bottom.
Point draw_blocks(Figure& figure, const Bench& bench, Point from, double room_w, double room_h,
                  const LayoutOptions& options) {
    const Grid grid = choose_grid(bench, room_w, room_h, options);
    const double cell_w = room_w / double(grid.across), cell_h = room_h / double(grid.down);
    Point end = from, at = from;
    for (std::size_t k = 0; k < bench.blocks.size(); ++k) {
        if (k % grid.across == 0) at = {from.x, k == 0 ? from.y : end.y};
        Table table = table_of(bench.blocks[k], options);
        fit_cells(table, cell_w, cell_h, options);
        table.position(at.x, at.y);
        draw_table(figure, table, options);
        end = {std::max(end.x, table.right), std::max(end.y, table.bottom)};
        at.x = options.width > 0 ? at.x + cell_w : table.right + 24 * options.scale;
    }
    return end;
}

}  // namespace

Figure lay_out(const Bench& bench, const LayoutOptions& options) {
    Figure figure;
    figure.unit = options.scale;
    const double unit = options.scale, margin = options.width > 0 ? 0 : 20 * unit;
    double y = margin, right = margin;
    if (options.with_title && !bench.title.empty()) {
        const TextStyle style{18 * unit, Weight::semibold};
        figure.texts.push_back({{margin, y + 12 * unit}, bench.title, style, Role::ink});
        right += figure_text_width(figure.texts.back());
        y += 36 * unit;
    }
    const double legend = options.with_legend ? 34 * unit : 0;
    const Point end = draw_blocks(figure, bench, {margin, y}, options.width,
                                  options.height - y - legend, options);
    right = std::max(right, end.x);
    if (options.with_legend)
        right = std::max(right, draw_legend(figure, bench, options, margin, end.y + 8 * unit));
    figure.width = options.width > 0 ? options.width : right + margin;
    figure.height = options.height > 0 ? options.height : end.y + legend + margin;
    return figure;
}

}  // namespace maskscope
