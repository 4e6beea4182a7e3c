// Makes small heatmaps: every head of a sequence, and every sequence of a batch.

#include <algorithm>

#include "app/show/bench/bench_parts.h"

namespace maskscope {

namespace {

using enum StageKind;

// Larger batches show only lengths, to avoid another copy of the numbers.
constexpr Index most_small_cells = 4'000'000;

}  // namespace

std::vector<Index> drawn_heads(const Scene& scene, const View& view, const Shape& shape) {
    std::vector<Index> listed = shown_heads(view, shape);
    const bool lists_several =
        listed.size() > 1 && scene.show && scene.show->view == ViewKind::heads;
    if (shown_view(view, scene) != ViewKind::heads || lists_several) return listed;
    std::vector<Index> all;
    for (Index h = 0; h < shape.h; ++h) all.push_back(h);
    return all;
}

StageKind stage_of_heads(const Result& result, const View& view) {
    StageKind found = weights;
    for (const StageKind stage : shown_stages(view.show))
        if (has_heads(stage) && result.variants.front().stage(stage).exists()) found = stage;
    return found;
}

std::vector<LaneOfHeads> heads_of_lanes(const BenchSource& d, const View& view, StageKind stage) {
    const Index b = shown_sequences(view, d.shape()).front();
    std::vector<LaneOfHeads> lanes;
    for (const int variant : d.lanes) {
        if (!d.of(variant).stage(stage).exists()) continue;
        LaneOfHeads lane{variant, d.variant(variant).name, d.changes[variant], {}};
        for (const Index h : drawn_heads(d.result.scene, view, d.shape()))
            lane.heads.push_back({h, shared_keys(d.result.scene.inputs, h),
                                  head_title(d.result.scene, h, {variant}),
                                  drawn(d, variant, stage, b, h)});
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

std::vector<BatchRow> rows_of_batch(const BenchSource& d, Index h) {
    const Shape shape = d.shape();
    const bool small = shape.b * shape.n_q * shape.n_k * Index(d.lanes.size()) <= most_small_cells;
    std::vector<BatchRow> rows;
    for (Index b = 0; b < shape.b; ++b) {
        const VariantResult& first = d.of(d.lanes.front());
        BatchRow row{b, first.queries[b].without_pads(), first.keys[b].without_pads(), {}};
        for (const int variant : d.lanes) {
            BenchLane lane;
            lane.variant = variant;
            if (small && d.of(variant).stage(weights).exists()) {
                lane.stages = {drawn(d, variant, weights, b, h)};
                lane.sums = sums_of(d, variant, b, h);
            }
            row.lanes.push_back(std::move(lane));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace maskscope
