// Measures how fast attention is computed, by Google Benchmark. Cases are named
// <what>/<mask>/<heads>x<tokens>x<width>/threads:<t>; their counters `flops` and `bytes` are the
// least possible work, to be compared with the cases floor/…. Sizes other than the listed ones are
// measured with --sizes=12x256x64,1x100x32 before the benchmark's own options.

#include <benchmark/benchmark.h>

#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "core/base/matrix.h"
#include "core/compute/plain.h"
#include "core/compute/root_d.h"
#include "core/cpu/cpu_backend.h"
#include "core/cpu/kernels/kernels.h"
#include "core/edit/edit.h"
#include "core/gl/headless.h"
#include "core/gpu/gpu_backend.h"
#include "tests/bench/bench_scene.h"
#include "tests/bench/floor.h"

namespace {

using namespace maskscope;
using namespace maskscope::bench;

// The stages from scores to output, without sensitivity.
const std::vector<StageKind> road = {StageKind::scores,  StageKind::scaled,  StageKind::logits,
                                     StageKind::softmax, StageKind::weights, StageKind::output};

struct What {
    std::string name;
    std::vector<StageKind> stages;
    enum class Edit { none, cell, scale } edit = Edit::none;
};

// The cases by their names on the CPU. On the GPU, "gpu_" is put before each name.
const std::vector<What> whats = {
    {"weights", {StageKind::weights}},
    {"weights_and_output", {StageKind::weights, StageKind::output}},
    {"weights_and_sensitivity", {StageKind::weights, StageKind::sensitivity}},
    {"sensitivity", {StageKind::sensitivity}},
    {"all_stages", road},
    // Computes after an edit, with the previous result available.
    {"edit_cell", road, What::Edit::cell},
    {"edit_scale", road, What::Edit::scale},
};

const std::vector<std::string> usual_sizes = {"12x512x64", "12x1024x64", "12x2048x64", "1x4096x64",
                                              "1x16x64",   "12x64x64",   "12x128x64"};

bool has(const What& what, StageKind stage) {
    return std::ranges::find(what.stages, stage) != what.stages.end();
}

Request request_of(const What& what) {
    Request request;
    request.stages.reset();
    for (const StageKind stage : what.stages) request.stages.set(static_cast<std::size_t>(stage));
    return request;
}

// Returns the scene after a click on a cell of the mask, or after a drag of the scale.
Scene edited(const Scene& scene, What::Edit edit) {
    Scene after = scene;
    const Index middle = shape_of(scene).n_q / 2;
    if (edit == What::Edit::cell) set_allowed(after, {0}, 0, 0, {middle, middle / 2}, false);
    if (edit == What::Edit::scale) after.variants[0].scale = {ScaleKind::number, 0.126};
    return after;
}

void count_work(benchmark::State& state, const What& what, const std::string& mask,
                const Size& size) {
    const bool output = has(what, StageKind::output);
    const auto stages = static_cast<int>(what.stages.size()) - (output ? 1 : 0);
    const Work work = least_work(mask, size, stages, output);
    state.counters["flops"] = work.flops;
    state.counters["bytes"] = work.bytes;
}

// Measures an edit by computing the scene and the edited one in turn, each from the previous
// result. Without an edit, computes the scene from nothing each time.
void measure(benchmark::State& state, Backend& backend, const What& what, const std::string& mask,
             const Size& size) {
    const Scene scene = make_scene(mask, size, has(what, StageKind::output));
    const Request request = request_of(what);
    Progress progress;
    if (what.edit == What::Edit::none) {
        // The first run compiles GPU programs, and allocates memory that later runs reuse.
        for (int k = 0; k < 2; ++k) backend.compute(scene, request, nullptr, progress);
        for ([[maybe_unused]] auto round : state)
            benchmark::DoNotOptimize(backend.compute(scene, request, nullptr, progress));
    } else {
        const Scene other = edited(scene, what.edit);
        Result shown = backend.compute(other, request, nullptr, progress);
        for (const Scene& first : {scene, other})  // warms up, as above
            shown = backend.compute(first, request, &shown, progress);
        bool is_other = true;
        for ([[maybe_unused]] auto round : state) {
            shown = backend.compute(is_other ? scene : other, request, &shown, progress);
            is_other = !is_other;
        }
    }
    count_work(state, what, mask, size);
}

void measure_gpu(benchmark::State& state, const What& what, const std::string& mask,
                 const Size& size) {
    try {
        const HeadlessContext context(4, 3);
        GpuBackend backend;
        state.SetLabel(renderer_name());
        measure(state, backend, what, mask, size);
    } catch (const WorkError& error) {
        state.SkipWithError(error.what());
    }
}

CpuBackend& cpu(int threads) {
    static std::map<int, std::unique_ptr<CpuBackend>> backends;
    auto& backend = backends[threads];
    if (!backend) backend = std::make_unique<CpuBackend>(threads);
    return *backend;
}

// Measures the kernels of one instruction set, even if the machine supports a faster one.
void measure_kernels(benchmark::State& state, const std::string& name, const Size& size) {
    if (!use_kernels(name.c_str())) return state.SkipWithError("not on this machine");
    measure(state, cpu(1), whats[0], "causal", size);
    use_kernels(nullptr);
}

// Measures the weights; `largest` is the largest difference from those of the reference
// implementation in float64.
void measure_error(benchmark::State& state, const Size& size) {
    measure(state, cpu(1), whats[0], "causal", size);
    Scene scene = make_scene("causal", size, false);
    Progress progress;
    const Request request = request_of(whats[0]);
    const Result ours = cpu(1).compute(scene, request, nullptr, progress);
    scene.variants[0].dtype = Dtype::float64;
    const Result exact = PlainBackend().compute(scene, request, nullptr, progress);
    const Stage& left = ours.variants[0].stage(StageKind::weights);
    const Stage& right = exact.variants[0].stage(StageKind::weights);
    double largest = 0;
    for (Index b = 0; b < left.b(); ++b)
        for (Index h = 0; h < left.h(); ++h)
            largest = std::max(largest, (left.head(b, h) - right.head(b, h)).cwiseAbs().maxCoeff());
    state.counters["largest"] = largest;
}

// Takes a different seed each time, because the last draw is cached.
void measure_root_d(benchmark::State& state) {
    std::uint64_t seed = 0;
    Progress progress;
    for ([[maybe_unused]] auto round : state)
        benchmark::DoNotOptimize(draw_root_d(++seed, progress));
}

// --- the floor

template <class Work>
void in_threads(int threads, const Work& work) {
    std::vector<std::thread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(work, k);
    work(0);
    for (std::thread& other : others) other.join();
}

void measure_flops(benchmark::State& state, int threads) {
    constexpr std::size_t rounds = 4'000'000;
    std::vector<double> done(static_cast<std::size_t>(threads));
    for ([[maybe_unused]] auto round : state)
        in_threads(threads, [&](int k) { done[k] = burn_flops(rounds); });
    state.counters["flops"] = done[0] * threads;
}

void measure_writes(benchmark::State& state, int threads) {
    constexpr std::size_t bytes = std::size_t(64) << 20;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::vector<std::unique_ptr<float, Free>> buffers;
    for (int k = 0; k < threads; ++k) {
        buffers.emplace_back(static_cast<float*>(std::aligned_alloc(64, bytes)));
        stream(buffers.back().get(), bytes);  // so that fresh pages are not measured
    }
    for ([[maybe_unused]] auto round : state)
        in_threads(threads, [&](int k) { stream(buffers[std::size_t(k)].get(), bytes); });
    state.counters["bytes"] = static_cast<double>(bytes) * threads;
}

// --- the list

std::string case_name(const std::string& what, const std::string& mask, const Size& size,
                      int threads) {
    return what + "/" + mask + "/" + text_of(size) + "/threads:" + std::to_string(threads);
}

void add_size(const Size& size) {
    for (const std::string& mask : masks())
        for (const What& what : whats) {
            for (const int threads : {1, 2})
                benchmark::RegisterBenchmark(
                    case_name(what.name, mask, size, threads).c_str(),
                    [=](benchmark::State& s) { measure(s, cpu(threads), what, mask, size); });
            benchmark::RegisterBenchmark(
                case_name("gpu_" + what.name, mask, size, 1).c_str(),
                [=](benchmark::State& s) { measure_gpu(s, what, mask, size); });
        }
    benchmark::RegisterBenchmark(case_name("plain_all_stages", "causal", size, 1).c_str(),
                                 [=](benchmark::State& state) {
                                     PlainBackend plain;
                                     measure(state, plain, {"", road}, "causal", size);
                                 });
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Adds the cases weights_avx2, weights_ssse3, …, one for each instruction set that this machine
// supports.
void add_kernels(const Size& size) {
    std::array<const char*, 16> found{};
    const std::size_t count = supported_kernels(found.data(), found.size());
    for (const std::string name : std::span(found).first(count))
        benchmark::RegisterBenchmark(
            case_name("weights_" + lower(name), "causal", size, 1).c_str(),
            [=](benchmark::State& state) { measure_kernels(state, name, size); });
}

void add_floor() {
    for (const int threads : {1, 2}) {
        const std::string end = "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark(("floor/flops" + end).c_str(),
                                     [=](benchmark::State& s) { measure_flops(s, threads); });
        benchmark::RegisterBenchmark(("floor/writes" + end).c_str(),
                                     [=](benchmark::State& s) { measure_writes(s, threads); });
    }
}

// Returns the sizes of --sizes=…, or the usual ones; nullopt if one is not a size.
std::optional<std::vector<Size>> sizes_of(int& count, char** arguments) {
    std::vector<std::string> texts = usual_sizes;
    const std::string first = count > 1 ? arguments[1] : "", option = "--sizes=";
    if (first.starts_with(option)) {
        texts.clear();
        std::istringstream list(first.substr(option.size()));
        for (std::string text; std::getline(list, text, ',');) texts.push_back(text);
        std::copy(arguments + 2, arguments + count, arguments + 1);
        --count;
    }
    std::vector<Size> sizes;
    for (const std::string& text : texts) {
        const auto size = size_of(text);
        if (!size) return std::nullopt;
        sizes.push_back(*size);
    }
    return sizes;
}

}  // namespace

int main(int count, char** arguments) {
    const auto sizes = sizes_of(count, arguments);
    if (!sizes) {
        fputs("attention_bench: --sizes: expected sizes as 12x1024x64, with commas between\n",
              stderr);
        return 2;
    }
    add_floor();
    benchmark::RegisterBenchmark("root_d/draw", measure_root_d);
    for (const Size& size : *sizes) {
        add_size(size);
        add_kernels(size);
        benchmark::RegisterBenchmark(case_name("error", "causal", size, 1).c_str(),
                                     [=](benchmark::State& state) { measure_error(state, size); });
    }
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
