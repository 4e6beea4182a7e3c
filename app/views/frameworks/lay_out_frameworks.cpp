// Lays out frameworks side by side: the weights that result from the mask, and the frameworks that
// compute them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/plots/plot.h"
#include "app/style/labels.h"
#include "app/views/frameworks/frameworks_view.h"
#include "core/frameworks/framework.h"

namespace maskscope {

namespace {

// points
constexpr double least_column = 236, line_height = 17, entry_gap = 4, entry_inset = 8;

// --- the names below a column

TextStyle entry_style(double u) { return {13 * u, Weight::medium}; }

// Returns the width for a framework's name. The letters of its variants are to the right of the
// name.
double room_for_name(const FrameworkEntry& entry, double column, double u) {
    return column - (2 * entry_inset + 24 * double(entry.variants.size())) * u;
}

std::vector<std::string> lines_of(const FrameworkEntry& entry, double column, double u) {
    return broken_into_lines(frameworks()[entry.framework].name, entry_style(u),
                             std::max(1.0, room_for_name(entry, column, u)));
}

double entry_height(const FrameworkEntry& entry, double column, double u) {
    return (line_height * double(lines_of(entry, column, u).size()) + 10) * u;
}

// Returns the height of the longest list of names, in columns of the least width.
double names_height(const FrameworksView& view, double u) {
    double highest = 0;
    for (const FrameworkColumn& each : view.columns) {
        double height = 0;
        for (const FrameworkEntry& entry : each.entries)
            height += entry_height(entry, least_column * u, u) + entry_gap * u;
        highest = std::max(highest, height);
    }
    return highest;
}

// --- the columns: as many in a row as fit, and a table for each row

struct FrameworkRows {
    std::vector<BenchBlock> blocks;
    std::vector<Table> tables;
    double names = 0;  // the height of the names below a table

