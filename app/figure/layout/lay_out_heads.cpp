// Lays out small heatmaps: the heads, each under its title in cells of one size, and the batch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out.h"
#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

// --- the grid of heads: a titled heatmap for each, variant by variant, in cells of one size

namespace {

// Points.
constexpr double title_height = 22, head_gap = 16, variant_title = 32;
constexpr double longest_title = 180, title_gap = 10;  // title_gap: after a title

// The heads of each variant in rows; variants are one below the other, or side by side.
struct HeadGrid {
    Table table;  // its rows and columns hold the heads of all variants
    int across = 1, rows = 1;
    int variants_across = 1, variants_down = 1;
    double titles = 0;  // the width of the longest title

    double unit() const { return table.unit; }
    double gap() const { return head_gap * unit(); }
    double title() const { return title_height * unit(); }
    double variant_name() const { return variant_title * unit(); }
    double side_w() const { return std::round(table.cell * double(table.cells_in(0))); }
    double side_h() const { return std::round(table.cell * double(table.cells_down(0))); }
    double pitch_w() const {
        return std::ceil(std::max(side_w(), std::min(titles, longest_title * unit()))) + gap();
    }
    double pitch_h() const { return side_h() + title() + gap(); }
    double variant_w() const { return across * pitch_w() + gap(); }
    double variant_h() const { return table.token_height() + variant_name() + rows * pitch_h(); }
    double width() const { return table.labels + variants_across * variant_w() - gap(); }
    double height() const { return variants_down * variant_h(); }
};

// Returns the row and column of a head. If the rows cannot be equal, the first ones have one head
// more.
Cell place_of(int k, int count, int rows) {
    const int least = count / rows, longer = count % rows, in_longer = longer * (least + 1);
    if (k < in_longer) return {k / (least + 1), k % (least + 1)};
    return {longer + (k - in_longer) / least, (k - in_longer) % least};
}

// Makes a grid of all heads of all variants, in order. arrange() then gives them their places.
HeadGrid grid_of(const Bench& bench, bool abreast, const LayoutOptions& options) {
    HeadGrid grid;
    const int variants = int(bench.heads.size());
    (abreast ? grid.variants_across : grid.variants_down) = variants;
    Table& t = grid.table;
    t.block = &bench.blocks.front();
    t.has_names = true;
    t.unit = options.scale;
    t.token_size = options.in_hall ? 12 : options.token_size;
    for (const HeadsOfVariant& variant : bench.heads)
        for (const SmallHead& head : variant.heads) t.place(head.stage, 0, 0, shared_variant);
    t.alike.key = 1.08 * t.longest_key();  // the width of the longest key in bold
    t.measure_labels();
    for (const SmallHead& head : bench.heads.front().heads)
        grid.titles = std::max(
            grid.titles, figure_text_width({{}, head.title, {12 * t.unit}}) + title_gap * t.unit);
    return grid;
}

// Measures the grid with cells of this size. room: the width of the grid; 0 = any. See in_a_row().
void take(HeadGrid& grid, double size, int count, double room) {
    grid.table.take(size);
    const double of_variant =
        (room - grid.table.labels + grid.gap()) / grid.variants_across - grid.gap();
    grid.across = int(in_a_row(std::size_t(count), grid.pitch_w(), grid.pitch_h(),
                               room > 0 ? std::max(1.0, of_variant) : 0));
    grid.rows = (count + grid.across - 1) / grid.across;
}

void arrange(HeadGrid& grid, int count) {
    const bool abreast = grid.variants_across > 1;
    grid.table.keys_every = grid.rows;
    int k = 0;
    for (PlacedHeatmap& placed : grid.table.heatmaps) {
        const int variant = k / count;
        const Cell at = place_of(k++ % count, count, grid.rows);
        placed.row = int(at.i) + (abreast ? 0 : variant * grid.rows);
        placed.column = int(at.j) + (abreast ? variant * grid.across : 0);
    }
}

// Returns the grid with variants one below the other or side by side, whichever fits better.
HeadGrid best_grid(const Bench& bench, double height, const LayoutOptions& options) {
    const int count = int(bench.heads.front().heads.size());
    const auto& stage = bench.heads.front().heads.front().stage;
    const Index tokens = std::max(stage.cells->rows, stage.cells->columns);
    const CellRange range = cells_of(options, tokens);
    HeadGrid best;
    Fit best_fit;
    for (const bool abreast : {false, true}) {
        if (abreast && bench.heads.size() == 1) break;
        HeadGrid grid = grid_of(bench, abreast, options);
        const double size = largest_cell(range.most, tokens, [&](double cell) {
            take(grid, cell, count, options.width);
            return options.width <= 0 || (grid.width() <= options.width && grid.height() <= height);
        });
        take(grid, std::max(size, range.least), count, options.width);
        const Fit fit = fit_of(grid.table.cell, grid.width(), grid.height(), options.width, height);
        if (!fit.beats(best_fit)) continue;
        best = std::move(grid);
        best_fit = fit;
    }
    arrange(best, count);
    return best;
}

// Makes the title, shortened to the width of the head.
Text title_of(const SmallHead& head, Point at, const HeadGrid& grid, bool picked) {
    const double u = grid.unit(), room = grid.pitch_w() - title_gap * u;
    Text title{at, head.title, {12 * u}, picked ? Role::ink : Role::dim};
    if (picked) title.style.weight = Weight::bold;
    title.max_width = std::max(1.0, room);
    return title;
}

// Makes the frame of a head that was picked for a comparison.
Box frame_of(const Rect& map, double unit) {
    const double line = 3 * unit;
    return {{map.x - line, map.y - line, map.w + 2 * line, map.h + 2 * line},
            0,
            true,
            false,
            Role::variant_a,
            Role::variant_a};
}

void draw_axes(Figure& figure, const HeadGrid& grid, const Rect& first) {
    const double u = grid.unit(), x = first.x - grid.table.axis_gap(), y = first.y - 14 * u;
    figure.texts.push_back({{x, y - 15 * u}, "keys →", {12 * u}, Role::dim, Anchor::right});
    figure.texts.push_back({{x, y}, "queries ↓", {12 * u}, Role::dim, Anchor::right});
}

// Gives the numbers of all heads one size and form; draws none if they do not fit.
void number_alike(Figure& figure, const HeadGrid& grid) {
    const double u = grid.unit();
    const double wished = number_size_in(grid.table);
    NumberForm form = NumberForm::two_decimals;
    double size = wished * u;
    for (Heatmap& map : figure.heatmaps) {
        fit_numbers(map, wished, u, smallest_number(grid.table));
        form = std::max(form, map.number_form);
        size = std::min(size, map.number_size);
    }
    for (Heatmap& map : figure.heatmaps) {
        map.number_form = form;
        map.number_size = size;
    }
}

void draw_head(Figure& figure, const HeadGrid& grid, const PlacedHeatmap& placed,
               const SmallHead& head, int variant, const LayoutOptions& options) {
    const Table& t = grid.table;
    const bool picked = std::ranges::count(options.picked, head.h) > 0;
    const double keys = t.has_keys(placed) ? t.token_height() : 0;
    const Point title{placed.rect.x, placed.rect.y - keys - grid.title() + 9 * t.unit};
    figure.texts.push_back(title_of(head, title, grid, picked));
    if (head.keys) {  // heads that share a KV head have a line in one colour
        const double u = t.unit, width = std::min(figure_text_width(figure.texts.back()), 60 * u);
        const Role role = variant_role(static_cast<int>(*head.keys));
        figure.boxes.push_back(
            {{title.x, title.y + 8 * u, width, 2.5 * u}, 0, true, false, role, role});
    }
    if (picked) figure.boxes.push_back(frame_of(placed.rect, t.unit));
    Heatmap map = heatmap_of(head.stage, placed.rect, options);
    map.variant = variant;
    map.b = t.block->b;
    map.h = head.h;
    draw_tokens(figure, t, placed, map, options);
    add_heatmap(figure, std::move(map), head.stage.hidden, t.unit);
}

// Draws all variants; returns their bottom.
double draw_variants(Figure& figure, const Bench& bench, HeadGrid& grid, Point from,
                     const LayoutOptions& options) {
    Table& t = grid.table;
    const double u = t.unit, keys = t.token_height();
    const double variant_w = grid.variant_w();
    const double variant_h = grid.variant_h();
    auto placed = t.heatmaps.begin();
    for (int k = 0; k < int(bench.heads.size()); ++k) {
        const HeadsOfVariant& variant = bench.heads[k];
        const bool abreast = grid.variants_across > 1;
        const double left = from.x + t.label_width() + (abreast ? k * variant_w : 0);
        const double top = from.y + (abreast ? 0 : k * variant_h);
        const double name_x = abreast ? left : from.x;
        const double room = abreast ? variant_w - grid.gap() : options.width;
        BenchVariant name;
        name.index = variant.index;
        name.name = variant.name;
        name.changes = variant.changes;
        const Rect heatmaps{left, top, variant_w - grid.gap(), variant_h - grid.gap()};
        draw_pinned_name(figure, name, {name_x, top + 14 * u}, options.width > 0 ? room : 1e9, u,
                         15, heatmaps, keys);
        const Point first{
            left - (abreast ? k * grid.across * grid.pitch_w() : 0),
            top + grid.variant_name() + grid.title() + keys - placed->row * grid.pitch_h()};
        for (std::size_t h = 0; h < variant.heads.size(); ++h, ++placed)
            placed->rect = {std::round(first.x + placed->column * grid.pitch_w()),
                            std::round(first.y + placed->row * grid.pitch_h()), grid.side_w(),
                            grid.side_h()};
    }
    placed = t.heatmaps.begin();
    for (const HeadsOfVariant& variant : bench.heads)
        for (const SmallHead& head : variant.heads)
            draw_head(figure, grid, *placed++, head, variant.index, options);
    draw_axes(figure, grid, t.heatmaps.front().rect);
    if (options.with_numbers) number_alike(figure, grid);
    return from.y + grid.height();
}

}  // namespace

