// Long contexts: what a block of rows costs, the pass that pictures need, and the bench that is
// made after each part of it. Times are of the wall; bytes are what the process has resident at the
// end.
//   long_bench [--benchmark_filter=…]

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "app/show/bench/bench_survey.h"
#include "core/large/large_backend.h"
#include "tests/bench/bench_scene.h"

namespace {

using namespace maskscope;

double resident_megabytes() {
    std::ifstream in("/proc/self/statm");
    double size = 0, pages = 0;
    in >> size >> pages;
    return pages * double(::sysconf(_SC_PAGESIZE)) / 1e6;
}

struct Long {
    LargeBackend backend;
    Result result;
};

// One scene at a time: its inputs are large.
const Long& long_scene(Index tokens) {
    static std::map<Index, std::unique_ptr<Long>> known;
    if (known.contains(tokens)) return *known[tokens];
    known.clear();
    auto made = std::make_unique<Long>(LargeBackend(0, 0));
    Progress progress;
    Scene scene = bench::make_scene("causal", {1, tokens, 64}, true);
    scene.show = Show{};
    scene.show->stages = {StageKind::weights};
    made->result = made->backend.compute(scene, Request(), nullptr, progress);
    return *(known[tokens] = std::move(made));
}

View view_of(const Result& result) {
    View view;
    view.show = *result.scene.show;
    return view;
}

std::bitset<stage_count> only(StageKind stage) {
    return std::bitset<stage_count>().set(static_cast<std::size_t>(stage));
}

void block_of_weights(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    const Index rows = state.range(1), n = state.range(0);
    Progress progress;
    Index first = n / 2;
    for (auto _ : state) {
        const VariantResult block = result.variants[0].computed->block(
            0, 0, {first, rows}, only(StageKind::weights), progress);
        benchmark::DoNotOptimize(block.rows.data());
        first = n / 2 + (first + rows) % 1024;
    }
    state.counters["us_a_row"] =
        benchmark::Counter(double(state.iterations() * rows),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(block_of_weights)
    ->ArgsProduct({{8192, 32768}, {1, 8, 16, 32, 64}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void part_of_the_pass(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    BenchSurvey survey(result, view_of(result), nullptr, true);
    Progress progress;
    for (auto _ : state) survey.go_on(std::chrono::milliseconds(300), progress);
    state.counters["percent"] = 100 * survey.seen() / double(state.iterations());
}
BENCHMARK(part_of_the_pass)
    ->Arg(8192)
    ->Arg(32768)
    ->Iterations(4)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void bench_of_what_is_known(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    const View view = view_of(result);
    BenchSurvey survey(result, view, nullptr, true);
    Progress progress;
    survey.go_on(std::chrono::milliseconds(100), progress);
    for (auto _ : state) benchmark::DoNotOptimize(make_bench(result, view, survey.sources()).made);
    state.counters["MB"] = resident_megabytes();
}
BENCHMARK(bench_of_what_is_known)->Arg(8192)->Arg(32768)->Unit(benchmark::kMillisecond);

void sources_of_what_is_known(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    const View view = view_of(result);
    BenchSurvey survey(result, view, nullptr, true);
    Progress progress;
    survey.go_on(std::chrono::milliseconds(100), progress);
    for (auto _ : state) benchmark::DoNotOptimize(survey.sources().size());
}
BENCHMARK(sources_of_what_is_known)->Arg(8192)->Arg(32768)->Unit(benchmark::kMillisecond);

// An edit of the whole lane, until its result is there and the first sample begins.
void result_of_another_scale(benchmark::State& state) {
    const Long& known = long_scene(state.range(0));
    auto& backend = const_cast<LargeBackend&>(known.backend);
    Scene scene = known.result.scene;
    Progress progress;
    double factor = 0.1;
    for (auto _ : state) {
        scene.variants[0].scale = {ScaleKind::number, factor += 0.01};
        const Result result = backend.compute(scene, Request(), &known.result, progress);
        benchmark::DoNotOptimize(result.variants.size());
    }
}
BENCHMARK(result_of_another_scale)->Arg(8192)->Arg(32768)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
