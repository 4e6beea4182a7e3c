#pragma once
// Which of all ways the lanes take, and how several sequences or heads share the room.

#include <span>

#include "app/figure/hall/presenting_grid.h"

namespace maskscope {

struct PresentingPlan {
    std::vector<PresentingGrid> grids;  // one a block, in its place
    std::vector<Point> corners;         // the top left of each block, its title included
    double block_w = 0;
    double name_size = 15;  // points, of the lanes' names
};

// The richest way in which every heatmap shows its numbers, and nothing is cramped; where there is
// none, the one with the largest cells. Where even those would leave the room, the last blocks are
// left out. Blocks are not empty, and outlive the plan.
PresentingPlan plan_to_present(std::span<const BenchBlock> blocks, const LayoutOptions& options);

// Where the name of a lane or the title of a stage may end.
double title_end(const PresentingGrid& grid, const PresentingPiece& piece, double right);
// Where a lane's name of this size (points) ends.
double name_end(const PresentingGrid& grid, const PresentingPiece& piece, double size);

}  // namespace maskscope
