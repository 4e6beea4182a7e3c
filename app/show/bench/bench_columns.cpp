#include <algorithm>

#include "app/show/bench/bench_parts.h"

namespace maskscope {

namespace {

bool is_before_weights(const BenchStage& stage) { return stage.stage < StageKind::weights; }

auto stages_before_weights(const BenchLane& lane) {
    return std::ranges::count_if(lane.stages, is_before_weights);
}

// Assigns the columns of one variant: those of the longest connector, the weights not before
// weights_column.
int give_columns(BenchLane& lane, const BenchLane& longest, int fork, int weights_column) {
    int next = fork;
    for (BenchStage& stage : lane.stages) {
        const auto like = std::ranges::find_if(
            longest.stages, [&](const BenchStage& other) { return other.stage == stage.stage; });
        if (!is_before_weights(stage)) next = std::max(next, weights_column);
        if (like != longest.stages.end())
            next = std::max(next, fork + int(like - longest.stages.begin()));
        stage.column = next++;
    }
    return next;
}

}  // namespace

void give_columns(BenchBlock& block, Bench& bench) {
    // The two layers before a cross-attention are stacked, but side by side if there are several
    // blocks, which are stacked themselves.
    const bool abreast = bench.blocks.size() > 1;
    int column = 0;
    for (BenchStage& stage : block.earlier) stage.column = abreast ? column++ : 0;
    if (!block.earlier.empty()) column = block.earlier.back().column + 1;
    for (BenchStage& stage : block.tensors) stage.column = column;
    if (!block.tensors.empty()) ++column;
    for (BenchStage& stage : block.shared) stage.column = column++;
    if (block.mask) block.mask->column = block.shared.empty() ? column++ : column - 1;
    bench.columns = std::max(bench.columns, column);
    if (block.lanes.empty()) return;
    const BenchLane longest =
        *std::ranges::max_element(block.lanes, [](const BenchLane& x, const BenchLane& y) {
            return stages_before_weights(x) < stages_before_weights(y);
        });
    const int weights_column = column + int(stages_before_weights(longest));
    for (BenchLane& lane : block.lanes)
        bench.columns =
            std::max(bench.columns, give_columns(lane, longest, column, weights_column));
}

}  // namespace maskscope
