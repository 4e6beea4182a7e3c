// Of all ways in which the lanes can stand, the one is taken that shows most of each lane's last
// stages with all of their numbers.

#include "app/figure/lay_out_presenting.h"

#include <algorithm>
#include <cmath>

#include "app/figure/presenting_grid.h"
#include "app/labels.h"

namespace maskscope {

using namespace presenting;

namespace {

using Grid = PresentingGrid;
using Piece = PresentingPiece;

Text small_text(const Grid& grid, Point at, const std::string& text, Anchor anchor) {
    return {at, text, {type * grid.unit}, Role::dim, anchor};
}

void mark_pointed(Text& text, bool pointed) {
    if (!pointed) return;
    text.style.weight = Weight::bold;
    text.role = Role::ink;
}

// Every k-th where a label has less room than its height.
Index step_between(const Grid& grid, double room) {
    return std::max<Index>(1, Index(std::ceil(1.15 * type * grid.unit / room)));
}

void draw_queries(Figure& figure, const Grid& grid, const Piece& piece,
                  const LayoutOptions& options) {
    const Index every = step_between(grid, grid.cell_h);
    for (Index i = 0; i < piece.stage->cells->rows; i += every) {
        const double y = piece.rect.y + (double(i) + 0.5) * grid.cell_h;
        Text text = small_text(grid, {piece.rect.x - 6 * grid.unit, y},
                               grid.tokens().queries[std::size_t(i)], Anchor::right);
        text.max_width = label_width(grid) - 6 * grid.unit;
        mark_pointed(text, options.hovered && options.hovered->i == i);
        figure.texts.push_back(std::move(text));
    }
}

// A key may reach over the cells beside it as far as their own keys leave room.
double key_room(const Grid& grid, Index j, double cell) {
    const std::vector<double>& ems = grid.tokens().key_ems;
    double beside = 0;
    for (const Index other : {j - 1, j + 1})
        if (other >= 0 && other < Index(ems.size()))
            beside = std::max(beside, type * grid.unit * ems[std::size_t(other)]);
    return std::max(cell, 2 * cell - beside) - 2 * grid.unit;
}

void draw_keys(Figure& figure, const Grid& grid, const Piece& piece, const LayoutOptions& options) {
    const double cell = piece.rect.w / double(piece.stage->cells->columns);
    const bool upwards = grid.vertical_keys;
    // A mask's narrow columns name every k-th key.
    const Index every = upwards
                            ? step_between(grid, cell)
                            : std::max<Index>(1, Index(std::ceil(0.75 * longest_key(grid) / cell)));
    for (Index j = 0; j < piece.stage->cells->columns; j += every) {
        const double x = piece.rect.x + (double(j) + 0.5) * cell;
        Text text = small_text(grid, {x, piece.rect.y - 9 * grid.unit},
                               grid.tokens().keys[std::size_t(j)], Anchor::centre);
        text.max_width = upwards     ? key_height(grid) - 4 * grid.unit
                         : every > 1 ? double(every) * cell - 2 * grid.unit
                                     : key_room(grid, j, cell);
        if (upwards) {
            text.at.y = piece.rect.y - 4 * grid.unit;
            text.anchor = Anchor::left;
            text.vertical = true;
        }
        mark_pointed(text, options.hovered && options.hovered->j == j);
        figure.texts.push_back(std::move(text));
    }
}

void draw_sums_of(Figure& figure, const Grid& grid, const Piece& piece) {
    const double u = grid.unit, x = piece.rect.right() + 7 * u;
    const Index every = step_between(grid, grid.cell_h);
    for (Index i = 0; i < Index(piece.lane->sums.size()); i += every) {
        SumBar bar = sum_bar_of(piece.lane->sums[std::size_t(i)], *piece.stage->cells, i);
        if (const auto words = bar.text.find(" by design"); words != std::string::npos)
            bar.text.resize(words);
        const double middle = piece.rect.y + (double(i) + 0.5) * grid.cell_h;
        const double height = std::min(0.5 * grid.cell_h, 14 * u);
        bar.rect = {x, std::round(middle - height / 2), sum_bar * u, std::round(height)};
        bar.text_size = type * u;
        bar.lane = piece.lane->variant;
        bar.b = grid.block->b;
        bar.h = grid.block->h;
        figure.sums.push_back(std::move(bar));
    }
}

double name_end(const Grid& grid, const Piece& piece) {
    const TextStyle style{15 * grid.unit, Weight::semibold};
    return piece.rect.x + 32 * grid.unit + measure(piece.lane->name, style).width;
}

// Where a title may end: at the next heatmap of its row that is not its own lane's.
double title_end(const Grid& grid, const Piece& piece, double right) {
    for (const Piece& other : grid.pieces)
        if (other.row == piece.row && other.column > piece.column &&
            (!piece.names_lane || other.lane != piece.lane))
            right = std::min(right, other.rect.x - 6 * grid.unit);
    return std::max(right, piece.rect.x + 1);
}

// A lane's name stands over its stages; their titles where it leaves room.
void draw_title(Figure& figure, const Grid& grid, const Piece& piece, double right) {
    const double u = grid.unit;
    const double y = piece.rect.y - head_of(grid, piece.row) + (line / 2 + 1) * u;
    const double room = title_end(grid, piece, right) - piece.rect.x;
    if (piece.names_lane) {
        draw_lane_name(figure, *piece.lane, {piece.rect.x, y}, room, u);
        return;
    }
    for (const Piece& before : grid.pieces)
        if (before.names_lane && before.row == piece.row && before.lane == piece.lane &&
            name_end(grid, before) > piece.rect.x)
            return;
    Text title = small_text(grid, {piece.rect.x, y}, piece.stage->title, Anchor::left);
    title.max_width = room;
    figure.texts.push_back(std::move(title));
}

void draw_road(Figure& figure, const Grid& grid, const Piece& piece) {
    const Piece* before = grid.at(piece.row, piece.column - 1);
    if (!before || before->is_mask() || before->lane != piece.lane ||
        piece.stage->operation.empty())
        return;
    const double u = grid.unit, y = piece.rect.y + piece.rect.h / 2;
    const Point from{before->rect.right() + 4 * u + (before->has_sums() ? sums_room * u : 0), y};
    const Point to{piece.rect.x - 4 * u, y};
    figure.connectors.push_back({{from, to}, false, true});
    figure.texts.push_back({{(from.x + to.x) / 2, y - 10 * u},
                            piece.stage->operation,
                            {type * u, Weight::semibold},
                            Role::ink,
                            Anchor::centre});
}

void draw_piece(Figure& figure, const Grid& grid, const Piece& piece,
                const LayoutOptions& options) {
    if (grid.is_leftmost(piece)) draw_queries(figure, grid, piece, options);
    if (grid.has_keys(piece)) draw_keys(figure, grid, piece, options);
    if (options.covered && piece.lane && !piece.is_mask()) return draw_cover(figure, piece.rect, grid.unit);
    figure.heatmaps.push_back(heatmap_of(grid, piece, options));
    if (piece.has_sums()) draw_sums_of(figure, grid, piece);
    draw_road(figure, grid, piece);
}

// --- several sequences or heads

struct Plan {
    std::vector<Grid> grids;  // one a block
    std::size_t across = 1;
    bool all_numbers = true;
    double cell = 1e18;  // area of the smallest
    std::size_t down() const { return (grids.size() + across - 1) / across; }
};

double block_title(const std::vector<BenchBlock>& blocks, double unit) {
    return blocks.size() > 1 ? line * unit : 0;
}

Plan plan_of(const std::vector<BenchBlock>& blocks, std::size_t way, std::size_t across,
             const LayoutOptions& options) {
    Plan plan;
    plan.across = across;
    const auto down = double((blocks.size() + across - 1) / across);
    const double height = options.height / down - block_title(blocks, options.scale);
    for (const BenchBlock& block : blocks) {
        std::vector<Grid> ways = ways_to_present(block);
        Grid grid = std::move(ways[std::min(way, ways.size() - 1)]);
        grid.unit = options.scale;
        size_cells(grid, options.width / double(across), height);
        position(grid, {0, 0});
        plan.all_numbers = plan.all_numbers && shows_all_numbers(grid, options);
        plan.cell = std::min(plan.cell, grid.cell_w * grid.cell_h);
        plan.grids.push_back(std::move(grid));
    }
    return plan;
}

// Where numbers fit in no way, the largest cells.
Plan best_plan(const std::vector<BenchBlock>& blocks, const LayoutOptions& options) {
    Plan best;
    const std::size_t ways = ways_to_present(blocks.front()).size();
    for (std::size_t way = 0; way < ways; ++way)
        for (std::size_t across = 1; across <= blocks.size(); ++across) {
            Plan plan = plan_of(blocks, way, across, options);
            if (plan.all_numbers) return plan;
            if (best.grids.empty() || plan.cell > 1.05 * best.cell) best = std::move(plan);
        }
    return best;
}

std::vector<BenchBlock> shown_blocks(const Bench& bench, bool with_mask) {
    std::vector<BenchBlock> blocks = bench.blocks;
    for (BenchBlock& block : blocks) {
        if (!with_mask) {
            block.mask.reset();
            for (BenchLane& lane : block.lanes)
                std::erase_if(lane.stages, [](const BenchStage& stage) {
                    return stage.stage == StageKind::allowed;
                });
        }
        std::erase_if(block.lanes, [](const BenchLane& lane) { return lane.stages.empty(); });
    }
    std::erase_if(blocks, [](const BenchBlock& block) { return block.lanes.empty(); });
    return blocks;
}

}  // namespace

Figure lay_out_presenting(const Bench& bench, const LayoutOptions& options, bool with_mask) {
    Figure figure;
    figure.unit = options.scale;
    figure.width = options.width;
    figure.height = options.height;
    const std::vector<BenchBlock> blocks = shown_blocks(bench, with_mask);
    if (blocks.empty()) return figure;
    Plan plan = best_plan(blocks, options);
    const double w = options.width / double(plan.across);
    const double h = options.height / double(plan.down());
    for (std::size_t k = 0; k < plan.grids.size(); ++k) {
        Grid& grid = plan.grids[k];
        Point at{double(k % plan.across) * w, double(k / plan.across) * h};
        if (blocks.size() > 1) {
            const Point middle{at.x, at.y + line / 2 * grid.unit};
            figure.texts.push_back(small_text(grid, middle, blocks[k].title, Anchor::left));
            at.y += block_title(blocks, grid.unit);
        }
        position(grid, at);
        for (const Piece& piece : grid.pieces) {
            draw_title(figure, grid, piece, at.x + w);
            draw_piece(figure, grid, piece, options);
        }
    }
    return figure;
}

}  // namespace maskscope
