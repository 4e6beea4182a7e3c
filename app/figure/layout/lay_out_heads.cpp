// The view of heads: every head as a heatmap under its title, lane by lane. All heads are visible:
// their cells shrink; only where heads would be too small to see does the panel scroll.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

// Points.
constexpr double title_height = 22, low_title = 17;  // of a head
constexpr double head_gap = 16, least_gap = 8;       // between heads, one below the other
constexpr double least_beside = 14;                  // side by side: keys read upwards there
constexpr double lane_title = 34, low_lane_title = 26;
constexpr double side_in_files = 132, side_in_scroll = 72;  // of a heatmap
constexpr double least_side = 14;                           // else the panel scrolls
constexpr double title_gap = 10;                            // after a title

struct HeadGrid {
    Table table;               // where heads are as rows and columns of all lanes; its cells
    int across = 1, rows = 1;  // of one lane; rows differ by at most one head
    int lanes_across = 1, lanes_down = 1;
    bool tight = false;
    bool short_titles = false;  // without the word “head”
    double pitch_w = 0, pitch_h = 0;
    double longest_title = 0;

    double unit() const { return table.unit; }
    double gap() const { return (tight ? least_beside : head_gap) * unit(); }
    double gap_below() const { return (tight ? least_gap : head_gap) * unit(); }
    double title() const { return (tight ? low_title : title_height) * unit(); }
    double lane_name() const { return (tight ? low_lane_title : lane_title) * unit(); }
    double side_w() const { return side(table.cell_w, table.cells_in(0)); }
    double side_h() const { return side(table.cell_h, table.cells_down(0)); }

private:
    // Whole pixels, even if cells are not.
    static double side(double cell, Index cells) {
        return std::max(8.0, std::floor(cell * double(cells) + 1e-9));
    }
};

// Row after row, the first ones with one head more if the number of heads demands it.
Cell place_of(int k, int count, int rows) {
    const int least = count / rows, longer = count % rows, in_longer = longer * (least + 1);
    if (k < in_longer) return {k / (least + 1), k % (least + 1)};
    return {longer + (k - in_longer) / least, (k - in_longer) % least};
}

HeadGrid placed_in(const Bench& bench, int rows, bool abreast, bool tight,
                   const LayoutOptions& options) {
    HeadGrid grid;
    const int lanes = int(bench.heads.size());
    (abreast ? grid.lanes_across : grid.lanes_down) = lanes;
    const int count = int(bench.heads.front().heads.size());
    grid.rows = rows;
    grid.across = (count + rows - 1) / rows;
    grid.tight = tight;
    Table& t = grid.table;
    t.block = &bench.blocks.front();
    t.is_low = true;  // keys are above the topmost row
    t.unit = options.scale;
    t.token_size = options.in_hall ? 12 : options.token_size;
    for (int lane = 0; lane < lanes; ++lane)
        for (int k = 0; k < count; ++k) {
            const Cell at = place_of(k, count, rows);
            t.place(bench.heads[lane].heads[k].stage, int(at.i) + (abreast ? 0 : lane * rows),
                    int(at.j) + (abreast ? lane * grid.across : 0), shared_lane);
        }
    t.alike.key = 1.08 * t.longest_key();  // as wide in bold
    for (const SmallHead& head : bench.heads.front().heads)
        grid.longest_title =
            std::max(grid.longest_title, figure_text_width({{}, head.title, {12 * t.unit}}));
    return grid;
}

// As in the pipeline: wider than high if that makes room for numbers; in a hall, to fill its width.
void size_cells(HeadGrid& grid, double room_w, double room_h, bool in_hall) {
    constexpr Index most_whole = 24;  // more cells would leave too much of the room
    Table& t = grid.table;
    const double u = t.unit, columns = double(grid.lanes_across * grid.across);
    const double down = double(grid.lanes_down);
    const Index n_q = t.cells_down(0), n_k = t.cells_in(0);
    const double between = (grid.lanes_across - 1) * grid.gap();
    const double pitch_w = (room_w - t.label_width() - between) / columns;
    const double rows_h = room_h - t.token_height() - down * grid.lane_name();
    const double pitch_h = rows_h / (down * grid.rows);
    double w = std::max(1.0, pitch_w - grid.gap()) / double(n_k);
    double h = std::max(1.0, pitch_h - grid.title() - grid.gap_below()) / double(n_q);
    const bool numbers = w >= 33 * u && h >= 14 * u, whole = std::max(n_q, n_k) <= most_whole;
    const double widest = numbers            ? std::max(1.5 * h, std::min(52 * u, 2.5 * h))
                          : in_hall && whole ? 1.8 * h
                                             : h;
    w = std::min({w, widest, 110 * u});
    h = std::min(h, w);
    t.cell_w = whole && w >= 3 ? std::floor(w) : w;
    t.cell_h = whole && h >= 3 ? std::floor(h) : h;
    grid.pitch_w = std::floor(pitch_w);
    grid.pitch_h = std::floor(pitch_h);
}

