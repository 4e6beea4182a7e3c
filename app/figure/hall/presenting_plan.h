#pragma once
// Which arrangement the lanes take, and how several sequences or heads share the room.

#include <span>

#include "app/figure/hall/presenting_grid.h"

namespace maskscope {

struct PresentingPlan {
    std::vector<PresentingGrid> grids;  // one per block, in its place
    std::vector<Point> corners;         // the top left of each block, its title included
    double block_w = 0;
    double name_size = 15;  // points, of the lanes' names
};

// The richest arrangement in which every heatmap shows its numbers and nothing is cramped; if there
// is none, the one with the largest cells. If even that does not fit, the last blocks are left out;
// nothing if not even the first one fits. Blocks must not be empty, and must outlive the plan.
std::optional<PresentingPlan> plan_to_present(std::span<const BenchBlock> blocks,
                                              const LayoutOptions& options);

// Where the name of a lane or the title of a stage may end.
double title_end(const PresentingGrid& grid, const PresentingPiece& piece, double right);
// Where a lane's name of this size (points) ends.
double name_end(const PresentingGrid& grid, const PresentingPiece& piece, double size);
// And where what was changed in the lane since the step ends, behind the name.
double noted_end(const PresentingGrid& grid, const PresentingPiece& piece, double size);
// Whether a piece has room for its stage's title; of lanes that begin with one stage, all or none.
// right: the end of the block.
bool shows_title(const PresentingGrid& grid, const PresentingPiece& piece, double right,
                 double name_size);

}  // namespace maskscope