    double width() const {
        double widest = 0;
        for (const Table& table : tables) widest = std::max(widest, table.width());
        return widest;
    }
    double height() const {
        double height = 0;
        for (const Table& table : tables) height += table.height() + names;
        return height;
    }
    void take(double cell) {
        for (Table& table : tables) table.take(cell);
    }
};

FrameworkRows rows_of(const FrameworksView& view, std::size_t across, ColourMap map, double least,
                      const LayoutOptions& options) {
    FrameworkRows rows;
    rows.names = names_height(view, options.scale);
    for (std::size_t k = 0; k < view.columns.size(); ++k) {
        if (k % across == 0) {
            BenchBlock& block = rows.blocks.emplace_back();
            block.b = view.b;
            block.h = view.h;
            block.tokens = view.tokens;
        }
        BenchVariant& variant = rows.blocks.back().variants.emplace_back(view.columns[k].variant);
        variant.index = shared_variant;
        variant.name = words(view.columns[k].kind);
        variant.changes.clear();
        variant.stages.front().map = map;
    }
    for (const BenchBlock& block : rows.blocks) {
        Table& table = rows.tables.emplace_back(table_of(block, options, true));
        table.queries_once = true;
        table.measure();
        table.take(least);
        for (int column = 0; column < table.columns(); ++column)
            table.widths[column].least =
                std::max(table.widths[column].least,
                         least_column * options.scale - table.beside_column(column));
    }
    return rows;
}

// Returns the columns with the largest cells that fit, or with the smallest if none do.
FrameworkRows fitted_rows(const FrameworksView& view, ColourMap map, double height,
                          const LayoutOptions& options) {
    const Index tokens = std::max(std::ssize(view.tokens->keys), std::ssize(view.tokens->queries));
    const CellRange range = cells_of(options, tokens);
    FrameworkRows rows = rows_of(view, view.columns.size(), map, range.least, options);
    if (options.width > 0 && rows.width() > options.width) {
        const double labels = rows.tables.front().label_width(),
                     count = double(view.columns.size());
        const std::size_t across = in_a_row(view.columns.size(), (rows.width() - labels) / count,
                                            rows.height(), std::max(1.0, options.width - labels));
        rows = rows_of(view, across, map, range.least, options);
    }
    const auto fits = [&](double cell) {
        rows.take(cell);
        return options.width <= 0 || (rows.width() <= options.width && rows.height() <= height);
    };
    rows.take(std::max(range.least, largest_cell(range.most, tokens, fits)));
    return rows;
}

struct ColumnDrawing {
    Figure& figure;
    const FrameworksView& view;
    const LayoutOptions& options;
    Index number = 0;  // the number of the column
};

void draw_entry(const ColumnDrawing& d, const FrameworkEntry& entry, const Rect& box) {
    const double u = d.options.scale;
    const auto& spot = d.options.spot;
    const bool pointed =
        spot && spot->kind == Spot::Kind::framework && spot->row == Index(entry.framework);
    d.figure.boxes.push_back({box, 5 * u, true, pointed || !entry.variants.empty(), Role::panel,
                              pointed ? Role::ink : Role::dim, 1.5 * u});
    double y = box.y + 5 * u + line_height * u / 2;
    for (const std::string& line : lines_of(entry, box.w, u)) {
        d.figure.texts.push_back({.at = {box.x + entry_inset * u, y},
                                  .text = line,
                                  .style = entry_style(u),
                                  .max_width = room_for_name(entry, box.w, u)});
        y += line_height * u;
    }
    const double letters = 24 * double(entry.variants.size()) * u;
    draw_letters(d.figure, entry.variants, {box.right() - letters - 2 * u, box.y + box.h / 2}, u);
    d.figure.spots.push_back({.kind = Spot::Kind::framework,
                              .rect = box,
                              .b = d.view.b,
                              .h = d.view.h,
                              .row = Index(entry.framework),
                              .key = d.number});
}

void draw_rows(Figure& figure, const FrameworksView& view, FrameworkRows& rows, Point from,
               const LayoutOptions& options) {
    Index number = 0;
    for (Table& table : rows.tables) {
        table.position(from.x, from.y);
        draw_table(figure, table, options);
        for (const PlacedHeatmap& placed : table.heatmaps) {
            const double width = std::floor(table.column_width(placed.column) +
                                            table.beside_column(placed.column) - 0.5);
            double y = table.bottom;
            for (const FrameworkEntry& entry : view.columns[number].entries) {
                const double height = entry_height(entry, width, options.scale);
                draw_entry({figure, view, options, number}, entry,
                           {placed.rect.x, y, width, height});
                y += height + entry_gap * options.scale;
            }
            ++number;
        }
        figure.cell = table.cell;
        from.y = table.bottom + rows.names;
    }
}

// --- above the columns

double draw_summary(Figure& figure, const FrameworksView& view, Point at, double room, double u) {
    const double x = draw_letters(figure, {view.base}, {at.x, at.y + 10 * u}, u);
    return 16 * u +
           draw_paragraph(
               figure,
               {.at = {x, at.y}, .text = summary_of(view), .style = {15 * u, Weight::semibold}},
               std::max(1.0, room - (x - at.x)));
}

}  // namespace

Figure lay_out_frameworks(const FrameworksView& view, ColourMap map, const std::string& title,
                          const LayoutOptions& options) {
    Figure figure;
    const double u = figure.unit = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    double top = draw_figure_title(figure, title, options);
    const double room =
        options.width > 0 ? options.width : fitted_rows(view, map, 0, options).width();
    top += draw_summary(figure, view, {margin, top}, room, u);
    FrameworkRows rows = fitted_rows(view, map, options.height - top, options);
    draw_rows(figure, view, rows, {margin, top}, options);
    figure.width = std::max({options.width, figure.width, margin + rows.width()}) + margin;
    figure.height = std::max(options.height, top + rows.height() + margin);
    return figure;
}

}  // namespace maskscope
