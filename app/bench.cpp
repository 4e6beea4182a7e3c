#include "app/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "app/labels.h"
#include "app/operations.h"
#include "core/names.h"
#include "core/tolerance.h"

namespace maskscope {

namespace {

using enum StageKind;

template <class T>
bool same_bytes(std::span<const T> x, std::span<const T> y) {
    return x.data() == y.data() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
}

bool same_row(const Stage& x, const Stage& y, Index b, Index h, Index i) {
    return x.is_float64() ? same_bytes(x.float64_row(b, h, i), y.float64_row(b, h, i))
                          : same_bytes(x.float32_row(b, h, i), y.float32_row(b, h, i));
}

// Equal as it is drawn: the same numbers bit by bit, so that NaN equals NaN.
bool same_numbers(const Stage& x, const Stage& y) {
    if (!x.exists() || !y.exists() || x.b() != y.b() || x.h() != y.h() || x.rows() != y.rows() ||
        x.columns() != y.columns() || x.is_float64() != y.is_float64())
        return false;
    if (x.shares(y)) return true;
    if (x.remote() || y.remote()) {
        const auto &p = x.float32s(), &q = y.float32s();
        return same_bytes<float>(p, q);
    }
    for (Index b = 0; b < x.b(); ++b)
        for (Index h = 0; h < x.h(); ++h)
            for (Index i = 0; i < x.rows(); ++i)
                if (!same_row(x, y, b, h, i)) return false;
    return true;
}

struct Drawing {
    const Result& result;
    std::vector<int> lanes;
    std::vector<StageKind> stages;
    std::array<Limits, stage_count> limits;
    Colouring colouring;
    Sources sources;  // of the lanes' stages that are wanted, and their masks

