// Chooses, among all arrangements of the lanes, the one that shows most of each lane's last stages
// with all of their numbers.

#include "app/figure/hall/lay_out_presenting.h"

#include <fmt/format.h>

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
    return std::max<Index>(1, Index(std::ceil(lowest_row * grid.type * grid.unit / room)));
}

void draw_tick(Figure& figure, const Rect& rect) {
    figure.boxes.push_back({rect, 0, true, false, Role::dim, Role::dim});
}

void draw_queries(Figure& figure, const Grid& grid, const Piece& piece, Index rows,
                  const LayoutOptions& options) {
    const double u = grid.unit;
    const Index every = step_between(grid, grid.cell_h);
    for (Index i = 0; i < rows; i += every) {
        const double y = piece.rect.y + (double(i) + 0.5) * grid.cell_h;
        Text text = small_text(grid, {piece.rect.x - label_gap * u, y},
                               grid.tokens(piece).queries[i], Anchor::right);
        text.max_width = label_width(grid) - label_gap * u;
        mark_pointed(text, options.hovered && tokens_of(*options.hovered).query == i);
        figure.texts.push_back(std::move(text));
        if (every > 1) draw_tick(figure, {piece.rect.x - 5 * u, y - u / 2, 4 * u, u});
    }
}

void draw_keys(Figure& figure, const Grid& grid, const Piece& piece, Index columns,
               const LayoutOptions& options) {
    const double u = grid.unit, cell = grid.cell_w(piece);
    const bool upright = grid.columns[piece.column].upright;
    const Index every = upright ? step_between(grid, cell) : 1;
    for (Index j = 0; j < columns; j += every) {
        const double x = piece.rect.x + (double(j) + 0.5) * cell;
        Text text =
            small_text(grid, {x, piece.rect.y - 9 * u}, grid.tokens(piece).keys[j], Anchor::centre);
        if (upright) {
            text.at.y = piece.rect.y - 4 * u;
            text.anchor = Anchor::left;
            text.vertical = true;
            text.max_width = key_height(grid, piece) - 5 * u;
        }
        mark_pointed(text, options.hovered && tokens_of(*options.hovered).key == j);
        figure.texts.push_back(std::move(text));
        if (every > 1) draw_tick(figure, {x - u / 2, piece.rect.y - 4 * u, u, 3 * u});
    }
}

void draw_sums_of(Figure& figure, const Grid& grid, const Piece& piece, Index rows) {
    const Index every = step_between(grid, grid.cell_h);
    for (Index i = 0; i < std::min(rows, Index(piece.lane->sums.rows.size())); i += every)
        figure.sums.push_back(sum_of(grid, piece, i));
}

// Labels the rows and columns, beside the keys of the leftmost heatmap, if there is space to the
// right of `left`.
void draw_axes(Figure& figure, const Grid& grid, const Piece& piece, double left) {
    const double u = grid.unit, x = piece.rect.x - label_gap * u;
    const double first = piece.rect.y + grid.cell_h / 2;  // of the queries, in a low row
    const double y = std::min(piece.rect.y - 9 * u, first - lowest_row * grid.type * u);
    Text rows = small_text(grid, {x, y}, "queries ↓", Anchor::right);
    if (x - figure_text_width(rows) < left - u) return;
    figure.texts.push_back(small_text(grid, {x, y - 15 * u}, "keys →", Anchor::right));
    figure.texts.push_back(std::move(rows));
}

// A lane's name is above its stages; their titles are behind it or below it.
void draw_title(Figure& figure, const Grid& grid, const Piece& piece, double right,
                double name_size) {
    const double u = grid.unit;
    const double y = piece.rect.y - head_of(grid, piece.row) + name_line / 2 * u;
    const double room = title_end(grid, piece, right) - piece.rect.x;
    Text title = small_text(grid, {piece.rect.x, y}, piece.stage->title, Anchor::left);
    const bool below = grid.titles_below && piece.row == 0;
    if (below) title.at.y += (name_line + line) / 2 * u;
    title.max_width = room;
    if (piece.names_lane) {
        const double small = u * grid_letter;
        draw_lane_name(figure, *piece.lane, {piece.rect.x, y}, room, small, name_size * u / small);
        if (!below) {
            title.at.x = noted_end(grid, piece, name_size) + 8 * u;
            title.max_width = 0;
        }
    }
    if (shows_title(grid, piece, right, name_size)) figure.texts.push_back(std::move(title));
}

