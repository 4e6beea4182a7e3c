// The possible arrangements of a block's lanes while presenting.

#include <algorithm>

#include "app/figure/hall/presenting_grid.h"

namespace maskscope {

namespace {

std::size_t most_stages(const BenchBlock& block) {
    std::size_t most = 0;
    for (const BenchLane& lane : block.lanes) most = std::max(most, lane.stages.size());
    return most;
}

// Places the mask first, in a column of its own; returns the next column.
int place_mask(PresentingGrid& grid) {
    if (!grid.block->mask) return 0;
    grid.pieces.push_back({&*grid.block->mask, nullptr, 0, 0});
    return 1;
}

// Places the last `count` stages of a lane, starting at a column.
void place_last(PresentingGrid& grid, const BenchLane& lane, std::size_t count, int row,
                int column) {
    const std::size_t from = lane.stages.size() - std::min(count, lane.stages.size());
    for (std::size_t k = from; k < lane.stages.size(); ++k)
        grid.pieces.push_back({&lane.stages[k], &lane, row, column++, k == from});
}

// The last `kept` stages of each lane, after the shared ones; one lane per row.
PresentingGrid under_each_other(const BenchBlock& block, std::size_t kept) {
    PresentingGrid grid;
    grid.block = &block;
    const std::size_t of_lanes = std::min(most_stages(block), kept);
    const std::size_t shared = std::min(block.shared.size(), kept - of_lanes);
    int column = place_mask(grid);
    for (std::size_t k = block.shared.size() - shared; k < block.shared.size(); ++k)
        grid.pieces.push_back({&block.shared[k], nullptr, 0, column++});
    int row = 0;
    for (const BenchLane& lane : block.lanes) {
        const std::size_t count = std::min(lane.stages.size(), of_lanes);
        place_last(grid, lane, count, row++, column + int(of_lanes - count));
    }
    return grid;
}

// The last stages of each lane, to the right of the previous lane's.
PresentingGrid abreast(const BenchBlock& block, std::size_t kept) {
    PresentingGrid grid;
    grid.block = &block;
    int column = place_mask(grid);
    for (const BenchLane& lane : block.lanes) {
        place_last(grid, lane, kept, 0, column);
        column += int(std::min(kept, lane.stages.size()));
    }
    return grid;
}

// A lane without this stage shows its weights, else its last one.
const BenchStage* stage_alone(const BenchLane& lane, StageKind kind) {
    for (const StageKind wanted : {kind, StageKind::weights})
        for (const BenchStage& stage : lane.stages)
            if (stage.stage == wanted) return &stage;
    return lane.stages.empty() ? nullptr : &lane.stages.back();
}

PresentingGrid alone(const BenchBlock& block, StageKind kind, int across) {
    PresentingGrid grid;
    grid.block = &block;
    const int first = place_mask(grid);
    int k = 0;
    for (const BenchLane& lane : block.lanes)
        if (const BenchStage* stage = stage_alone(lane, kind)) {
            grid.pieces.push_back({stage, &lane, k / across, first + k % across, true});
            ++k;
        }
    return grid;
}

}  // namespace

std::vector<PresentingGrid> ways_to_present(const BenchBlock& block,
                                            std::optional<StageKind> claimed) {
    std::vector<PresentingGrid> ways;
    const std::size_t most = most_stages(block);
    const std::size_t fewest = block.lanes.empty() ? 1 : 2;
    for (std::size_t kept = most + block.shared.size(); kept >= fewest; --kept) {
        ways.push_back(under_each_other(block, kept));
        if (kept <= most && block.lanes.size() > 1) ways.push_back(abreast(block, kept));
    }
    for (const StageKind kind : {claimed.value_or(StageKind::weights), StageKind::weights})
        for (int across = int(block.lanes.size()); across > 0; --across)
            ways.push_back(alone(block, kind, across));
    if (ways.empty()) ways.push_back(under_each_other(block, 0));  // the mask
    measure(ways);
    return ways;
}

}  // namespace maskscope
