// Lays out a bench: every block is a table of heatmaps, arranged so that cells are as large as
// possible.

#include "app/figure/layout/lay_out.h"

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

Index most_tokens(const Bench& bench) {
    Index most = 1;
    each_stage(bench, [&](const BenchStage& stage) {
        const bool of_keys = stage.stage != StageKind::output;
        most = std::max({most, stage.cells->rows, of_keys ? stage.cells->columns : Index{1}});
    });
    return most;
}

// The blocks of a bench in rows: as many to a row as fit, then evenly distributed.
struct Arrangement {
    std::vector<Table> tables;
    double room = 0;     // the available width; 0 = any
    double between = 0;  // the gap between blocks side by side
    std::size_t across = 1;
    double cell = 0;
    double width = 0, height = 0;     // the width of a row, and the height of all rows
    std::vector<double> lefts, tops;  // the edges of the columns and rows of blocks

    // Measures everything with cells of this size.
    void take(double size) {
        cell = size;
        bool upright = false;
        for (Table& table : tables) {
            table.take(size);
            upright = upright || table.vertical_tokens;
        }
        for (Table& table : tables) table.vertical_tokens = upright;
        measure();
    }

private:
    void measure() {
        double widest = 0, highest = 0;
        for (const Table& table : tables) {
            widest = std::max(widest, table.width());
            highest = std::max(highest, table.height());
        }
        across = in_a_row(tables.size(), widest + between, highest, room > 0 ? room + between : 0);
        const std::size_t down = (tables.size() + across - 1) / across;
        std::vector<double> widths(across, 0), heights(down, 0);
        for (std::size_t k = 0; k < tables.size(); ++k) {
            widths[k % across] = std::max(widths[k % across], tables[k].width());
            heights[k / across] = std::max(heights[k / across], tables[k].height());
        }
        lefts.clear();
        tops.clear();
        width = height = 0;
        for (const double w : widths) {
            lefts.push_back(width);
            width += w + between;
        }
        width -= between;
        for (const double h : heights) {
            tops.push_back(height);
            height += h;
        }
    }
};

Arrangement arranged(const std::vector<BenchBlock>& blocks, const LayoutOptions& options,
                     bool abreast) {
    Arrangement made;
    made.room = options.width;
    made.between = (options.in_hall ? 16 : 24) * options.scale;
    SharedTableSizes alike;
    for (const bool final : {false, true}) {
        made.tables.clear();
        for (const BenchBlock& block : blocks) {
            Table& table = made.tables.emplace_back(table_of(block, options, abreast));
            if (final) {
                table.alike = alike;
                table.measure();
            }
            alike.label = std::max(alike.label, table.labels);
            alike.key = std::max(alike.key, table.longest_key());
        }
        if (blocks.size() == 1) break;
    }
    return made;
}

// Returns the arrangement, with variants one below the other or side by side. Larger cells win; if
// they are equal, the one that leaves less out of view; if that is equal, too, one below the other.
Arrangement best_of(const std::vector<BenchBlock>& blocks, const LayoutOptions& options,
                    double height, Index tokens) {
    const CellRange range = cells_of(options, tokens);
    const bool several = std::ranges::any_of(
        blocks, [](const BenchBlock& block) { return block.variants.size() > 1; });
    Arrangement best;
    Fit best_fit;
    for (const bool abreast : {false, true}) {
        if (abreast && !several) break;
        Arrangement made = arranged(blocks, options, abreast);
        const double size = largest_cell(range.most, tokens, [&](double cell) {
            made.take(cell);
            return options.width <= 0 || (made.width <= options.width && made.height <= height);
        });
        made.take(std::max(size, range.least));
        const Fit fit = fit_of(made.cell, made.width, made.height, options.width, height);
        if (!fit.beats(best_fit)) continue;
        best = std::move(made);
        best_fit = fit;
    }
    return best;
}

std::vector<const BenchStage*> stages_of(const Bench& bench) {
    std::vector<const BenchStage*> stages;
    each_stage(bench, [&](const BenchStage& stage) { stages.push_back(&stage); });
    return stages;
}

}  // namespace

bool has_more_than_can_be_read(const Bench& bench) { return most_tokens(bench) > most_readable; }

Figure lay_out(const Bench& bench, const LayoutOptions& options) {
    if (!bench.heads.empty()) return lay_out_heads(bench, options);
    Figure figure;
    const double unit = figure.unit = options.scale;
    const double margin = options.width > 0 ? 0 : 20 * unit;
    double y = margin, right = margin;
    if (options.with_title && !bench.title.empty()) {
        figure.texts.push_back(
            {{margin, y + 12 * unit}, bench.title, {18 * unit, Weight::semibold}});
        right += figure_text_width(figure.texts.back());
        y += 36 * unit;
    }
    const bool has_legend = options.with_legend || options.with_colour_bars;
    const std::vector<const BenchStage*> stages = stages_of(bench);
    const auto legend = [&](Figure& drawn, const LegendSigns& signs, Point from) {
        return has_legend ? draw_legend(drawn, signs, stages, options, {from.x, from.y + 6 * unit})
                          : from;
    };
    // Leave space to explain all flags, so that an edit does not move anything.
    Figure measured;
    const double left = margin + table_of(bench.blocks.front(), options, false).label_width();
    const double foot = legend(measured, {}, {left, 0}).y;
    Arrangement made =
        best_of(bench.blocks, options, options.height - y - foot, most_tokens(bench));
    for (std::size_t k = 0; k < made.tables.size(); ++k) {
        Table& table = made.tables[k];
        const double x = margin + made.lefts[k % made.across];
        const std::size_t next = k % made.across + 1;
        if (next < made.across)
            table.room_right = margin + made.lefts[next] - made.between;
        else if (options.width > 0)
            table.room_right = std::max(options.width, x + table.width());
        table.position(x, y + made.tops[k / made.across]);
        draw_table(figure, table, options);
        right = std::max(right, table.right);
    }
    figure.cell = made.cell;
    const double bottom = y + made.height;
    const Point end = legend(figure, {bench.signs, bench.loses_weight}, {left, bottom});
    figure.width = std::max(options.width, std::max(right, end.x) + margin);
    figure.height = std::max(options.height, bottom + foot + margin);
    return figure;
}

}  // namespace maskscope
