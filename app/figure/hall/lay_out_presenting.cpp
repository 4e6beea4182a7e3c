// Of all arrangements of the lanes, this chooses the one that shows most of each lane's last
// stages with all of their numbers.

#include "app/figure/hall/lay_out_presenting.h"

#include <algorithm>
#include <cmath>

#include "app/figure/hall/presenting_plan.h"

namespace maskscope {

using namespace presenting;

namespace {

using Grid = PresentingGrid;
using Piece = PresentingPiece;

constexpr double grid_letter = 12.0 / 13;  // a lane's letter in the smallest type

Text small_text(const Grid& grid, Point at, const std::string& text, Anchor anchor) {
    return {at, text, {grid.type * grid.unit}, Role::dim, anchor};
}

void mark_pointed(Text& text, bool pointed) {
    if (!pointed) return;
    text.style.weight = Weight::bold;
    text.role = Role::ink;
}

// The step between drawn labels: above 1 if a label has less room than its height.
Index step_between(const Grid& grid, double room) {
    return std::max<Index>(1, Index(std::ceil(1.15 * grid.type * grid.unit / room)));
}

void draw_tick(Figure& figure, const Rect& rect) {
    figure.boxes.push_back({rect, 0, true, false, Role::dim, Role::dim});
}

void draw_queries(Figure& figure, const Grid& grid, const Piece& piece,
                  const LayoutOptions& options) {
    const double u = grid.unit;
    const Index every = step_between(grid, grid.cell_h);
    for (Index i = 0; i < piece.stage->cells->rows; i += every) {
        const double y = piece.rect.y + (double(i) + 0.5) * grid.cell_h;
        Text text = small_text(grid, {piece.rect.x - label_gap * u, y}, grid.tokens().queries[i],
                               Anchor::right);
        text.max_width = label_width(grid) - label_gap * u;
        mark_pointed(text, options.hovered && options.hovered->i == i);
        figure.texts.push_back(std::move(text));
        if (every > 1) draw_tick(figure, {piece.rect.x - 5 * u, y - u / 2, 4 * u, u});
    }
}

void draw_keys(Figure& figure, const Grid& grid, const Piece& piece, const LayoutOptions& options) {
    const double u = grid.unit, cell = grid.cell_w(piece);
    const bool upright = grid.columns[piece.column].upright;
    const Index every = upright ? step_between(grid, cell) : 1;
    for (Index j = 0; j < piece.stage->cells->columns; j += every) {
        const double x = piece.rect.x + (double(j) + 0.5) * cell;
        Text text =
            small_text(grid, {x, piece.rect.y - 9 * u}, grid.tokens().keys[j], Anchor::centre);
        if (upright) {
            text.at.y = piece.rect.y - 4 * u;
            text.anchor = Anchor::left;
            text.vertical = true;
            text.max_width = key_height(grid, piece) - 5 * u;
        }
        mark_pointed(text, options.hovered && options.hovered->j == j);
        figure.texts.push_back(std::move(text));
        if (every > 1) draw_tick(figure, {x - u / 2, piece.rect.y - 4 * u, u, 3 * u});
    }
}

void draw_sums_of(Figure& figure, const Grid& grid, const Piece& piece) {
    const Index every = step_between(grid, grid.cell_h);
    for (Index i = 0; i < Index(piece.lane->sums.size()); i += every)
        figure.sums.push_back(sum_of(grid, piece, i));
}

// What was changed since the step, behind the name.
double changes_width(const Piece& piece, double size) {
    if (piece.lane->changes.empty()) return 0;
    return size * text_ems(" (changed: " + piece.lane->changes + ")", Weight::regular);
}

// A lane's name is above its stages; their titles are drawn if there is room.
void draw_title(Figure& figure, const Grid& grid, const Piece& piece, double right,
                double name_size) {
    const double u = grid.unit;
    const double y = piece.rect.y - head_of(grid, piece.row) + name_line / 2 * u;
    const double room = title_end(grid, piece, right) - piece.rect.x;
    if (piece.names_lane) {
        const double small = u * grid_letter;
        draw_lane_name(figure, *piece.lane, {piece.rect.x, y}, room, small, name_size * u / small);
        return;
    }
    for (const Piece& before : grid.pieces)
        if (before.names_lane && before.row == piece.row && before.lane == piece.lane &&
            name_end(grid, before, name_size) + changes_width(before, name_size) * u + 6 * u >
                piece.rect.x)
            return;
    Text title = small_text(grid, {piece.rect.x, y}, piece.stage->title, Anchor::left);
    title.max_width = room;
    figure.texts.push_back(std::move(title));
}

// An arrow with its operations above it, one per line.
void draw_road(Figure& figure, const Grid& grid, const Piece& piece) {
    const Piece* before = grid.at(piece.row, piece.column - 1);
    if (!before || before->is_mask() || before->lane != piece.lane ||
        piece.stage->operations.empty())
        return;
    const double u = grid.unit;
    const std::vector<std::string>& lines = piece.stage->operations;
    const double above = (10 + 14 * double(lines.size() - 1)) * u;  // to the topmost line
    // Clear of what is drawn over the heatmaps.
    const double y = std::max(piece.rect.y + piece.rect.h / 2, piece.rect.y + above + 7 * u);
    const double sums = before->has_sums() ? grid.columns[before->column].sums : 0;
    const Point from{before->rect.right() + 4 * u + sums, y};
    const Point to{piece.rect.x - 4 * u, y};
    figure.connectors.push_back({{from, to}, false, true});
    for (std::size_t k = 0; k < lines.size(); ++k)
        figure.texts.push_back(
            {{(from.x + to.x) / 2, y - (10 + 14 * double(lines.size() - 1 - k)) * u},
             lines[k],
             {grid.type * u, Weight::semibold},
             Role::ink,
             Anchor::centre});
}

void draw_piece(Figure& figure, const Grid& grid, const Piece& piece,
                const LayoutOptions& options) {
    if (grid.is_leftmost(piece)) draw_queries(figure, grid, piece, options);
    if (grid.has_keys(piece)) draw_keys(figure, grid, piece, options);
    if (options.covered && piece.lane && !piece.is_mask())
        return draw_cover(figure, piece.rect, grid.unit);
    figure.heatmaps.push_back(heatmap_of(grid, piece, options));
    if (piece.has_sums()) draw_sums_of(figure, grid, piece);
    draw_road(figure, grid, piece);
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
    const PresentingPlan plan = plan_to_present(blocks, options);
    for (std::size_t k = 0; k < plan.grids.size(); ++k) {
        const Grid& grid = plan.grids[k];
        const Point& corner = plan.corners[k];
        if (blocks.size() > 1) {
            const Point middle{corner.x, corner.y + line / 2 * grid.unit};
            figure.texts.push_back(small_text(grid, middle, blocks[k].title, Anchor::left));
            figure.texts.back().max_width = plan.block_w;
        }
        for (const Piece& piece : grid.pieces) {
            draw_title(figure, grid, piece, corner.x + plan.block_w, plan.name_size);
            draw_piece(figure, grid, piece, options);
        }
    }
    return figure;
}

}  // namespace maskscope
