#include "app/figure/hall/presenting_plan.h"

#include <algorithm>

#include "core/scene/settings.h"

namespace maskscope {

using namespace presenting;

namespace {

using Grid = PresentingGrid;
using Piece = PresentingPiece;

constexpr double between_blocks = 12;  // points
constexpr double name_sizes[] = {15, 13.5, 12};

// Requirements of a plan; the second set applies if no plan meets the first.
struct Wish {
    double row;      // ems that a row is high, at least
    double padding;  // points either side of a number
    bool equal;      // all cells are equally wide
    bool spare;      // row sums keep room for their value after an edit
    bool names;      // no lane's name is cut, and no stage lacks a title that it needs
    NumberForm form;
};
using enum NumberForm;
constexpr Wish wishes[] = {
    {1.25, 3, true, true, true, two_decimals},   {1.25, 3, false, true, true, two_decimals},
    {1.17, 2, false, false, true, two_decimals}, {lowest_row, 2, false, false, true, two_decimals},
    {1.17, 2, false, false, true, no_zero},      {lowest_row, 1, false, false, true, no_zero},
    {1.17, 2, false, false, true, one_decimal},  {lowest_row, 1, false, false, true, one_decimal},
    {1.17, 2, false, false, false, one_decimal}, {lowest_row, 1, false, false, false, one_decimal}};

struct Trial {
    std::size_t way = 0, across = 1;
    double type = smallest;
    const Wish* wish = &wishes[0];
    bool titles_below = false;
    double bar = sum_bar;
};

double title_height(std::span<const BenchBlock> blocks, double unit) {
    return blocks.size() > 1 ? line * unit : 0;
}

using Ways = std::vector<std::vector<Grid>>;  // of each block

PresentingPlan plan_of(std::span<const BenchBlock> blocks, const Ways& ways, const Trial& trial,
                       const LayoutOptions& options) {
    PresentingPlan plan;
    const double u = options.scale, gap = between_blocks * u;
    const auto across = double(trial.across);
    const std::size_t lines = (blocks.size() + trial.across - 1) / trial.across;
    const auto down = double(lines);
    plan.block_w = (options.width - (across - 1) * gap) / across;
    const double height = options.height / down - title_height(blocks, u);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        Grid grid = ways[k][std::min(trial.way, ways[k].size() - 1)];
        grid.unit = u;
        grid.type = trial.type;
        grid.padding = trial.wish->padding;
        grid.form = trial.wish->form;
        grid.equal_cells = trial.wish->equal;
        grid.titles_below = trial.titles_below;
        grid.bar = trial.bar;
        grid.spare_sums = trial.wish->spare && blocks.size() == 1;
        size_cells(grid, plan.block_w, height);
        plan.grids.push_back(std::move(grid));
        const std::size_t line = k / trial.across, place = k % trial.across;
        plan.corners.push_back(
            {double(place) * (plan.block_w + gap), double(line) * options.height / down});
    }
    make_alike(plan.grids);
    for (std::size_t k = 0; k < blocks.size(); ++k)
        position(plan.grids[k], {plan.corners[k].x, plan.corners[k].y + title_height(blocks, u)});
    return plan;
}

bool names_fit(const PresentingPlan& plan, double size) {
    for (std::size_t k = 0; k < plan.grids.size(); ++k)
        for (const Piece& piece : plan.grids[k].pieces)
            if (piece.names_lane &&
                name_end(plan.grids[k], piece, size) >
                    title_end(plan.grids[k], piece, plan.corners[k].x + plan.block_w))
                return false;
    return true;
}

// Weights need no title, nor does a stage whose title is above it in its column.
bool titles_fit(const PresentingPlan& plan) {
    for (std::size_t k = 0; k < plan.grids.size(); ++k) {
        const Grid& grid = plan.grids[k];
        const double right = plan.corners[k].x + plan.block_w;
        for (const Piece& piece : grid.pieces) {
            const Piece* above = grid.at(0, piece.column);
            const bool titled_above = above && above->stage->stage == piece.stage->stage;
            if (piece.stage->stage != StageKind::weights && (!titled_above || above == &piece) &&
                !shows_title(grid, piece, right, plan.name_size))
                return false;
        }
    }
    return true;
}

// The largest size at which no name is cut; if there is none, the smallest.
double size_of_names(const PresentingPlan& plan) {
    for (const double size : name_sizes)
        if (names_fit(plan, size)) return size;
    return smallest;
}

bool grants(const PresentingPlan& plan, const Wish& wish) {
    return std::ranges::all_of(plan.grids,
                               [&](const Grid& grid) {
                                   return grid.cell_h >= wish.row * grid.type * grid.unit &&
                                          shows_all_numbers(grid);
                               }) &&
           (!wish.names || names_fit(plan, plan.name_size));
}

// The area of the smallest cell; an elongated one counts as at most 1.5 squares.
double cell_of(const PresentingPlan& plan) {
    double least = 1e18;
    for (const Grid& grid : plan.grids)
        for (const Piece& piece : grid.pieces)
            if (!piece.is_mask())
                least = std::min(least, std::min(grid.cell_w(piece), 1.5 * grid.cell_h) *
                                            std::min(grid.cell_h, 1.5 * grid.cell_w(piece)));
    return least;
}

// Whether everything fits into the room.
bool fits(const PresentingPlan& plan, const LayoutOptions& options) {
    const double down =
        plan.corners.back().y > 0 ? options.height - plan.corners.back().y : options.height;
    for (std::size_t k = 0; k < plan.grids.size(); ++k)
        for (const Piece& piece : plan.grids[k].pieces) {
            const double sums = piece.has_sums() ? plan.grids[k].columns[piece.column].sums : 0;
            if (piece.rect.right() + sums > plan.corners[k].x + plan.block_w + 1 ||
                piece.rect.bottom() > plan.corners[k].y + down + 1)
                return false;
        }
    return true;
}

// How many columns have keys that read upwards.
std::ptrdiff_t turned_keys(const PresentingPlan& plan) {
    return std::ranges::count_if(plan.grids.front().columns, &PresentingColumn::upright);
}

// What an arrangement keeps of the step's point: the last stage of every lane and the claimed one.
enum class Keeps { point_and_weights, point, weights };

Keeps kept_by(const Grid& grid, std::optional<StageKind> claimed) {
    bool point = true, weights = true;
    const auto look_at = [&](const BenchStage& stage, bool is_last) {
        if (std::ranges::find(grid.pieces, &stage, &Piece::stage) != grid.pieces.end()) return;
        if (is_last || stage.stage == claimed) point = false;
        if (stage.stage == StageKind::weights) weights = false;
    };
    for (const BenchStage& stage : grid.block->shared) look_at(stage, false);
    for (const BenchLane& lane : grid.block->lanes)
        for (const BenchStage& stage : lane.stages) look_at(stage, &stage == &lane.stages.back());
    if (!point) return Keeps::weights;
    return weights ? Keeps::point_and_weights : Keeps::point;
}

// Calls visit(trial) for each arrangement that keeps just that, the richest first, until it returns
// true.
template <class Visit>
bool each_trial(const Ways& ways, const Wish& wish, std::optional<StageKind> claimed, Keeps keeps,
                const Visit& visit) {
    const std::size_t most_across = std::min<std::size_t>(ways.size(), 8);
    for (std::size_t way = 0; way < ways.front().size(); ++way) {
        if (kept_by(ways.front()[way], claimed) != keeps) continue;
        for (const double type : {wished, smallest})
            for (std::size_t across = 1; across <= most_across; ++across)
                if (visit(Trial{way, across, type, &wish})) return true;
    }
    return false;
}

}  // namespace

