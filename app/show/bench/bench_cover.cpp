// Marks what a step of a lesson hides while it asks.

#include <algorithm>

#include "app/show/bench/bench_parts.h"

namespace maskscope {

namespace {

bool is_hidden(const View& view, const BenchVariant& entry, StageKind stage) {
    if (entry.letters().empty()) return view.hides(stage, entry.index);
    return std::ranges::any_of(entry.letters(),
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
        for (BenchVariant& variant : block.variants) {
            for (BenchStage& stage : variant.stages)
                stage.hidden = is_hidden(view, variant, stage.stage);
            variant.hides_words = view.hides(variant.index);
        }
    }
    for (HeadsOfVariant& variant : bench.heads)
        for (SmallHead& head : variant.heads)
            head.stage.hidden = view.hides(head.stage.stage, variant.index);
    for (BatchRow& row : bench.batch)
        for (BenchVariant& variant : row.variants)
            for (BenchStage& stage : variant.stages) stage.hidden = true;
    bench.signs &= sign::blocked | sign::missing;
    bench.loses_weight = false;
}

}  // namespace maskscope
