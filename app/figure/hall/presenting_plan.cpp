#include "app/figure/hall/presenting_plan.h"

#include <algorithm>

#include "core/scene/names.h"

namespace maskscope {

using namespace presenting;

namespace {

using Grid = PresentingGrid;
using Piece = PresentingPiece;

constexpr double between_blocks = 12;   // points
constexpr std::size_t most_across = 8;  // blocks
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

// The input of planning: the blocks, each in several ways, and the space.
struct Hall {
    std::span<const std::vector<Grid>> ways;  // of each block
    const LayoutOptions& options;
    bool titled = false;  // each block has a title
    double title_height() const { return titled ? line * options.scale : 0; }
    Hall first(std::size_t count) const { return {ways.first(count), options, titled}; }
};

// drawn: how many blocks are made, from the first one on; all have a place.
PresentingPlan plan_of(const Hall& hall, const Trial& trial, std::size_t drawn) {
    const auto& ways = hall.ways;
    const LayoutOptions& options = hall.options;
    PresentingPlan plan;
    const double u = options.scale, gap = between_blocks * u;
    const auto across = double(trial.across);
    const std::size_t lines = (ways.size() + trial.across - 1) / trial.across;
    const auto down = double(lines);
    plan.block_w = (options.width - (across - 1) * gap) / across;
    const double height = options.height / down - hall.title_height();
    for (std::size_t k = 0; k < ways.size(); ++k) {
        const std::size_t line = k / trial.across, place = k % trial.across;
        plan.corners.push_back(
            {double(place) * (plan.block_w + gap), double(line) * options.height / down});
    }
    for (std::size_t k = 0; k < drawn; ++k) {
        Grid grid = ways[k][std::min(trial.way, ways[k].size() - 1)];
        grid.unit = u;
        grid.type = trial.type;
        grid.padding = trial.wish->padding;
        grid.form = trial.wish->form;
        grid.equal_cells = trial.wish->equal;
        grid.titles_below = trial.titles_below;
        grid.bar = trial.bar;
        grid.spare_sums = trial.wish->spare && ways.size() == 1;
        size_cells(grid, plan.block_w, height);
        plan.grids.push_back(std::move(grid));
    }
    make_alike(plan.grids);
    for (std::size_t k = 0; k < drawn; ++k)
        position(plan.grids[k], {plan.corners[k].x, plan.corners[k].y + hall.title_height()});
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

// Rejects heatmaps that are lower or narrower than a line of text, if there are several blocks.
bool is_sliver(const Piece& piece, double unit) {
    return std::min(piece.rect.w, piece.rect.h) < smallest * unit;
}

// Whether everything fits into the room.
bool fits(const PresentingPlan& plan, const LayoutOptions& options) {
    const double down =
        plan.corners.back().y > 0 ? options.height - plan.corners.back().y : options.height;
    for (std::size_t k = 0; k < plan.grids.size(); ++k)
        for (const Piece& piece : plan.grids[k].pieces) {
            const double sums = piece.has_sums() ? plan.grids[k].columns[piece.column].sums : 0;
            if ((plan.corners.size() > 1 && is_sliver(piece, options.scale)) ||
                piece.rect.right() + sums > plan.corners[k].x + plan.block_w + 1 ||
                piece.rect.bottom() > plan.corners[k].y + down + 1)
                return false;
        }
    return true;
}

bool grants_cells(const PresentingPlan& plan, const Wish& wish) {
    return std::ranges::all_of(plan.grids, [&](const Grid& grid) {
        return grid.cell_h >= wish.row * grid.type * grid.unit && shows_all_numbers(grid);
    });
}

bool grants(const PresentingPlan& plan, const Wish& wish, const LayoutOptions& options) {
    return grants_cells(plan, wish) && fits(plan, options) &&
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

// How many columns have keys that read upwards.
std::ptrdiff_t turned_keys(const PresentingPlan& plan) {
    return std::ranges::count_if(plan.grids.front().columns, &PresentingColumn::upright);
}

// The parts of the step's point that an arrangement keeps: the last stage of every lane, and the
// claimed stage.
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
bool each_trial(const Hall& hall, const Wish& wish, Keeps keeps, const Visit& visit) {
    const auto& ways = hall.ways;
    const std::size_t across_most = std::min(ways.size(), most_across);
    for (std::size_t way = 0; way < ways.front().size(); ++way) {
        if (kept_by(ways.front()[way], hall.options.claimed) != keeps) continue;
        for (const double type : {wished, smallest})
            for (std::size_t across = 1; across <= across_most; ++across)
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

namespace {

// How many blocks there is room for at most: each has a title, and the names of its lanes.
std::size_t most_blocks(const LayoutOptions& options) {
    const double lowest = (line + name_line) * options.scale;
    return most_across * std::max<std::size_t>(1, std::size_t(options.height / lowest));
}

// Nothing if not all blocks fit.
std::optional<PresentingPlan> plan_for_all(const Hall& hall) {
    const LayoutOptions& options = hall.options;
    // A block's cells are never larger among others than on their own, and trying a block on its
    // own costs less.
    const auto first = [&](const Trial& trial) { return plan_of(hall, trial, 1); };
    const auto made = [&](Trial trial) {
        for (;; trial.titles_below = true) {
            PresentingPlan plan = plan_of(hall, trial, hall.ways.size());
            plan.name_size = size_of_names(plan);
            if (trial.titles_below || !trial.wish->names || titles_fit(plan)) return plan;
        }
    };
    std::optional<PresentingPlan> best;
    for (const Keeps keeps : {Keeps::point_and_weights, Keeps::point, Keeps::weights})
        for (const Wish& wish : wishes)
            if (each_trial(hall, wish, keeps, [&](Trial trial) {
                    if (!grants_cells(first(trial), wish)) return false;
                    best = made(trial);
                    if (!grants(*best, wish, options)) return false;
                    for (const double bar : long_bars) {
                        trial.bar = bar;
                        PresentingPlan longer = made(trial);
                        if (!grants(longer, wish, options) ||
                            turned_keys(longer) > turned_keys(*best))
                            continue;
                        best = std::move(longer);
                        break;
                    }
                    return true;
                }))
                return best;
    best.reset();
    double largest = 0;
    for (const Keeps keeps : {Keeps::point_and_weights, Keeps::point, Keeps::weights})
        each_trial(hall, wishes[0], keeps, [&](const Trial& trial) {
            if (trial.type != smallest) return false;
            const PresentingPlan alone = first(trial);
            if (!fits(alone, options) || cell_of(alone) <= 1.05 * largest) return false;
            PresentingPlan plan = made(trial);
            if (fits(plan, options) && cell_of(plan) > 1.05 * largest) {
                largest = cell_of(plan);
                best = std::move(plan);
            }
            return false;
        });
    return best;
}

}  // namespace

std::optional<PresentingPlan> plan_to_present(std::span<const BenchBlock> blocks,
                                              const LayoutOptions& options) {
    const bool titled = blocks.size() > 1;
    std::vector<std::vector<Grid>> ways;
    for (const BenchBlock& block : blocks.first(std::min(blocks.size(), most_blocks(options))))
        ways.push_back(ways_to_present(block, options.claimed));
    const Hall hall{ways, options, titled};
    if (auto plan = plan_for_all(hall)) return plan;
    std::optional<PresentingPlan> best;
    for (std::size_t few = 0, many = ways.size(); few + 1 < many;) {  // that fit, and that do not
        const std::size_t middle = (few + many) / 2;
        if (auto plan = plan_for_all(hall.first(middle))) {
            best = std::move(plan);
            few = middle;
        } else {
            many = middle;
        }
    }
    return best;
}

}  // namespace maskscope
