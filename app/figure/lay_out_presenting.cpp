#include "app/figure/lay_out_presenting.h"

#include <algorithm>
#include <map>

namespace maskscope {

namespace {

template <class Visit>
void visit_stages(BenchBlock& block, Visit visit) {
    for (BenchStage& stage : block.shared) visit(stage);
    if (block.mask) visit(*block.mask);
    for (Lane& lane : block.lanes)
        for (BenchStage& stage : lane.stages) visit(stage);
}

// Columns without a hole: what stands in them keeps its order.
void close_columns(BenchBlock& block) {
    std::map<int, int> columns;
    visit_stages(block, [&](const BenchStage& stage) { columns[stage.column] = 0; });
    int next = 0;
    for (auto& [old, column] : columns) column = next++;
    visit_stages(block, [&](BenchStage& stage) { stage.column = columns[stage.column]; });
}

int column_count(const Bench& bench) {
    int count = 0;
    for (BenchBlock block : bench.blocks)
        visit_stages(block,
                     [&](const BenchStage& stage) { count = std::max(count, stage.column + 1); });
    return count;
}

void leave_out_mask(BenchBlock& block) {
    block.mask.reset();
    for (Lane& lane : block.lanes)
        std::erase_if(lane.stages,
                      [](const BenchStage& stage) { return stage.stage == StageKind::allowed; });
}

// The last columns of each block; a lane keeps its last stage whatever its column, and the mask
// stays.
Bench last_columns(Bench bench, int kept) {
    for (BenchBlock& block : bench.blocks) {
        int end = 0;
        visit_stages(block,
                     [&](const BenchStage& stage) { end = std::max(end, stage.column + 1); });
        const auto is_early = [&](const BenchStage& stage) {
            return stage.column < end - kept && stage.stage != StageKind::allowed &&
                   stage.stage != StageKind::weights;
        };
        std::erase_if(block.shared, is_early);
        for (Lane& lane : block.lanes) {
            const bool would_be_empty =
                std::all_of(lane.stages.begin(), lane.stages.end(), is_early);
            if (would_be_empty && !lane.stages.empty())
                lane.stages = {lane.stages.back()};
            else
                std::erase_if(lane.stages, is_early);
        }
        close_columns(block);
    }
    return bench;
}

bool shows_all_numbers(const Figure& figure) {
    return std::all_of(figure.heatmaps.begin(), figure.heatmaps.end(),
                       [](const Heatmap& map) { return map.number_size > 0; });
}

}  // namespace

Figure lay_out_presenting(const Bench& bench, const LayoutOptions& options, bool with_mask) {
    Bench whole = bench;
    for (BenchBlock& block : whole.blocks) {
        if (!with_mask) leave_out_mask(block);
        close_columns(block);
    }
    LayoutOptions open = options;
    open.covered = false;
    for (int kept = column_count(whole); kept > 0; --kept) {
        const Bench fewer = last_columns(whole, kept);
        if (shows_all_numbers(lay_out(fewer, open))) return lay_out(fewer, options);
    }
    return lay_out(whole, options);
}

}  // namespace maskscope
