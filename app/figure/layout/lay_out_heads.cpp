// The view of heads: every head as a small heatmap under its title, lane by lane; as many side by
// side as fill the room, but never too small to see: the panel scrolls instead.

#include <algorithm>
#include <cmath>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

constexpr double title_height = 22, head_gap = 16, lane_title = 34;  // points
constexpr double least_side = 72, side_in_files = 132;               // of a small heatmap

struct HeadGrid {
    int across = 1, rows = 1;       // of one lane
    double side_w = 0, side_h = 0;  // of a heatmap
    double pitch_w = 0;
};

// Heatmaps keep the shape of their matrix; `longer` is their longer side.
void give_sides(HeadGrid& grid, const Cells& cells, double longer) {
    const double most = double(std::max<Index>({cells.rows, cells.columns, 1}));
    grid.side_w = std::max(8.0, std::floor(longer * double(cells.columns) / most));
    grid.side_h = std::max(8.0, std::floor(longer * double(cells.rows) / most));
}

double widest_title(const Bench& bench, double unit) {
    double widest = 0;
    for (const SmallHead& head : bench.heads.front().heads)
        widest = std::max(widest, figure_text_width({{}, head.title, {12 * unit}}));
    return widest;
}

// The grid with the largest heatmaps that fit the room.
// titles: the share of the longest title that must be visible while presenting.
HeadGrid grid_of(const Bench& bench, double room_w, double room_h, const LayoutOptions& options,
                 double titles = 1.06) {
    const double unit = options.scale, title = std::min(widest_title(bench, unit), 150 * unit);
    const Cells& cells = *bench.heads.front().heads.front().stage.cells;
    const int count = int(bench.heads.front().heads.size()), lanes = int(bench.heads.size());
    HeadGrid best;
    double longest = 0;
    for (int across = 1; across <= count; ++across) {
        HeadGrid grid;
        grid.across = across;
        grid.rows = (count + across - 1) / across;
        const double pitch = room_w / across;
        const double heads_h = (room_h - lanes * lane_title * unit) / (lanes * grid.rows);
        give_sides(grid, cells, 1000);
        double longer = std::min((pitch - head_gap * unit) * 1000 / grid.side_w,
                                 (heads_h - (title_height + head_gap) * unit) * 1000 / grid.side_h);
        const double least = options.in_hall ? 24 : least_side;
        longer = std::min(std::max(longer, least * unit), 640 * unit);
        give_sides(grid, cells, longer);
        grid.pitch_w = std::max(grid.side_w, title) + (options.in_hall ? 6 : head_gap) * unit;
        if (options.in_hall && pitch >= titles * title) grid.pitch_w = std::floor(pitch);
        if (grid.pitch_w * across > room_w && across > 1) break;
        const bool fuller = !options.in_hall && longer == longest;  // rows: a hall's are even
        if (longer > longest || fuller) best = grid, longest = longer;
    }
    // The audience gets larger heads, even if a title loses its last letters.
    constexpr double too_small = 48;  // points
    if (options.in_hall && titles > 1 && longest < too_small * unit)
        return grid_of(bench, room_w, room_h, options, 0.9);
    return best;
}

HeadGrid grid_in_file(const Bench& bench, const LayoutOptions& options) {
    const double unit = options.scale, title = std::min(widest_title(bench, unit), 150 * unit);
    const int count = int(bench.heads.front().heads.size());
    HeadGrid grid;
    grid.across = std::clamp(int(std::ceil(std::sqrt(1.6 * count))), 1, 16);
    grid.rows = (count + grid.across - 1) / grid.across;
    give_sides(grid, *bench.heads.front().heads.front().stage.cells, side_in_files * unit);
    grid.pitch_w = std::max(grid.side_w, title) + head_gap * unit;
    return grid;
}

void draw_head(Figure& figure, const SmallHead& head, int lane, Index b, Point at,
               const HeadGrid& grid, const LayoutOptions& options) {
    const double unit = options.scale;
    const bool picked = std::ranges::find(options.picked, head.h) != options.picked.end();
    Text title{{at.x, at.y + 10 * unit}, head.title, {12 * unit}, picked ? Role::ink : Role::dim};
    title.max_width = grid.pitch_w - head_gap * unit / 2;
    if (picked) title.style.weight = Weight::bold;
    figure.texts.push_back(std::move(title));
    Heatmap map = heatmap_of(head.stage,
                             {at.x, at.y + title_height * unit, grid.side_w, grid.side_h}, options);
    map.lane = lane;
    map.b = b;
    map.h = head.h;
    if (picked) {
        const double line = 3 * unit;
        figure.boxes.push_back(
            {{map.rect.x - line, map.rect.y - line, map.rect.w + 2 * line, map.rect.h + 2 * line},
             0,
             true,
             false,
             Role::lane_a,
             Role::lane_a});
    }
    figure.heatmaps.push_back(std::move(map));
}

double draw_lane(Figure& figure, const Bench& bench, const LaneOfHeads& lane, Point at,
                 const HeadGrid& grid, double room, const LayoutOptions& options) {
    const double unit = options.scale;
    BenchLane name;
    name.variant = lane.variant;
    name.name = lane.name;
    name.changes = lane.changes;
    draw_lane_name(figure, name, {at.x, at.y + 14 * unit}, room > 0 ? room : 1e9, unit);
    at.y += lane_title * unit;
    for (std::size_t k = 0; k < lane.heads.size(); ++k) {
        const int row = int(k) / grid.across, column = int(k) % grid.across;
        const double pitch_h = grid.side_h + (title_height + head_gap) * unit;
        draw_head(figure, lane.heads[k], lane.variant, bench.blocks.front().b,
                  {std::round(at.x + column * grid.pitch_w), std::round(at.y + row * pitch_h)},
                  grid, options);
    }
    return at.y + grid.rows * (grid.side_h + (title_height + head_gap) * unit);
}

}  // namespace

Figure lay_out_heads(const Bench& bench, const LayoutOptions& options) {
    Figure figure;
    const double unit = figure.unit = options.scale;
    const double margin = options.width > 0 ? 0 : 20 * unit, foot = options.in_hall ? 0 : 34 * unit;
    double y = margin, right = margin;
    if (options.with_title && !bench.title.empty()) {
        figure.texts.push_back(
            {{margin, y + 12 * unit}, bench.title, {18 * unit, Weight::semibold}});
        right += figure_text_width(figure.texts.back());
        y += 36 * unit;
    }
    const HeadGrid grid = options.width > 0
                              ? grid_of(bench, options.width, options.height - y - foot, options)
                              : grid_in_file(bench, options);
    for (const LaneOfHeads& lane : bench.heads) {
        y = draw_lane(figure, bench, lane, {margin, y}, grid, options.width, options);
        right = std::max(right, margin + grid.across * grid.pitch_w);
    }
    figure.width = options.width;
    figure.height = options.height;
    if (options.in_hall) return figure;
    const BenchStage& stage = bench.heads.front().heads.front().stage;
    BarLine bar{{{0, 0, 56 * unit, 0}, stage.limits, stage.map},
                stage.title + " " + limits_text(stage.limits)};
    double x = draw_colour_bar(figure, bar, {margin, y + 12 * unit}, 12 * unit, unit) + 24 * unit;
    const Point end = draw_legend(figure, bench, options, {x, y + 2 * unit},
                                  options.width > 0 ? options.width - x : 0);
    figure.width = options.width > 0 ? options.width : std::max(right, end.x) + margin;
    figure.height = std::max(options.height, end.y + margin);
    return figure;
}

}  // namespace maskscope