// Keys read upwards where one of them is wider than its cell.
void size_grid(HeadGrid& grid, double room_w, double room_h, bool in_hall) {
    size_cells(grid, room_w, room_h, in_hall);
    grid.table.vertical_tokens =
        grid.table.longest_key() + key_gap * grid.unit() > grid.table.cell_w;
    if (grid.table.vertical_tokens) size_cells(grid, room_w, room_h, in_hall);
}

// The size of a cell counts most; then numbers, whole titles, equally long rows, and space.
double worth(const HeadGrid& grid, std::size_t count) {
    const double w = grid.table.cell_w, h = grid.table.cell_h, u = grid.unit();
    double worth = std::min(w, 1.5 * h) * h;
    if (w >= 33 * u && h >= 14 * u) worth *= 1.6;
    const double title = std::max(1.0, grid.longest_title);
    worth *= std::clamp((grid.pitch_w - title_gap * u) / title, 0.3, 1.0);
    if (count % std::size_t(grid.rows) != 0) worth *= 0.85;
    if (grid.tight) worth *= 0.9;
    return worth;
}

// A grid of heatmaps of one size, whatever the height; width 0: about 1.6 times as wide as high.
HeadGrid grid_of_size(const Bench& bench, double side, double width, const LayoutOptions& options) {
    const int count = int(bench.heads.front().heads.size());
    HeadGrid grid = placed_in(bench, 1, false, false, options);
    const double u = options.scale, title = std::min(grid.longest_title, 150 * u);
    const double pitch_w = std::max(side * u, title) + grid.gap();
    const double across = width > 0 ? std::floor((width - grid.table.label_width()) / pitch_w)
                                    : std::ceil(std::sqrt(1.6 * count));
    const double most = width > 0 ? count : 16;
    grid = placed_in(bench, int(std::ceil(count / std::clamp(across, 1.0, most))), false, false,
                     options);
    Table& t = grid.table;
    t.cell_w = t.cell_h = side * u / double(std::max({t.cells_down(0), t.cells_in(0), Index{1}}));
    t.vertical_tokens = t.longest_key() + key_gap * u > t.cell_w;
    grid.pitch_w = pitch_w;
    grid.pitch_h = grid.side_h() + grid.title() + grid.gap_below();
    return grid;
}

HeadGrid grid_in_room(const Bench& bench, double room_w, double room_h,
                      const LayoutOptions& options) {
    const int count = int(bench.heads.front().heads.size());
    HeadGrid best;
    constexpr int most_heads = 256;
    double most = -1;
    if (count > most_heads) return grid_of_size(bench, side_in_scroll, room_w, options);
    for (const bool tight : {false, true})
        for (const bool abreast : {false, true})
            for (int rows = 1; rows <= count; ++rows) {
                if (abreast && bench.heads.size() == 1) break;
                HeadGrid grid = placed_in(bench, rows, abreast, tight, options);
                size_grid(grid, room_w, room_h, options.in_hall);
                if (const double found = worth(grid, std::size_t(count)); found > most)
                    best = std::move(grid), most = found;
            }
    const double longer = std::max(best.side_w(), best.side_h());
    if (!options.in_hall && longer < least_side * options.scale)
        return grid_of_size(bench, side_in_scroll, room_w, options);
    // On the bench heads are together; in a hall they fill the width.
    const double titles = best.longest_title + title_gap * options.scale;
    best.short_titles = titles > best.pitch_w;
    const double least = std::max(best.side_w() + best.gap(), titles);
    if (!options.in_hall) best.pitch_w = std::min(best.pitch_w, std::round(least));
    const double spare = (options.in_hall ? 16 : 0) * options.scale;
    best.pitch_h = std::min(best.pitch_h, best.side_h() + best.title() + best.gap_below() + spare);
    return best;
}

// The title, without “head” where room is short: 5 · same token. At last only the number remains.
Text title_of(const SmallHead& head, Point at, const HeadGrid& grid, bool picked) {
    const double u = grid.unit(), room = grid.pitch_w - title_gap * u;
    Text title{at, head.title, {12 * u}, picked ? Role::ink : Role::dim};
    if (picked) title.style.weight = Weight::bold;
    if (grid.short_titles && title.text.starts_with("head ")) title.text.erase(0, 5);
    const bool only_number = room < std::min(60 * u, figure_text_width(title));
    if (only_number) title.text = std::to_string(head.h + 1);
    title.max_width = std::max(1.0, only_number ? grid.pitch_w - 2 * u : room);
    return title;
}

// The frame of a head that was picked for a comparison.
Box frame_of(const Rect& map, double unit) {
    const double line = 3 * unit;
    return {{map.x - line, map.y - line, map.w + 2 * line, map.h + 2 * line},
            0,
            true,
            false,
            Role::lane_a,
            Role::lane_a};
}

void draw_axes(Figure& figure, const HeadGrid& grid, const Rect& first) {
    const double u = grid.unit(), x = first.x - grid.table.axis_gap(), y = first.y - 14 * u;
    figure.texts.push_back({{x, y - 15 * u}, "keys →", {12 * u}, Role::dim, Anchor::right});
    figure.texts.push_back({{x, y}, "queries ↓", {12 * u}, Role::dim, Anchor::right});
}