double title_end(const Grid& grid, const Piece& piece, double right) {
    for (const Piece& other : grid.pieces)
        if (other.row == piece.row && other.column > piece.column &&
            (!piece.names_lane || other.lane != piece.lane))
            right = std::min(right, other.rect.x - 6 * grid.unit);
    return std::max(right, piece.rect.x + 1);
}

double name_end(const Grid& grid, const Piece& piece, double size) {
    const double letters = piece.lane->difference ? 65 : piece.lane->variant >= 0 ? 28 : 0;
    return piece.rect.x +
           (letters + size * text_ems(piece.lane->name, Weight::semibold)) * grid.unit;
}

double noted_end(const Grid& grid, const Piece& piece, double size) {
    const double note = text_ems(changes_note(piece.lane->changes), Weight::regular);
    return name_end(grid, piece, size) + size * note * grid.unit;
}

double titled_end(const Grid& grid, const Piece& piece, double name_size) {
    const double title = grid.type * text_ems(piece.stage->title, Weight::regular);
    return noted_end(grid, piece, name_size) + (8 + title) * grid.unit;
}

bool shows_title(const Grid& grid, const Piece& piece, double right, double name_size) {
    if (!piece.lane || (grid.titles_below && piece.row == 0)) return true;
    if (piece.names_lane)
        return std::ranges::all_of(grid.pieces, [&](const Piece& other) {
            if (!other.names_lane || other.stage->stage != piece.stage->stage ||
                (grid.titles_below && other.row == 0))
                return true;
            double next = right;  // above another heatmap it would be taken for its title
            for (const Piece& after : grid.pieces)
                if (after.row == other.row && after.column > other.column)
                    next = std::min(next, after.rect.x - 6 * grid.unit);
            return titled_end(grid, other, name_size) <= next;
        });
    return std::ranges::none_of(grid.pieces, [&](const Piece& before) {
        if (!before.names_lane || before.row != piece.row || before.lane != piece.lane)
            return false;
        const double end = shows_title(grid, before, right, name_size)
                               ? titled_end(grid, before, name_size)
                               : noted_end(grid, before, name_size);
        return end + 6 * grid.unit > piece.rect.x;
    });
}

