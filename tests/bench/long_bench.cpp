// Measures long contexts: the cost of a block of rows, the pass that pictures need, and the bench
// that is made after each part of it. Times are wall-clock times; bytes are the resident memory at
// the end.
//   long_bench [--benchmark_filter=…]

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <thread>

#include "app/session/session.h"
#include "app/show/bench/bench_survey.h"
#include "core/base/large_array.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/large/large_backend.h"
#include "core/tensors/tensor_list.h"
#include "tests/bench/bench_scene.h"
#include "tests/support/folder.h"

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

// Makes one scene at a time, because its inputs are large.
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
    BenchSurvey survey(result, view_of(result), nullptr);
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

// Measures a complete pass over all stages of one head.
void whole_pass(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    View view = view_of(result);
    view.show.stages.reset();
    Progress progress;
    for (auto _ : state) {
        BenchSurvey survey(result, view, nullptr);
        while (survey.go_on(std::chrono::milliseconds(300), progress)) {}
    }
}
BENCHMARK(whole_pass)
    ->Arg(1024)
    ->Arg(2048)
    ->Arg(4096)
    ->Arg(8192)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void bench_of_what_is_known(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    const View view = view_of(result);
    BenchSurvey survey(result, view, nullptr);
    Progress progress;
    survey.go_on(std::chrono::milliseconds(100), progress);
    for (auto _ : state) benchmark::DoNotOptimize(make_bench(result, view, survey.sources()).made);
    state.counters["MB"] = resident_megabytes();
}
BENCHMARK(bench_of_what_is_known)->Arg(8192)->Arg(32768)->Unit(benchmark::kMillisecond);

void sources_of_what_is_known(benchmark::State& state) {
    const Result& result = long_scene(state.range(0)).result;
    const View view = view_of(result);
    BenchSurvey survey(result, view, nullptr);
    Progress progress;
    survey.go_on(std::chrono::milliseconds(100), progress);
    for (auto _ : state) benchmark::DoNotOptimize(survey.sources().size());
}
BENCHMARK(sources_of_what_is_known)->Arg(8192)->Arg(32768)->Unit(benchmark::kMillisecond);

// Measures an edit that changes every row of the variant, until its result is there and sampling
// can begin.
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

// Measures opening a scene that reads a .safetensors file: the time until the first picture of the
// weights, which is made from a sample of their rows, and the time until the head is complete. MB:
// how much the resident memory grew.
void opening(benchmark::State& state) {
    const Folder folder;
    {
        Scene scene = bench::make_scene("causal", {state.range(0), state.range(1), 64}, true);
        auto& tensors = std::get<TensorsInputs>(scene.inputs);
        write_new_file(folder / "t.safetensors",
                       safetensors_bytes(
                           {{"q", tensors.queries}, {"k", tensors.keys}, {"v", *tensors.values}}));
        tensors.queries.file = "t.safetensors:q";
        tensors.keys.file = "t.safetensors:k";
        tensors.values->file = "t.safetensors:v";
        scene.show = Show{};
        scene.show->stages = {StageKind::weights};
        write_new_file(folder / "scene.json", write_scene(scene));
    }
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    for (auto _ : state) {
        release_kept_blocks();
        const double before = resident_megabytes();
        Session session(std::make_unique<LargeBackend>(0, 0), {});
        const auto start = Clock::now();
        session.open(folder / "scene.json");
        state.counters["open_s"] = since(start);
        while (shape_of(session.shown().scene).n_q < state.range(1)) {
            session.update();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        state.counters["first_s"] = since(start);
        while (session.computing()) {
            session.update();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        state.counters["whole_s"] = since(start);
        release_kept_blocks();
        state.counters["MB"] = resident_megabytes() - before;
    }
}
BENCHMARK(opening)
    ->Args({1, 8192})
    ->Args({1, 32768})
    ->Args({12, 32768})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kSecond);

// Measures how many milliseconds the weights of 12 heads of 2048 tokens (0.2 GB) take: in memory
// that was never touched, again in the same memory, and once more while these weights are held, as
// after an edit.
void first_touch(benchmark::State& state) {
    LargeBackend backend;
    Scene scene = bench::make_scene("none", {12, 2048, 64}, true);
    Progress progress;
    const auto compute = [&](double& milliseconds) {
        scene.variants[0].scale = {ScaleKind::number, scene.variants[0].scale.number * 0.99};
        const auto start = std::chrono::steady_clock::now();
        Result result =
            backend.compute(scene, {only(StageKind::weights), {}, {}, {}}, nullptr, progress);
        milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count();
        return result;
    };
    double inputs = 0;
    compute(inputs);  // the first run also makes the inputs
    for (auto _ : state) {
        release_kept_blocks();
        compute(state.counters["first"].value);
        const Result held = compute(state.counters["again"].value);
        compute(state.counters["beside"].value);
    }
}
BENCHMARK(first_touch)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
