// Marks what a step of a lesson hides while it asks.

#include <algorithm>

#include "app/show/bench/bench_parts.h"

namespace maskscope {

namespace {

bool is_hidden(const View& view, const BenchLane& lane, StageKind stage) {
    if (lane.letters().empty()) return view.hides(stage, lane.variant);
    return std::ranges::any_of(lane.letters(),
                               [&](int variant) { return view.hides(stage, variant); });
}

}  // namespace

void hide_covered(Bench& bench, const View& view) {
    if (!view.asks()) return;
    const auto hide_shared = [&](BenchStage& stage) {
        stage.hidden = view.hides(stage.stage, std::nullopt);
    };
    for (BenchBlock& block : bench.blocks) {
        for (BenchStage& stage : block.shared) hide_shared(stage);
        if (block.mask) hide_shared(*block.mask);
        for (BenchLane& lane : block.lanes) {
            for (BenchStage& stage : lane.stages) stage.hidden = is_hidden(view, lane, stage.stage);
            lane.hides_words = view.hides(lane.variant);
        }
    }
    for (LaneOfHeads& lane : bench.heads)
        for (SmallHead& head : lane.heads)
            head.stage.hidden = view.hides(head.stage.stage, lane.variant);
    for (BatchRow& row : bench.batch)
        for (BenchLane& lane : row.lanes)
            for (BenchStage& stage : lane.stages) stage.hidden = true;
    bench.signs &= sign::blocked | sign::missing;
    bench.loses_weight = false;
}

}  // namespace maskscope