Figure lay_out_heads(const Bench& bench, const LayoutOptions& options) {
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
    const BenchStage* const stage = &bench.heads.front().heads.front().stage;
    const auto draw_foot = [&](Figure& drawn, const LegendSigns& signs, Point from) {
        return draw_legend(drawn, signs, {&stage, 1}, options, from);
    };
    Figure measured;
    const double foot =
        options.in_hall ? 0 : draw_foot(measured, {.grid = true}, {margin, 2 * unit}).y;
    HeadGrid grid = best_grid(bench, options.height - y - foot, options);
    y = draw_variants(figure, bench, grid, {margin, y}, options);
    right = std::max(right, margin + grid.width());
    figure.cell = grid.table.cell;
    double bottom = y;
    if (!options.in_hall) {
        const Point end =
            draw_foot(figure, {bench.signs, bench.loses_weight, true}, {margin, y + 2 * unit});
        right = std::max(right, end.x);
        bottom = std::max(end.y, y + foot);
    }
    figure.width = std::max(options.width, right + margin);
    figure.height = std::max(options.height, bottom + margin);
    return figure;
}

namespace {

constexpr double side = 56, sums_width = 18, gap = 10, row_gap = 12, head = 34;  // points

// Returns a rectangle whose longer side is always the same, and whose shorter side is at least 4
// pixels long.
Rect heatmap_rect(const Cells& cells, Point at, double unit) {
    const double most = double(std::max<Index>({cells.rows, cells.columns, 1}));
    return {at.x, at.y, std::max(4.0, std::round(side * unit * double(cells.columns) / most)),
            std::max(4.0, std::round(side * unit * double(cells.rows) / most))};
}

// Draws bars without text: one for every row or, if rows are lower than 3 points, at least 3 points
// apart.
void draw_small_sums(Figure& figure, const BenchVariant& variant, const Heatmap& map, double unit) {
    const double cell_h = cell_rect(map, 0, 0).h;
    const Index every = std::max<Index>(1, Index(std::ceil(3 * unit / cell_h)));
    for (Index i = 0; i < Index(variant.sums.rows.size()); i += every) {
        SumBar bar = sum_bar_of(variant.sums.rows[i], *map.cells, i);
        const double height = std::max(2.0, std::min(0.7 * cell_h * double(every), 12 * unit));
        bar.rect = {map.rect.right() + 6 * unit,
                    map.rect.y + (double(i) + 0.5) * cell_h - height / 2, sums_width * unit,
                    height};
        bar.text.clear();
        bar.variant = map.variant;
        bar.b = map.b;
        figure.sums.push_back(std::move(bar));
    }
}

std::string length_of(const BatchRow& row) {
    return row.queries == row.keys ? fmt::format("{}", row.queries)
                                   : fmt::format("{} × {}", row.queries, row.keys);
}

double length_width(const Bench& bench, double unit) {
    double widest = figure_text_width({{}, "length", {12 * unit}});
    for (const BatchRow& row : bench.batch)
        widest = std::max(widest, figure_text_width({{}, length_of(row), {13 * unit}}));
    return widest + 12 * unit;
}

void draw_head(Figure& figure, const BatchRow& first, double x, double pitch, double unit) {
    figure.texts.push_back(
        {{x - 12 * unit, 16 * unit}, "length", {12 * unit}, Role::dim, Anchor::right});
    for (std::size_t k = 0; k < first.variants.size(); ++k)
        draw_variant_name(figure, first.variants[k], {x + double(k) * pitch, 16 * unit}, 0, unit);
}

void draw_row(Figure& figure, const BatchRow& row, const Rect& rect, double x, double pitch,
              double unit) {
    figure.texts.push_back({{x - 12 * unit, rect.y + rect.h / 2},
                            length_of(row),
                            {13 * unit},
                            Role::ink,
                            Anchor::right});
    for (std::size_t k = 0; k < row.variants.size(); ++k) {
        const BenchVariant& variant = row.variants[k];
        if (variant.stages.empty()) continue;
        const BenchStage& stage = variant.stages.front();
        const Point at{x + double(k) * pitch, rect.y + row_gap / 2 * unit};
        Heatmap map = heatmap_of(stage, heatmap_rect(*stage.cells, at, unit), {});
        map.variant = variant.index;
        map.b = row.b;
        if (stage.hidden) continue;
        draw_small_sums(figure, variant, map, unit);
        figure.heatmaps.push_back(std::move(map));
    }
}

}  // namespace

