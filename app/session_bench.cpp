#include <algorithm>
#include <map>
#include <tuple>

#include "app/figure/cell_texels.h"
#include "app/session_state.h"

namespace maskscope {

namespace {

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
    // Cells that may be the same stand at the same place; a bench may hold a thousand.
    const auto place_of = [](const Cells& cells) {
        return std::tuple(cells.stage, cells.difference, cells.rows, cells.columns, cells.b,
                          cells.h);
    };
    std::multimap<decltype(place_of(Cells{})), SharedCells> old;
    each_stage(before,
               [&](const BenchStage& stage) { old.emplace(place_of(*stage.cells), stage.cells); });
    Bench bench = make_bench(result, view, before.sources);
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
