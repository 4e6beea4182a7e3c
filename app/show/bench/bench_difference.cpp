// Computes differences between two variants or two heads.

#include <fmt/format.h>

#include <algorithm>

#include "app/show/bench/bench_parts.h"
#include "app/show/bench/difference_rows.h"
#include "core/scene/names.h"
#include "core/scene/tolerance.h"

namespace maskscope {

namespace {

using enum StageKind;

// Returns x minus y as a heatmap; its limits are set when all differences are known.
BenchStage minus(const BenchStage& x, const BenchStage& y, SharedCells cells) {
    BenchStage difference;
    difference.stage = x.stage;
    difference.cells = std::move(cells);
    difference.map = ColourMap::diverging;
    difference.title = x.title;
    if (difference.cells->source && difference.cells->source->seen < 1) difference.note = x.note;
    difference.tokens =
        x.cells->rows * x.cells->columns <= y.cells->rows * y.cells->columns ? x.tokens : y.tokens;
    return difference;
}

bool are_alike(const BenchSource& d, Difference lanes, StageKind stage) {
    const Stage& x = d.of(lanes.lane).stage(stage);
    const Stage& y = d.of(lanes.minus).stage(stage);
    // Rows and keys need not be as many: then the difference goes as far as both reach.
    return x.exists() && y.exists() && x.h() == y.h() &&
           (stage != StageKind::output || x.columns() == y.columns());
}

// Returns the stages from the softmax on that both variants draw: the softmax only if it differs
// from the weights in both, as in a single variant.
std::vector<StageKind> stages_of_both(const BenchSource& d, Difference lanes) {
    std::vector<StageKind> stages;
    const auto has_softmax_of_its_own = [&](int lane) {
        return !have_same_numbers(d.of(lane), softmax, d.of(lane), weights);
    };
    for (const StageKind stage : d.stages) {
        if (stage < softmax || !are_alike(d, lanes, stage)) continue;
        if (stage == softmax &&
            !(has_softmax_of_its_own(lanes.lane) && has_softmax_of_its_own(lanes.minus)))
            continue;
        stages.push_back(stage);
    }
    if (stages.empty() && are_alike(d, lanes, weights)) stages.push_back(weights);
    return stages;
}

// Returns what is known of x − y, for variants or heads whose rows are computed when they are read.
SharedCells seen_difference(const BenchSource& d, const Compared& compared, StageKind stage,
                            Index b, Index h) {
    const VariantResult rows = difference_rows(d.result, compared);
    SharedSource& source = d.sources[{compared.key(), stage}];
    const auto known = d.before.find({compared.key(), stage});
    if (!source && known != d.before.end() && known->second->computed &&
        is_same_rows(*known->second->computed, *rows.computed))
        source = known->second;
    if (!source) source = source_of(rows, stage);
    return cells_of(source, b, h);
}

BenchLane lane_of_head(const BenchSource& d, int variant, StageKind stage, Index b, Index h) {
    BenchLane lane;
    lane.variant = variant;
    lane.name = head_title(d.result.scene, h, {variant});
    lane.head = h;
    lane.stages = {drawn(d, variant, stage, b, h)};
    if (stage == weights) lane.sums = sums_of(d, variant, b, h);
    return lane;
}

// Returns the coarsest rounding of these variants: anything smaller is not a real difference.
double least_difference(const BenchSource& d) {
    double least = 0;
    for (const Variant& variant : d.result.scene.variants)
        least = std::max(least, tolerance_of(variant.dtype));
    return least;
}

}  // namespace

BenchLane difference_of_lanes(const BenchSource& d, Difference lanes, Index b, Index h) {
    BenchLane lane;
    lane.variant = difference_lane;
    lane.difference = lanes;
    const bool is_read = d.of(lanes.lane).computed && d.of(lanes.minus).computed;
    for (const StageKind stage : stages_of_both(d, lanes)) {
        const BenchStage x = drawn(d, lanes.lane, stage, b, h),
                         y = drawn(d, lanes.minus, stage, b, h);
        lane.stages.push_back(minus(x, y,
                                    is_read ? seen_difference(d, {lanes, {}}, stage, b, h)
                                            : difference_of(*x.cells, *y.cells)));
    }
    return lane;
}

std::array<Index, 2> picked_heads(const View& view, const Shape& shape) {
    const auto there = [&](Index h) { return std::clamp<Index>(h, 0, shape.h - 1); };
    return {there(view.picked[0]), there(view.picked[1])};
}

std::vector<BenchBlock> blocks_of_two_heads(const BenchSource& d, const View& view,
                                            StageKind stage) {
    const Index b = shown_sequences(view, d.shape()).front();
    const auto [x, y] = picked_heads(view, d.shape());
    std::vector<BenchBlock> blocks;
    for (const int variant : d.lanes) {
        if (!d.of(variant).stage(stage).exists()) continue;
        BenchBlock block;
        block.b = b;
        block.h = x;
        block.tokens = d.tokens_of(b);
        block.lanes = {lane_of_head(d, variant, stage, b, x),
                       lane_of_head(d, variant, stage, b, y)};
        BenchLane difference;
        difference.variant = difference_lane;
        difference.name = fmt::format("head {} − head {}", x + 1, y + 1);
        const BenchStage &one = block.lanes[0].stages[0], &other = block.lanes[1].stages[0];
        const Compared heads{{variant, variant}, {{x, y}}};
        difference.stages = {minus(one, other,
                                   d.of(variant).computed
                                       ? seen_difference(d, heads, stage, b, 0)
                                       : difference_of(*one.cells, *other.cells))};
        block.lanes.push_back(std::move(difference));
        blocks.push_back(std::move(block));
    }
    return blocks;
}

void give_difference_limits(const BenchSource& d, Bench& bench) {
    const double least = least_difference(d);
    for (int stage = 0; stage < all_stage_count; ++stage) {
        std::vector<SharedCells> differences;
        const auto is_one = [&](const BenchStage& s) {
            return s.stage == StageKind(stage) && s.cells->difference;
        };
        each_stage(bench, [&](const BenchStage& s) {
            if (is_one(s)) differences.push_back(s.cells);
        });
        if (differences.empty()) continue;
        const Limits limits = limits_of_differences(differences, least);
        each_stage(bench, [&](BenchStage& s) {
            if (is_one(s)) s.limits = limits;
        });
    }
}

}  // namespace maskscope
