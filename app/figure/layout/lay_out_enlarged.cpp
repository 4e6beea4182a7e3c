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

// The grid of this many heads, as far as their sizes go; of one head, it is the enlarged one.
Bench grid_of_heads(const Bench& bench, Index count) {
    Bench grid;
    const BenchBlock& block = bench.blocks.front();
    grid.signs = bench.signs;
    BenchBlock& tokens = grid.blocks.emplace_back();
    tokens.b = block.b;
    tokens.tokens = block.tokens;
    for (const BenchLane& lane : block.lanes) {
        const auto stage = std::ranges::find_if(lane.stages, shows_weights);
        if (stage == lane.stages.end() || lane.variant < 0) continue;
        LaneOfHeads& heads = grid.heads.emplace_back();
        heads.variant = lane.variant;
        heads.name = lane.name;
        heads.changes = lane.changes;
        for (Index k = 0; k < count; ++k)
            heads.heads.push_back(
                {block.h, std::nullopt, fmt::format("head {}", block.h + 1), *stage});
    }
    return grid;
}

void leave_out_masks(Bench& bench) {
    for (BenchBlock& block : bench.blocks) {
        block.mask.reset();
        for (BenchLane& lane : block.lanes) std::erase_if(lane.stages, shows_mask);
    }
}

// Leaves nothing out if a lane has no weights.
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

}  // namespace

Figure lay_out_enlarged(const Bench& bench, Index heads, const LayoutOptions& options) {
    Figure figure = lay_out(bench, options);
    const Bench grid = grid_of_heads(bench, heads);
    if (grid.heads.empty()) return figure;
    const double before = weights_area(lay_out_heads(grid, options)), line = 22 * options.scale;
    const auto is_larger = [&] { return weights_area(figure) > 1.1 * before; };
    LayoutOptions with_words = options;
    with_words.height -= line;
    std::string gone;
    const std::pair<void (*)(Bench&), const char*> ways[] = {
        {leave_out_masks, "Mask"}, {leave_out_stages, "everything except Weights"}};
    for (const auto& [leave_out, what] : ways) {
        if (is_larger()) break;
        Bench rest = bench;
        leave_out(rest);
        figure = lay_out(rest, with_words);
        gone = what;
    }
    // By itself it has all of the room that the grid had.
    if (!is_larger()) return lay_out_heads(grid_of_heads(bench, 1), options);
    if (gone.empty()) return figure;
    figure.texts.push_back({.at = {0, figure.height + line / 2},
                            .text = fmt::format("Not shown, to enlarge the head: {}.", gone),
                            .style = {12 * options.scale},
                            .role = Role::dim,
                            .max_width = options.width});
    figure.height += line;
    return figure;
}

}  // namespace maskscope
