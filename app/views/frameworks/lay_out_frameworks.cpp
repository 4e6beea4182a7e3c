// Frameworks side by side: what they make of the mask, and who does so.

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
constexpr double column_gap = 28, sums_width = 92, least_column = 236, widest_names = 340,
                 line_height = 17;
constexpr double head_height = 34, entry_gap = 4, entry_inset = 8, names_gap = 18;

// --- sizes

struct Sizes {
    double u = 1;
    double cell = 44, label = 0, keys = 0;  // a cell's side; width of query, height of key tokens
    double names = 0;                       // height of the names below a heatmap
    double column = 0;                      // width, without the gap that follows
    int across = 1;                         // columns side by side
    bool turned = false;                    // key tokens read upwards
};

double longest_of(const std::vector<std::string>& tokens, double size) {
    double longest = 0;
    for (const std::string& token : tokens)
        longest = std::max(longest, figure_text_width({.at = {}, .text = token, .style = {size}}));
    return longest;
}

TextStyle entry_style(double u) { return {13 * u, Weight::medium}; }

// Returns the width of a name. The letters of variants are to its right.
double room_for_name(const FrameworkEntry& entry, double column, double u) {
    return column - (2 * entry_inset + 24 * double(entry.lanes.size())) * u;
}

std::vector<std::string> lines_of(const FrameworkEntry& entry, double column, double u) {
    return broken_into_lines(frameworks()[entry.framework].name, entry_style(u),
                             std::max(1.0, room_for_name(entry, column, u)));
}

double entry_height(const FrameworkEntry& entry, double column, double u) {
    return (line_height * double(lines_of(entry, column, u).size()) + 10) * u;
}

double names_height(const FrameworksView& view, double column, double u) {
    double highest = 0;
    for (const FrameworkColumn& each : view.columns) {
        double height = 0;
        for (const FrameworkEntry& entry : each.entries)
            height += entry_height(entry, column, u) + entry_gap * u;
        highest = std::max(highest, height);
    }
    return highest;
}

// Key tokens read upwards where they are wider than a cell.
void turn_keys(Sizes& s, const FrameworksView& view, double cell) {
    const double longest = longest_of(view.tokens->keys, 13 * s.u);
    s.turned = longest > cell - 2 * s.u;
    s.keys = s.turned ? std::min(longest, 80 * s.u) + 10 * s.u : 22 * s.u;
}

// Fits so many columns side by side into this room; their cells may be too small to be read.
Sizes fitted(const FrameworksView& view, int across, double width, double height, double u) {
    const auto keys = double(view.tokens->keys.size()),
               queries = double(view.tokens->queries.size());
    const double rows = std::ceil(double(view.columns.size()) / across);
    Sizes s{.u = u, .across = across};
    s.label = std::min(longest_of(view.tokens->queries, 13 * u), 110 * u) + 10 * u;
    s.column = (width - s.label - (across - 1) * column_gap * u) / across;
    const double by_width = (s.column - sums_width * u) / keys;
    turn_keys(s, view, by_width);
    s.names = names_height(view, std::max(s.column, least_column * u), u);
    const double beside_cells = head_height * u + s.keys + names_gap * u + s.names;
    s.cell = std::min(by_width, (height / rows - beside_cells) / queries);
    return s;
}

Sizes sizes_of(const FrameworksView& view, double height, const LayoutOptions& options) {
    const double u = options.scale;
    const auto count = int(view.columns.size());
    const auto keys = double(view.tokens->keys.size());
    const auto tokens = std::max(std::ssize(view.tokens->keys), std::ssize(view.tokens->queries));
    const CellRange range = cells_of(options, tokens);
    Sizes s;
    if (options.width > 0) {
        s = fitted(view, count, options.width, height, u);
        // In a narrow room the columns go below each other before they are cut off.
        for (int across = count - 1; across > 0 && !options.in_hall; --across) {
            const double wide = s.column - sums_width * u;
            if (wide >= range.least * keys) break;
            s = fitted(view, across, options.width, height, u);
        }
        s.cell = std::floor(std::clamp(s.cell, range.least, std::max(range.least, range.most)));
    } else {
        s = fitted(view, count, 1e5, 1e5, u);
        s.cell = range.most;
    }
    turn_keys(s, view, s.cell);
    // Cells stand at whole pixels, up to half a pixel further on.
    const double room = std::floor(
        (options.width - s.label - (s.across - 1) * column_gap * u) / double(s.across) - 0.5);
    s.column = std::max(
        {s.cell * keys + sums_width * u, least_column * u, std::min(room, widest_names * u)});
    s.names = names_height(view, s.column, u);
    return s;
}

