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
    double w = options.cell * t.unit, h = w;
    if (options.width > 0) {
        w = std::max(1.0, room_w - t.fixed_width()) / keys;
        h = std::max(1.0, room_h - t.fixed_height()) / (t.rows() * queries);
    } else {
        const double longest = std::max(double(t.block.keys.size()), queries);
        w = h = std::clamp(1536 * t.unit / longest, 2.0, w);
    }
    w = std::min({w, std::max(1.5 * h, 52 * t.unit), 2.5 * h, 110 * t.unit});
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

}  // namespace

Figure lay_out(const Bench& bench, const LayoutOptions& options) {
    Figure figure;
    figure.unit = options.scale;
    const double unit = options.scale, margin = options.width > 0 ? 0 : 20 * unit;
    double y = margin, widest = 0;
    if (options.with_title && !bench.title.empty()) {
        figure.texts.push_back(
            {{margin, y + 12 * unit}, bench.title, {18 * unit, Weight::semibold}, Role::ink});
        widest = figure_text_width(figure.texts.back());
        y += 36 * unit;
    }
    const double legend = options.with_legend ? 34 * unit : 0;
    const double room_h = (options.height - y - legend) / double(bench.blocks.size());
    for (const BenchBlock& block : bench.blocks) {
        Table table = table_of(block, options);
        fit_cells(table, options.width, room_h, options);
        table.position(margin, y);
        draw_table(figure, table, options);
        widest = std::max(widest, table.right - margin);
        y = table.bottom;
    }
    if (options.with_legend) {
        const double right = draw_legend(figure, bench, options, margin, y + 8 * unit);
        widest = std::max(widest, right - margin);
        y += legend;
    }
    figure.width = options.width > 0 ? options.width : widest + 2 * margin;
    figure.height = options.height > 0 ? options.height : y + margin;
    return figure;
}

}  // namespace maskscope
