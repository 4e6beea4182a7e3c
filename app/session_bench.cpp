#include <algorithm>
#include <cstring>

#include "app/session_state.h"

namespace maskscope {

namespace {

template <class T>
bool same_bytes(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

// Bit by bit, so that NaN equals NaN.
bool same_cells(const Cells& x, const Cells& y) {
    return x.stage == y.stage && x.rows == y.rows && x.columns == y.columns &&
           same_bytes(x.signs, y.signs) && same_bytes(x.values, y.values);
}

// All heatmaps of a bench, wherever they stand: a stage may move between shared and lane.
template <class B, class Visit>
void each_stage(B& bench, const Visit& visit) {
    for (auto& block : bench.blocks) {
        for (auto& stage : block.shared) visit(stage);
        if (block.mask) visit(*block.mask);
        for (auto& lane : block.lanes)
            for (auto& stage : lane.stages) visit(stage);
    }
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
    std::vector<SharedCells> old;
    each_stage(before, [&](const BenchStage& stage) { old.push_back(stage.cells); });
    Bench bench = make_bench(result, view);
    each_stage(bench, [&](BenchStage& stage) {
        const auto same = std::ranges::find_if(
            old, [&](const SharedCells& cells) { return same_cells(*cells, *stage.cells); });
        if (same != old.end()) stage.cells = *same;
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
    return s.bench;
}

}  // namespace maskscope