BatchStrip lay_out_batch(const Bench& bench, const std::vector<Index>& selected, double scale) {
    BatchStrip strip;
    Figure& figure = strip.figure;
    const double unit = figure.unit = scale;
    if (bench.batch.empty()) return strip;
    const BatchRow& first = bench.batch.front();
    const bool small = !first.variants.empty() && !first.variants.front().stages.empty();
    const double x = length_width(bench, unit) + 6 * unit;
    const double pitch = (side + 6 + sums_width + gap) * unit;
    const double high =
        small ? heatmap_rect(*first.variants.front().stages.front().cells, {}, unit).h : 16 * unit;
    figure.width = std::round(x + double(first.variants.size()) * pitch);
    if (small) draw_head(figure, first, x, pitch, unit);
    double y = head * unit;
    for (const BatchRow& row : bench.batch) {
        const Rect rect{0, y, figure.width, high + row_gap * unit};
        const bool is_selected = std::ranges::find(selected, row.b) != selected.end();
        if (is_selected)
            figure.boxes.push_back({rect, 5 * unit, true, true, Role::raised, Role::line});
        draw_row(figure, row, rect, x, pitch, unit);
        strip.rows.push_back(rect);
        y = rect.bottom();
    }
    figure.height = y;
    return strip;
}

}  // namespace maskscope