// The numbers of all heads in one size and form, or none at all.
void number_alike(Figure& figure, const HeadGrid& grid) {
    const double u = grid.unit(), w = grid.table.cell_w / u, h = grid.table.cell_h / u;
    const double wished = std::clamp(std::min(w / 4.6, 0.42 * h), 13.0, 20.0);
    NumberForm form = NumberForm::two_decimals;
    double size = wished * u;
    for (Heatmap& map : figure.heatmaps) {
        fit_numbers(map, wished, u);
        form = std::max(form, map.number_form);
        size = std::min(size, map.number_size);
    }
    for (Heatmap& map : figure.heatmaps) {
        map.number_form = form;
        map.number_size = size;
    }
}

void draw_head(Figure& figure, const HeadGrid& grid, const PlacedHeatmap& placed,
               const SmallHead& head, int lane, const LayoutOptions& options) {
    const Table& t = grid.table;
    const bool picked = std::ranges::count(options.picked, head.h) > 0;
    const double keys = t.has_keys(placed) ? t.token_height() : 0;
    const Point title{placed.rect.x, placed.rect.y - keys - grid.title() + 9 * t.unit};
    figure.texts.push_back(title_of(head, title, grid, picked));
    if (head.keys) {  // heads that share keys have a line of one colour; the title has its number
        const double u = t.unit, width = std::min(figure_text_width(figure.texts.back()), 60 * u);
        const Role role = lane_role(static_cast<int>(*head.keys));
        figure.boxes.push_back(
            {{title.x, title.y + 8 * u, width, 2.5 * u}, 0, true, false, role, role});
    }
    if (picked) figure.boxes.push_back(frame_of(placed.rect, t.unit));
    Heatmap map = heatmap_of(head.stage, placed.rect, options);
    map.lane = lane;
    map.b = t.block->b;
    map.h = head.h;
    draw_tokens(figure, t, placed, map, options);
    if (options.covered && options.covered->hides(head.stage.stage, lane))
        return draw_cover(figure, std::move(map), t.unit);
    figure.heatmaps.push_back(std::move(map));
}

// Draws all lanes; returns where they end at the bottom.
double draw_lanes(Figure& figure, const Bench& bench, HeadGrid& grid, Point from,
                  const LayoutOptions& options) {
    Table& t = grid.table;
    const double u = t.unit, keys = t.token_height();
    const double lane_w = grid.across * grid.pitch_w + grid.gap();
    const double lane_h = grid.lane_name() + grid.rows * grid.pitch_h;
    auto placed = t.heatmaps.begin();
    for (int k = 0; k < int(bench.heads.size()); ++k) {
        const LaneOfHeads& lane = bench.heads[k];
        const bool abreast = grid.lanes_across > 1, below = k > 0 && !abreast;
        const double left = from.x + t.label_width() + (abreast ? k * lane_w : 0);
        const double top = from.y + (below ? keys + k * lane_h : 0);
        const double name_x = abreast ? left : from.x;
        const double room = abreast ? lane_w - grid.gap() : options.width;
        BenchLane name;
        name.variant = lane.variant;
        name.name = lane.name;
        name.changes = lane.changes;
        draw_lane_name(figure, name, {name_x, top + (grid.tight ? 12 : 14) * u},
                       options.width > 0 ? room : 1e9, u);
        const Point first{left - (abreast ? k * grid.across * grid.pitch_w : 0),
                          top + grid.lane_name() + grid.title() + (below ? 0 : keys) -
                              placed->row * grid.pitch_h};
        for (const SmallHead& head : lane.heads) {
            placed->rect = {std::round(first.x + placed->column * grid.pitch_w),
                            std::round(first.y + placed->row * grid.pitch_h), grid.side_w(),
                            grid.side_h()};
            draw_head(figure, grid, *placed++, head, lane.variant, options);
        }
    }
    draw_axes(figure, grid, t.heatmaps.front().rect);
    if (options.with_numbers) number_alike(figure, grid);
    return from.y + keys + grid.lanes_down * lane_h;
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
    const auto draw_foot = [&](Figure& drawn, Point from) {
        return draw_legend(drawn, bench, {&stage, 1}, options, from);
    };
    Figure measured;
    const double foot = options.in_hall ? 0 : draw_foot(measured, {margin, 2 * unit}).y;
    HeadGrid grid = options.width > 0
                        ? grid_in_room(bench, options.width, options.height - y - foot, options)
                        : grid_of_size(bench, side_in_files, 0, options);
    y = draw_lanes(figure, bench, grid, {margin, y}, options);
    for (const Heatmap& map : figure.heatmaps) right = std::max(right, map.rect.right());
    right += grid.gap();
    figure.width = options.width;
    figure.height = std::max(options.height, y);
    if (options.in_hall) return figure;
    const Point end = draw_foot(figure, {margin, y + 2 * unit});
    figure.width = options.width > 0 ? options.width : std::max(right, end.x) + margin;
    figure.height = std::max(options.height, end.y + margin);
    return figure;
}

}  // namespace maskscope
