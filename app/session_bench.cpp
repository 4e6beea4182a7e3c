#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "app/session_state.h"

namespace maskscope {

namespace {

// A bench may hold a thousand heatmaps: each is compared with those of equal bytes alone.
std::size_t hash_of(const Cells& cells) {
    const auto* bytes = reinterpret_cast<const char*>(cells.values.data());
    return std::hash<std::string_view>()({bytes, cells.values.size() * sizeof(double)});
}

// What a bench is made from: where the pointer and the pinned cell are has no part in it.
View relevant(View view) {
    view.show.focus.reset();
    view.show.ring.reset();
    view.zoom = {};
    view.hovered.reset();
    view.theme = {};
    return view;
}

}  // namespace

Bench make_bench_like(const Bench& before, const Result& result, const View& view) {
    std::unordered_multimap<std::size_t, SharedCells> old;
    each_stage(before,
               [&](const BenchStage& stage) { old.emplace(hash_of(*stage.cells), stage.cells); });
    Bench bench = make_bench(result, view);
    each_stage(bench, [&](BenchStage& stage) {
        const auto [first, last] = old.equal_range(hash_of(*stage.cells));
        const auto same = std::find_if(
            first, last, [&](const auto& entry) { return *entry.second == *stage.cells; });
        if (same != last) stage.cells = same->second;
    });
    return bench;
}

const Bench& Session::bench() const {
    State& s = *state_;
    const View view = relevant(s.view);
    if (s.bench_of != s.shown || s.bench_view != view) {
        s.bench = make_bench_like(s.bench, *s.shown, s.view);
        s.bench_of = s.shown;
        s.bench_view = view;
    }
    s.bench.views = s.views.data();
    return s.bench;
}

}  // namespace maskscope