    const VariantResult& of(int lane) const {
        return result.variants[static_cast<std::size_t>(lane)];
    }
    bool wants(StageKind stage) const {
        return std::find(stages.begin(), stages.end(), stage) != stages.end();
    }
};

BenchStage drawn(const Drawing& d, int lane, StageKind stage, Index b, Index h) {
    BenchStage s;
    s.stage = stage;
    s.cells = cells_of(d.sources.at({lane, stage}), b, h);
    s.limits = d.limits[static_cast<std::size_t>(stage)];
    s.map = map_of(stage, ThemeKind::dark);
    if (d.colouring.map && !is_signed(stage)) s.map = *d.colouring.map;
    s.title = label(stage);
    s.note =
        stage_note(d.result.scene, d.result.scene.variants[static_cast<std::size_t>(lane)], stage);
    return s;
}

bool all_lanes_share(const Drawing& d, StageKind stage) {
    const Stage& first = d.of(d.lanes.front()).stage(stage);
    return std::all_of(d.lanes.begin(), d.lanes.end(),
                       [&](int lane) { return same_numbers(first, d.of(lane).stage(stage)); });
}

// Scores and scaled scores, as far as every lane has the same.
std::vector<StageKind> shared_stages(const Drawing& d) {
    std::vector<StageKind> shared;
    for (StageKind stage : {scores, scaled}) {
        if (!all_lanes_share(d, stage)) break;
        shared.push_back(stage);
    }
    return shared;
}

// The stages of one lane that are drawn, in order. One equal to the one drawn before it is left
// out; of softmax and weights that are equal it is the weights that stay.
std::vector<StageKind> road(const Drawing& d, int lane) {
    std::vector<StageKind> drawn_stages;
    const VariantResult& variant = d.of(lane);
    for (StageKind stage : d.stages) {
        if (stage == allowed || !variant.stage(stage).exists()) continue;
        if (stage == weights && !drawn_stages.empty() && drawn_stages.back() == softmax &&
            same_numbers(variant.stage(softmax), variant.stage(weights)))
            drawn_stages.pop_back();
        const bool again = stage <= softmax && !drawn_stages.empty() &&
                           same_numbers(variant.stage(drawn_stages.back()), variant.stage(stage));
        if (!again) drawn_stages.push_back(stage);
    }
    return drawn_stages;
}

std::vector<RowSum> sums_of(const Drawing& d, int lane, Index b, Index h) {
    const VariantResult& result = d.of(lane);
    const Variant& variant = d.result.scene.variants[static_cast<std::size_t>(lane)];
    std::vector<RowSum> sums;
    for (Index i = 0; i < result.shape.n_q; ++i) {
        RowSum sum;
        sum.figures = result.row(b, h, i);
        sum.tolerance = tolerance_of(variant.dtype);
        sum.by_design = variant.normalizer == Normalizer::softmax_plus_one;
        sum.zeroed = sum.figures.empty && variant.empty_rows != EmptyRows::nan &&
                     variant.mask.apply != Apply::none;
        sums.push_back(sum);
    }
    return sums;
}

Lane lane_of(const Drawing& d, int lane, const std::vector<StageKind>& shared, bool own_mask,
             Index b, Index h) {
    const Variant& variant = d.result.scene.variants[static_cast<std::size_t>(lane)];
    Lane l;
    l.variant = lane;
    l.name = variant.name;
    if (own_mask) l.stages.push_back(drawn(d, lane, allowed, b, h));
    std::optional<StageKind> before;
    for (StageKind stage : road(d, lane)) {
        const bool is_shared = std::find(shared.begin(), shared.end(), stage) != shared.end();
        if (!is_shared) {
            l.stages.push_back(drawn(d, lane, stage, b, h));
            if (before)
                l.stages.back().operation =
                    operations_between(d.result.scene.inputs, variant, *before, stage);
            if (stage == weights) l.sums = sums_of(d, lane, b, h);
        }
        before = stage;
    }
    return l;
}

std::vector<BenchStage> shared_of(const Drawing& d, const std::vector<StageKind>& shared, Index b,
                                  Index h) {
    std::vector<BenchStage> stages;
    const int lane = d.lanes.front();
    const Scene& scene = d.result.scene;
    std::optional<StageKind> before;
    for (StageKind stage : road(d, lane)) {
        if (std::find(shared.begin(), shared.end(), stage) == shared.end()) continue;
        stages.push_back(drawn(d, lane, stage, b, h));
        if (before)
            stages.back().operation = operations_between(
                scene.inputs, scene.variants[static_cast<std::size_t>(lane)], *before, stage);
        before = stage;
    }
    return stages;
}

bool is_before_weights(const BenchStage& stage) { return stage.stage < weights; }

// Columns: the shared stages, then the lanes' stages before the weights (those of the longest road
// give the columns their kind), the weights under each other, then output and sensitivity.
void give_columns(BenchBlock& block, Bench& bench) {
    int column = 0;
    for (BenchStage& stage : block.shared) stage.column = column++;
    if (block.mask) block.mask->column = block.shared.empty() ? column++ : column - 1;
    bench.columns = std::max(bench.columns, column);
    if (block.lanes.empty()) return;
    const auto count = [](const Lane& lane) {
        return std::count_if(lane.stages.begin(), lane.stages.end(), is_before_weights);
    };
    const Lane& longest =
        *std::max_element(block.lanes.begin(), block.lanes.end(),
                          [&](const Lane& x, const Lane& y) { return count(x) < count(y); });
    const int fork = column, weights_column = fork + int(count(longest));
    for (Lane& lane : block.lanes) {
        int next = fork;
        for (BenchStage& stage : lane.stages) {
            const auto like =
                std::find_if(longest.stages.begin(), longest.stages.end(),
                             [&](const BenchStage& other) { return other.stage == stage.stage; });
            if (!is_before_weights(stage))
                next = std::max(next, weights_column);
            else if (like != longest.stages.end())
                next = std::max(next, fork + int(like - longest.stages.begin()));
            stage.column = next++;
        }
        bench.columns = std::max(bench.columns, next);
    }
}

// Thousands of tokens are measured once for a result, and not in every frame.
double longest_ems(const std::vector<std::string>& tokens) {
    constexpr double size = 100;
    double width = 0;
    for (const std::string& token : tokens) width = std::max(width, measure(token, {size}).width);
    return width / size;
}

void label_block(const Drawing& d, BenchBlock& block) {
    const VariantResult& first = d.of(d.lanes.front());
    block.queries = first.queries[static_cast<std::size_t>(block.b)];
    block.keys = first.keys[static_cast<std::size_t>(block.b)];
    block.query_ems = longest_ems(block.queries);
    block.key_ems = longest_ems(block.keys);
}

BenchBlock block_of(const Drawing& d, Index b, Index h) {
    BenchBlock block;
    block.b = b;
    block.h = h;
    label_block(d, block);
    const std::vector<StageKind> shared = shared_stages(d);
    block.shared = shared_of(d, shared, b, h);
    const bool one_mask = layers_are_shared(d.result.scene, d.lanes);
    if (one_mask) block.mask = drawn(d, d.lanes.front(), allowed, b, h);
    for (int lane : d.lanes) block.lanes.push_back(lane_of(d, lane, shared, !one_mask, b, h));
    return block;
}

}  // namespace

bool layers_are_shared(const Scene& scene, const std::vector<int>& lanes) {
    const auto masks = [](const Scene& s, int lane) {
        std::vector<MaskLayer> layers;
        for (const MaskLayer& layer : s.variants[static_cast<std::size_t>(lane)].mask.layers)
            if (!is_bias(layer)) layers.push_back(layer);
        return layers;
    };
    return std::all_of(lanes.begin(), lanes.end(),
                       [&](int lane) { return masks(scene, lane) == masks(scene, lanes.front()); });
}

namespace {

Drawing drawing_of(const Result& result, const View& view, std::vector<StageKind> stages,
                   const Sources& before) {
    Drawing d{result, shown_lanes(view, result.scene), std::move(stages), {}, view.colouring, {}};
    for (int k = 0; k < stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!d.wants(stage) && stage != allowed) continue;
        std::vector<SharedSource> lanes;
        for (int lane : d.lanes) {
            const auto old = before.find({lane, stage});
            lanes.push_back(
                source_of(d.of(lane), stage, old != before.end() ? old->second : nullptr));
            d.sources[{lane, stage}] = lanes.back();
        }
        d.limits[static_cast<std::size_t>(k)] = limits_of(lanes, stage, view.colouring.logarithmic);
    }
    return d;
}

// What the legend has to explain, found once and not in every frame.
void gather_signs(Bench& bench) {
    const auto gather = [&](const BenchStage& stage) { bench.signs |= signs_of_any(*stage.cells); };
    for (const BenchBlock& block : bench.blocks) {
        if (block.mask) gather(*block.mask);
        for (const Lane& lane : block.lanes) {
            std::for_each(lane.stages.begin(), lane.stages.end(), gather);
            for (const RowSum& row : lane.sums)
                bench.loses_weight |=
                    row.figures.sum < 1 - row.tolerance && !row.by_design && !row.zeroed;
        }
    }
}

// A block for each shown sequence and head, made by make_block(b, h).
template <class MakeBlock>
Bench blocks_of(const Result& result, const View& view, MakeBlock make_block) {
    Bench bench;
    bench.title = result.scene.title;
    const Shape shape = result.variants.front().shape;
    const auto sequences = shown_sequences(view, shape), heads = shown_heads(view, shape);
    for (Index b : sequences)
        for (Index h : heads) {
            BenchBlock block = make_block(b, h);
            if (sequences.size() > 1) block.title = fmt::format("sequence {}", b + 1);
            if (heads.size() > 1)
                block.title += fmt::format("{}head {}", block.title.empty() ? "" : " · ", h + 1);
            give_columns(block, bench);
            bench.blocks.push_back(std::move(block));
        }
    gather_signs(bench);
    return bench;
}

}  // namespace

Bench make_bench(const Result& result, const View& view, const Sources& before) {
    const Drawing d = drawing_of(result, view, shown_stages(view), before);
    Bench bench = blocks_of(result, view, [&](Index b, Index h) { return block_of(d, b, h); });
    bench.sources = d.sources;
    return bench;
}

Bench single_heatmaps(const Result& result, const View& view, StageKind stage) {
    const Drawing d = drawing_of(result, view, {stage}, {});
    return blocks_of(result, view, [&](Index b, Index h) {
        BenchBlock block;
        block.b = b;
        block.h = h;
        label_block(d, block);
        for (int lane : d.lanes) {
            Lane l = lane_of(d, lane, {}, stage == allowed, b, h);
            if (!l.stages.empty()) block.lanes.push_back(std::move(l));
        }
        return block;
    });
}

}  // namespace maskscope
