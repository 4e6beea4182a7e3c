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

// Computes the data of a view. Throws only Cancellation; errors are in `failure`.
ViewData outcome_of(const Result& result, const View& view, Progress& progress) {
    ViewData failed;
    try {
        return make_view_data(result, view, progress);
    } catch (const std::bad_alloc&) {
        failed.failure = "Not enough memory for this view.";
    } catch (const std::exception& error) {
        failed.failure = error.what();
    }
    return failed;
}

}  // namespace

bool ViewMaker::has(const ViewKey& key) const {
    const auto made = failures_.find(key.kind);
    if (made == failures_.end()) return key == ViewKey();
    return made->second.is_of(key) && data_.failure.empty();
}

void ViewMaker::cancel() {
    for (auto& [kind, failure] : failures_)
        if (failure.under_way() && failure.key()) worker_.give_up(failure, *failure.key());
}

void ViewMaker::wait() {
    if (active()) worker_.take();
}

void ViewMaker::refresh(const std::shared_ptr<const Result>& result, const View& view) {
    if (result->variants.empty()) return;
    const ViewKey wanted = view_key(result, view);
    const ViewEntry* entry = entry_of(wanted.kind);
    for (auto& [kind, failure] : failures_) {
        const bool failed = failure.is_given_up() || !failure.value_or_empty().empty();
        const bool is_old =
            failure.key() && failure.key()->result && failure.key()->result != result;
        // A key would keep an old result alive. A view that failed is tried again when it returns.
        if (is_old || (failed && kind != wanted.kind)) failure.forget();
    }
    const auto want = [&] {
        if (!entry || !worker_.is_due(failures_[wanted.kind], wanted)) return;
        const bool is_slow = entry->is_slow || takes_long(*result);
        // Computing a long text takes time, during which no other text may be shown in its place.
        if (is_slow && is_computed_when_read(*result) && made_of_.lock() != result->inputs)
            std::erase_if(data_.contents,
                          [&](const auto& content) { return !failures_[content.first].key(); });
        worker_.compute(
            failures_[wanted.kind], wanted, is_slow ? Cost::large : Cost::small,
            [result, view](Progress& progress) { return outcome_of(*result, view, progress); },
            [this, wanted](ViewData made) {
                if (wanted.result) made_of_ = wanted.result->inputs;
                for (auto& [kind, content] : made.contents)
                    data_.contents[kind] = std::move(content);
                return std::move(made.failure);
            });
    };
    worker_.update({}, want);
    data_.failure = {};
    if (!entry) return;
    const auto& shown = failures_[wanted.kind];
    data_.failure = shown.is_given_up() ? "Cancelled." : shown.value_or_empty();
}

}  // namespace maskscope