// The operations of a piece above its connector, the last one nearest to it.
void draw_operations(Figure& figure, const Grid& grid, const Piece& piece, Point middle) {
    const std::vector<std::string>& lines = piece.stage->operations;
    for (std::size_t k = 0; k < lines.size(); ++k)
        figure.texts.push_back(
            {{middle.x, middle.y - (10 + 14 * double(lines.size() - 1 - k)) * grid.unit},
             lines[k],
             {grid.type * grid.unit, Weight::semibold},
             Role::ink,
             Anchor::centre});
}

bool is_covered(const LayoutOptions& options, const Piece& piece) {
    return is_covered(options, piece.stage->stage, piece.lane);
}

// An arrow with its operations above it.
void draw_road(Figure& figure, const Grid& grid, const Piece& piece) {
    const Piece* before = grid.leads_to(piece);
    if (!before || before->row != piece.row) return;
    const std::size_t count = piece.stage->operations.size();
    if (before->lane && count == 0) return;
    const double u = grid.unit;
    const double above = (10 + 14 * double(std::max<std::size_t>(count, 1) - 1)) * u;
    // Clear of what is drawn over the heatmaps.
    const double y =
        std::min(std::max(piece.rect.y + piece.rect.h / 2, piece.rect.y + above + 7 * u),
                 std::min(piece.rect.bottom(), before->rect.bottom()) - 2 * u);
    const double sums = before->has_sums() ? grid.columns[before->column].sums : 0;
    const Point from{before->rect.right() + 4 * u + sums, y};
    const Point to{piece.rect.x - 4 * u, y};
    figure.connectors.push_back({{from, to}});
    draw_operations(figure, grid, piece, {(from.x + to.x) / 2, y});
}

// The other lanes leave below the stage that all share, the lowest lane first, so that their lines
// do not cross; they arrive at the labels of their rows.
void draw_branches(Figure& figure, const Grid& grid, const LayoutOptions& options) {
    const double u = grid.unit, rows = double(grid.rows());
    for (const Piece& piece : grid.pieces) {
        const Piece* fork = grid.leads_to(piece);
        if (!fork || fork->row == piece.row || is_covered(options, piece)) continue;
        double words = 0;
        for (const std::string& operation : piece.stage->operations)
            words = std::max(words, grid.type * u * text_ems(operation, Weight::semibold));
        const double labels = grid.names_rows(piece) ? label_width(grid) : 0;
        const double end = piece.rect.x - labels, start = end - words - 16 * u;
        const double pitch = std::clamp(24 / rows, 3.0, 8.0) * u;
        const double last = std::min(fork->rect.right() - 8 * u, start);
        const double x = last - pitch * (rows - 1 - double(piece.row - fork->row));
        const double y = piece.rect.y + piece.rect.h / 2;
        if (x < fork->rect.x) continue;  // no room: the lane has no line
        figure.connectors.push_back(
            {{{x, fork->rect.bottom() + 2 * u}, {x, y}, arrival_at(figure, piece.rect, y, u)},
             true});
        draw_operations(figure, grid, piece, {(x + end) / 2, y});
    }
}