// --- one column

struct ColumnDrawing {
    Figure& figure;
    const FrameworksView& view;
    const FrameworkColumn& column;
    const LayoutOptions& options;
    const Sizes& s;
    Index number = 0;
    Point from;  // the top left, query tokens included
    bool labelled = false;

    double left() const { return from.x + (labelled ? s.label : 0); }
    Rect cells() const {
        return {std::round(left()), std::round(from.y + head_height * s.u + s.keys),
                s.cell * double(view.tokens->keys.size()),
                s.cell * double(view.tokens->queries.size())};
    }
};

Role role_of(EmptyRow kind) {
    switch (kind) {
        case EmptyRow::nan:
            return Role::wrong;
        case EmptyRow::uniform:
        case EmptyRow::other:
            return Role::odd;
        case EmptyRow::zeros:
        case EmptyRow::none:
            return Role::ink;
    }
    return Role::ink;
}

void draw_tokens(const ColumnDrawing& d, const Rect& cells) {
    const double u = d.s.u;
    const TextStyle style{13 * u};
    for (std::size_t j = 0; j < d.view.tokens->keys.size() && d.s.cell >= 12 * u; ++j) {
        Text key{.at = {cells.x + (double(j) + 0.5) * d.s.cell, cells.y - 12 * u},
                 .text = d.view.tokens->keys[j],
                 .style = style,
                 .role = Role::dim,
                 .anchor = Anchor::centre,
                 .max_width = d.s.cell};
        if (d.s.turned) {
            key.at.y = cells.y - 5 * u;
            key.anchor = Anchor::left;
            key.vertical = true;
            key.max_width = d.s.keys - 6 * u;
        }
        d.figure.texts.push_back(std::move(key));
    }
    for (std::size_t i = 0; i < d.view.tokens->queries.size() && d.labelled && d.s.cell >= 12 * u;
         ++i)
        d.figure.texts.push_back({.at = {cells.x - 8 * u, cells.y + (double(i) + 0.5) * d.s.cell},
                                  .text = d.view.tokens->queries[i],
                                  .style = style,
                                  .role = Role::dim,
                                  .anchor = Anchor::right,
                                  .max_width = d.s.label - 8 * u});
}

void draw_row_sums(const ColumnDrawing& d, const Rect& cells, const Cells& weights) {
    const double u = d.s.u, x = cells.right() + 14 * u;
    if (d.s.cell < 12 * u) return;
    d.figure.texts.push_back({.at = {x, cells.y - 12 * u},
                              .text = "Row sums",
                              .style = {13 * u, Weight::medium},
                              .role = Role::dim});
    for (Index i = 0; i < std::ssize(d.column.lane.sums.rows); ++i) {
        SumBar bar = sum_bar_of(d.column.lane.sums.rows[i], weights, i);
        const double high = std::round(std::clamp(d.s.cell * 0.5, 8 * u, 22 * u));
        const double middle = cells.y + (double(i) + 0.5) * d.s.cell;
        bar.rect = {x, std::round(middle - high / 2), 38 * u, high};
        bar.text_size = 13 * u;
        bar.lane = -1;
        bar.b = d.view.b;
        bar.h = d.view.h;
        d.figure.sums.push_back(std::move(bar));
    }
}

