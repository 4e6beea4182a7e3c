// A head that was clicked among all of them.

#include <fmt/format.h>

#include <algorithm>

#include "app/figure/layout/lay_out_parts.h"

namespace maskscope {

namespace {

bool shows_weights(const BenchStage& stage) { return stage.stage == StageKind::weights; }
bool shows_mask(const BenchStage& stage) { return stage.stage == StageKind::allowed; }

// The least area of the weights in a figure, in square pixels.
double weights_area(const Figure& figure) {
    double least = 1e18;
    for (const Heatmap& map : figure.heatmaps)
        if (map.cells->stage == StageKind::weights && map.lane != earlier_lane)
            least = std::min(least, map.rect.w * map.rect.h);
    return least;
}

// How large the weights of each head are where all of them are side by side.
double area_among_heads(const Bench& bench, Index count, const LayoutOptions& options) {
    Bench all;
    all.blocks.resize(1);
    all.blocks.front().tokens = bench.blocks.front().tokens;
    for (const BenchLane& lane : bench.blocks.front().lanes) {
        const auto stage = std::ranges::find_if(lane.stages, shows_weights);
        if (stage == lane.stages.end() || lane.variant < 0) continue;
        LaneOfHeads& heads = all.heads.emplace_back();
        for (Index h = 0; h < count; ++h)
            heads.heads.push_back({h, fmt::format("head {}", h + 1), *stage});
    }
    return all.heads.empty() ? 0 : weights_area(lay_out_heads(all, options));
}

void leave_out_masks(Bench& bench) {
    for (BenchBlock& block : bench.blocks) {
        block.mask.reset();
        for (BenchLane& lane : block.lanes) std::erase_if(lane.stages, shows_mask);
    }
}

// Of a lane without weights, nothing is left out.
void leave_out_stages(Bench& bench) {
    leave_out_masks(bench);
    for (BenchBlock& block : bench.blocks) {
        block.earlier.clear();
        block.tensors.clear();
        block.shared.clear();
        block.source.clear();
        for (BenchLane& lane : block.lanes) {
            if (std::ranges::none_of(lane.stages, shows_weights)) continue;
            std::erase_if(lane.stages,
                          [](const BenchStage& stage) { return !shows_weights(stage); });
            lane.stages.front().operations.clear();
        }
    }
}

void leave_out_sums(Bench& bench) {
    leave_out_stages(bench);
    for (BenchBlock& block : bench.blocks)
        for (BenchLane& lane : block.lanes) lane.sums.clear();
}

}  // namespace

Figure lay_out_enlarged(const Bench& bench, Index heads, const LayoutOptions& options) {
    Figure figure = lay_out(bench, options);
    const double before = area_among_heads(bench, heads, options);
    const double line = 22 * options.scale;
    LayoutOptions with_words = options;
    with_words.height -= line;
    const std::pair<void (*)(Bench&), const char*> ways[] = {{leave_out_masks, "Mask"},
                                                             {leave_out_stages, "all but Weights"},
                                                             {leave_out_sums, "all but Weights"}};
    for (const auto& [leave_out, what] : ways) {
        if (weights_area(figure) > 1.1 * before) break;
        Bench rest = bench;
        leave_out(rest);
        figure = lay_out(rest, with_words);
        figure.texts.push_back({.at = {0, figure.height + line / 2},
                                .text = fmt::format("Not shown, to enlarge the head: {}.", what),
                                .style = {12 * options.scale},
                                .role = Role::dim,
                                .max_width = options.width});
        figure.height += line;
    }
    return figure;
}

}  // namespace maskscope