void draw_piece(Figure& figure, const Grid& grid, const Piece& piece,
                const LayoutOptions& options) {
    Heatmap map = heatmap_of(grid, piece, options);
    if (options.written) cut_unwritten(map, options.written->attention, options.written);
    const Index rows = map.cells->rows, columns = map.cells->columns;
    const bool covered = is_covered(options, piece);
    const bool hidden = hides_words(options, piece.lane);
    const BenchTokens& tokens = grid.tokens(piece);
    if (grid.names_rows(piece) && !(hidden && tokens.said))
        draw_queries(figure, grid, piece, rows, options);
    if (grid.has_keys(piece) && !(hidden && tokens.keys_are_said()))
        draw_keys(figure, grid, piece, columns, options);
    if (covered) return draw_cover(figure, std::move(map), grid.unit);
    figure.heatmaps.push_back(std::move(map));
    if (piece.has_sums()) draw_sums_of(figure, grid, piece, rows);
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
    std::erase_if(blocks, [](const BenchBlock& block) {
        return block.lanes.empty() && block.shared.empty() && !block.mask;
    });
    return blocks;
}

std::string from_to(const std::string& first, const std::string& last) {
    return first == last ? first : first + " to " + last;
}

std::string name_of(const BenchLane& lane) {
    return lane.variant >= 0 ? fmt::format("variant {}", lane_letter(lane.variant)) : lane.name;
}

// The blocks that fit, in their places; lanes that nothing would fit with are left out. Says below
// them what is missing.
std::optional<PresentingPlan> plan_what_fits(Figure& figure, std::vector<BenchBlock>& blocks,
                                             LayoutOptions options) {
    auto plan = plan_to_present(blocks, options);
    if (plan && plan->grids.size() == blocks.size()) return plan;
    const double below = line * options.scale;
    options.height -= below;
    std::vector<std::string> missing;
    const std::vector<BenchLane> lanes = blocks.front().lanes;
    while (!(plan = plan_to_present(blocks, options)) && blocks.front().lanes.size() > 1) {
        const std::size_t fewer = blocks.front().lanes.size() - 1;
        for (BenchBlock& block : blocks) block.lanes.resize(std::min(block.lanes.size(), fewer));
    }
    if (!plan && options.height < 0) return plan;
    if (!plan)
        missing.emplace_back("the variants");
    else if (const std::size_t shown = plan->grids.size(); shown < blocks.size())
        missing.push_back(from_to(blocks[shown].title, blocks.back().title));
    if (const std::size_t shown = blocks.front().lanes.size(); plan && shown < lanes.size())
        missing.push_back(from_to(name_of(lanes[shown]), name_of(lanes.back())));
    if (missing.empty()) return plan;
    figure.texts.push_back(
        {{0, options.height + below / 2},
         fmt::format("Not shown, for lack of space: {}.", fmt::join(missing, ", ")),
         {smallest * options.scale},
         Role::dim});
    figure.texts.back().max_width = options.width;
    return plan;
}

}  // namespace

Figure lay_out_presenting(const Bench& bench, const LayoutOptions& options, bool with_mask) {
    Figure figure;
    figure.unit = options.scale;
    figure.width = options.width;
    figure.height = options.height;
    std::vector<BenchBlock> blocks = shown_blocks(bench, with_mask);
    if (blocks.empty()) return figure;
    const auto plan = plan_what_fits(figure, blocks, options);
    if (!plan) return figure;
    for (std::size_t k = 0; k < plan->grids.size(); ++k) {
        const Grid& grid = plan->grids[k];
        const Point& corner = plan->corners[k];
        if (blocks.size() > 1) {
            const Point middle{corner.x, corner.y + line / 2 * grid.unit};
            figure.texts.push_back(small_text(grid, middle, blocks[k].title, Anchor::left));
            figure.texts.back().max_width = plan->block_w;
        }
        for (const Piece& piece : grid.pieces) {
            draw_title(figure, grid, piece, corner.x + plan->block_w, plan->name_size);
            draw_piece(figure, grid, piece, options);
            if (grid.is_leftmost(piece) && grid.has_keys(piece))
                draw_axes(figure, grid, piece, corner.x);
        }
        draw_branches(figure, grid, options);
    }
    return figure;
}

}  // namespace maskscope