void draw_entry(const ColumnDrawing& d, const FrameworkEntry& entry, const Rect& box) {
    const double u = d.s.u;
    const auto& spot = d.options.spot;
    const bool pointed =
        spot && spot->kind == Spot::Kind::framework && spot->row == Index(entry.framework);
    d.figure.boxes.push_back({box, 5 * u, true, pointed || !entry.lanes.empty(), Role::panel,
                              pointed ? Role::ink : Role::dim, 1.5 * u});
    double y = box.y + 5 * u + line_height * u / 2;
    for (const std::string& line : lines_of(entry, box.w, u)) {
        d.figure.texts.push_back({.at = {box.x + entry_inset * u, y},
                                  .text = line,
                                  .style = entry_style(u),
                                  .max_width = room_for_name(entry, box.w, u)});
        y += line_height * u;
    }
    const double letters = 24 * double(entry.lanes.size()) * u;
    draw_letters(d.figure, entry.lanes, {box.right() - letters - 2 * u, box.y + box.h / 2}, u);
    d.figure.spots.push_back({.kind = Spot::Kind::framework,
                              .rect = box,
                              .b = d.view.b,
                              .h = d.view.h,
                              .row = Index(entry.framework),
                              .key = d.number});
}

void draw_column(const ColumnDrawing& d, ColourMap colours) {
    const double u = d.s.u;
    const Rect cells = d.cells();
    d.figure.texts.push_back({.at = {cells.x, d.from.y + 12 * u},
                              .text = std::string(words(d.column.kind)),
                              .style = {18 * u, Weight::semibold},
                              .role = role_of(d.column.kind)});
    draw_tokens(d, cells);
    const BenchStage& stage = d.column.lane.stages.front();
    Heatmap map;
    map.rect = cells;
    map.cells = stage.cells;
    map.limits = stage.limits;
    map.map = colours;
    if (d.options.with_numbers) fit_numbers(map, 13, u);
    map.b = d.view.b;
    map.h = d.view.h;
    d.figure.heatmaps.push_back(std::move(map));
    draw_row_sums(d, cells, *stage.cells);
    double y = cells.bottom() + names_gap * u;
    for (const FrameworkEntry& entry : d.column.entries) {
        const double height = entry_height(entry, d.s.column, u);
        draw_entry(d, entry, {cells.x, y, d.s.column, height});
        y += height + entry_gap * u;
    }
}

// --- above

double draw_summary(Figure& figure, const FrameworksView& view, Point at,
                    const LayoutOptions& options) {
    const double u = options.scale, room = options.width > 0 ? options.width : 640 * u;
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
    figure.unit = options.scale;
    const double u = options.scale, margin = options.width > 0 ? 0 : 20 * u;
    double top = draw_figure_title(figure, title, options);
    top += draw_summary(figure, view, {margin, top}, options);
    const Sizes s = sizes_of(view, options.height - top, options);
    const double height = head_height * u + s.keys + s.cell * double(view.tokens->queries.size()) +
                          names_gap * u + s.names;
    double right = figure.width, bottom = top;
    for (std::size_t k = 0; k < view.columns.size(); ++k) {
        const int column = int(k) % s.across, row = int(k) / s.across;
        const double x = margin + column * (s.column + column_gap * u) + (column > 0 ? s.label : 0);
        const double y = top + row * (height + column_gap * u);
        draw_column({figure, view, view.columns[k], options, s, Index(k), {x, y}, column == 0},
                    map);
        right = std::max(right, std::round(x + (column == 0 ? s.label : 0)) + s.column);
        bottom = y + height;
    }
    for (const Text& text : figure.texts)
        if (options.width <= 0)
            right = std::max(right, text.at.x + (text.anchor == Anchor::left && !text.vertical
                                                     ? figure_text_width(text)
                                                     : 0));
    figure.width = options.width > 0 ? std::max(options.width, right) : right + margin;
    figure.height = options.height > 0 ? std::max(options.height, bottom) : bottom + margin;
    return figure;
}

}  // namespace maskscope
