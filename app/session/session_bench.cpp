#include <algorithm>
#include <map>
#include <tuple>

#include "app/session/computing.h"
#include "app/show/cells/cell_texels.h"
#include "core/threads/pool.h"

namespace maskscope {

namespace {

// Prepares the shown heads: the signs of their rows and the levels for their first picture.
void prepare_shown(const SharedSource& source, const SharedSource& before, const View& view,
                   const Result& result, Pool& pool) {
    const Shape shape = result.variants.front().shape;
    for (const Index b : shown_sequences(view, shape))
        for (const Index h : shown_heads(view, shape)) {
            const SharedCells cells = cells_of(source, b, h);
            if (before && before->rows > 0 && b < before->b && cells->h < before->h)
                prepare_levels(*cells, *cells_of(before, b, cells->h), &pool);
            prepare_levels(*cells, &pool);
            source->looks(b, cells->h, &pool);
        }
}

}  // namespace

Sources prepare_sources(const Result& result, const View& view, const Sources& before) {
    Sources sources;
    std::vector<StageKind> stages = shown_stages(view.show);
    stages.insert(stages.end(), {StageKind::allowed, StageKind::weights});
    Pool pool(machine_threads(8));
    for (const int lane : shown_lanes(view, result.scene))
        for (const StageKind stage : stages) {
            if (is_drawn_as_weights(result.variants[lane], stage)) continue;
            SharedSource& source = sources[{lane, stage}];
            if (source) continue;
            const auto old = before.find({lane, stage});
            const SharedSource like = old == before.end() ? nullptr : old->second;
            source = source_of(result, lane, stage, like, &pool);
            if (source->rows > 0) prepare_shown(source, like, view, result, pool);
            limits_of_sources({source}, stage, view.colouring.logarithmic, &pool);
        }
    return sources;
}

Bench make_bench_like(const Bench& before, const Result& result, const View& view,
                      const Sources& prepared) {
    // Only cells at the same place can be equal, and a bench may have a thousand of them.
    const auto place_of = [](const Cells& cells) {
        return std::tuple(cells.look(), cells.rows, cells.columns, cells.b, cells.h);
    };
    std::multimap<decltype(place_of(Cells{})), SharedCells> old;
    each_stage(before,
               [&](const BenchStage& stage) { old.emplace(place_of(*stage.cells), stage.cells); });
    Sources known = prepared;
    known.insert(before.sources.begin(), before.sources.end());
    Bench bench = make_bench(result, view, known, before.tokens);
    each_stage(bench, [&](BenchStage& stage) {
        const auto [first, last] = old.equal_range(place_of(*stage.cells));
        const auto same = std::find_if(
            first, last, [&](const auto& entry) { return *entry.second == *stage.cells; });
        if (same != last)
            stage.cells = same->second;
        else
            std::for_each(first, last,
                          [&](const auto& entry) { prepare_levels(*stage.cells, *entry.second); });
    });
    return bench;
}

}  // namespace maskscope