PresentingPlan plan_to_present(std::span<const BenchBlock> blocks, const LayoutOptions& options) {
    Ways ways;
    for (const BenchBlock& block : blocks) ways.push_back(ways_to_present(block, options.claimed));
    PresentingPlan best;
    const auto made = [&](Trial trial) {
        for (;; trial.titles_below = true) {
            PresentingPlan plan = plan_of(blocks, ways, trial, options);
            plan.name_size = size_of_names(plan);
            if (trial.titles_below || !trial.wish->names || titles_fit(plan)) return plan;
        }
    };
    for (const Keeps keeps : {Keeps::point_and_weights, Keeps::point, Keeps::weights})
        for (const Wish& wish : wishes)
            if (each_trial(ways, wish, options.claimed, keeps, [&](Trial trial) {
                    best = made(trial);
                    if (!grants(best, wish)) return false;
                    for (const double bar : long_bars) {
                        trial.bar = bar;
                        PresentingPlan longer = made(trial);
                        if (!grants(longer, wish) || turned_keys(longer) > turned_keys(best))
                            continue;
                        best = std::move(longer);
                        break;
                    }
                    return true;
                }))
                return best;
    double largest = -1;
    for (const Keeps keeps : {Keeps::point_and_weights, Keeps::point, Keeps::weights})
        each_trial(ways, wishes[0], options.claimed, keeps, [&](const Trial& trial) {
            PresentingPlan plan = made(trial);
            if (trial.type == smallest && fits(plan, options) && cell_of(plan) > 1.05 * largest) {
                largest = cell_of(plan);
                best = std::move(plan);
            }
            return false;
        });
    if (largest < 0 && blocks.size() > 1)
        return plan_to_present(blocks.first(blocks.size() - 1), options);
    return best;
}

}  // namespace maskscope
