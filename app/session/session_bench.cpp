#include <algorithm>
#include <map>
#include <new>
#include <tuple>

#include "app/session/backends.h"
#include "app/session/computing.h"
#include "app/show/bench/bench_survey.h"
#include "app/show/cells/cell_texels.h"
#include "app/show/views/view_entry.h"
#include "core/compute/memory.h"
#include "core/threads/pool.h"

namespace maskscope {

namespace {

// Prepares the shown heads for drawing: the flags of their rows, and the levels of their first
// picture.
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
    for (const int variant : shown_variants(view, result.scene))
        for (const StageKind stage : stages) {
            if (is_drawn_as_weights(result.variants[variant], stage)) continue;
            SharedSource& source = sources[{variant, stage}];
            if (source) continue;
            const auto old = before.find({variant, stage});
            const SharedSource like = old == before.end() ? nullptr : old->second;
            source = source_of(result, variant, stage, like, &pool);
            if (source->rows > 0) prepare_shown(source, like, view, result, pool);
            limits_of_sources({source}, stage, view.colouring.logarithmic, &pool);
        }
    return sources;
}

Bench make_bench_like(const Bench& before, const Result& result, const View& view,
                      const Sources& prepared) {
    // Compare only cells at the same place: others cannot be equal, and a bench may have a thousand
    // Cells.
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

namespace {

// Computes the data of a view. Does not throw; errors are in `failure`.
ViewData outcome_of(const Result& result, const View& view, Progress& progress) {
    ViewData failed;
    try {
        return make_view_data(result, view, progress);
    } catch (const Cancellation&) {
        failed.failure = "Cancelled.";
    } catch (const std::bad_alloc&) {
        failed.failure = "Not enough memory for this view.";
    } catch (const std::exception& error) {
        failed.failure = error.what();
    }
    return failed;
}

}  // namespace

void ViewMaker::keep(const ViewKey& key, ViewData made) {
    this->made(key.kind) = key;
    if (key.result) made_of_ = key.result->inputs;
    data_.failure = std::move(made.failure);
    for (auto& [kind, content] : made.contents) data_.contents[kind] = std::move(content);
}

void ViewMaker::wait() {
    if (active()) worker_.join();
}

void ViewMaker::refresh(const std::shared_ptr<const Result>& result, const View& view,
                        const std::function<void()>& wake) {
    if (result->variants.empty()) return;
    const ViewKey wanted = view_key(result, view);
    if (worker_.finished()) worker_.join();
    if (active()) {
        if (wanted != under_way_) worker_.cancel();  // the view or result has changed since
        return;
    }
    under_way_ = {};  // these keys would keep an old result alive
    for (auto& [kind, key] : made_)
        if (key.result && key.result != result) key = {};
    const ViewEntry* entry = entry_of(wanted.kind);
    if (entry && wanted == made(wanted.kind)) return;
    if (!data_.failure.empty()) made_.clear();  // so that the failed view is tried again
    data_.failure.clear();
    if (!entry) return;
    if (!entry->is_slow && !takes_long(*result)) {
        Progress progress;
        return keep(wanted, outcome_of(*result, view, progress));
    }
    // Computing a long text takes time, during which no other text may be shown in its place.
    if (is_computed_when_read(*result) && made_of_.lock() != result->inputs)
        std::erase_if(data_.contents,
                      [&](const auto& content) { return made(content.first) == ViewKey(); });
    under_way_ = wanted;
    worker_.start(
        [result, view](Progress& progress) { return outcome_of(*result, view, progress); },
        [this, wanted](ViewData made) { keep(wanted, std::move(made)); }, wake);
}

}  // namespace maskscope
