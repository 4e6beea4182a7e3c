#include "app/session/view_maker.h"

#include <new>

#include "app/session/session_backends.h"
#include "app/show/bench/bench_survey.h"
#include "app/show/views/views.h"
#include "core/compute/memory.h"

namespace maskscope {

namespace {

// Does not throw; errors are in `failure`.
ViewData outcome_of(const Result& result, const View& view, Progress& progress) {
    ViewData failed;
    try {
        return make_view_data(result, view, progress);
    } catch (const Cancelled&) {
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
        if (wanted != under_way_) worker_.cancel();  // superseded
        return;
    }
    under_way_ = {};  // it and these would keep an old result alive
    for (auto& [kind, key] : made_)
        if (key.result && key.result != result) key = {};
    const ViewEntry* entry = entry_of(wanted.kind);
    if (entry && wanted == made(wanted.kind)) return;
    if (!data_.failure.empty()) made_.clear();  // so that it is tried again
    data_.failure.clear();
    if (!entry) return;
    if (!entry->is_slow && !takes_long(*result)) {
        Progress progress;
        return keep(wanted, outcome_of(*result, view, progress));
    }
    // A long text takes some time, during which no other text may be shown in its place.
    if (is_computed_when_read(*result) && made_of_.lock() != result->inputs)
        std::erase_if(data_.contents,
                      [&](const auto& content) { return made(content.first) == ViewKey(); });
    under_way_ = wanted;
    worker_.start(
        [result, view](Progress& progress) { return outcome_of(*result, view, progress); },
        [this, wanted](ViewData made) { keep(wanted, std::move(made)); }, wake);
}

}  // namespace maskscope
