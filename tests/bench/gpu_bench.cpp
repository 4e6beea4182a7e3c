// Measures the GPU backend on this machine's GPU: its context, its programs, and computations
// compared with the CPU and PyTorch.
//   gpu_bench [--sizes HxN,…] [--torch FILE] [--json FILE]
// --torch: what torch_cuda.py printed. A software renderer gets small sizes. Not a test: nothing
// here passes or fails.

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "core/base/build.h"
#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/cpu/cpu_backend.h"
#include "core/edit/edit.h"
#include "core/gl/headless.h"
#include "core/gpu/gpu_backend.h"
#include "tests/bench/bench_scene.h"

namespace {

using namespace maskscope;
using namespace maskscope::bench;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Options {
    std::vector<Size> sizes;  // empty: those for the renderer
    std::string torch, json;
};

const std::vector<Size> usual_sizes = {{12, 64},   {12, 512}, {12, 1024},
                                       {12, 2048}, {1, 4096}, {16, 4096}};
const std::vector<Size> software_sizes = {{2, 32}, {2, 128}};

double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    return time.count();
}

double median(std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
    return times[times.size() / 2];
}

// --- the programs of one scene

std::string words_of(const gpu::Programs::LinkedProgram& program) {
    std::string words = program.file;
    for (const auto& [name, value] : program.defines) words += fmt::format(" {}={}", name, value);
    return words;
}

// Measures how long it takes to compile the programs, and to load them again from the cache.
Json measure_programs(const Scene& scene) {
    const fs::path kept =
        fs::temp_directory_path() / fmt::format("maskscope-gpu-bench-{}", ::getpid());
    Json all = Json::array();
    double cold = 0, warm = 0, bytes = 0;
    fmt::print("\n{:<72} {:>8} {:>9} {:>9}\n", "program", "KB", "cold ms", "warm ms");
    std::vector<gpu::Programs::LinkedProgram> compiled, read_back;
    for (auto* linked : {&compiled, &read_back}) {
        GpuBackend backend({.kept_programs = kept});
        Progress progress;
        backend.compute(scene, {}, nullptr, progress);
        *linked = backend.programs().linked();
    }
    for (std::size_t k = 0; k < compiled.size(); ++k) {
        const gpu::Programs::LinkedProgram &a = compiled[k], &b = read_back[k];
        fmt::print("{:<72} {:8.1f} {:9.1f} {:9.1f}{}\n", words_of(a).substr(0, 72),
                   double(a.bytes) / 1024, a.milliseconds, b.milliseconds,
                   b.was_kept ? "" : "  not kept");
        all.push_back({{"program", words_of(a)},
                       {"bytes", a.bytes},
                       {"cold", a.milliseconds},
                       {"warm", b.milliseconds}});
        cold += a.milliseconds, warm += b.milliseconds, bytes += double(a.bytes);
    }
    fmt::print("{:<72} {:8.1f} {:9.1f} {:9.1f}\n", "together", bytes / 1024, cold, warm);
    fs::remove_all(kept);
    return all;
}

// --- computations

struct What {
    std::string name;
    std::vector<StageKind> stages;  // empty: all
    enum class Edit { none, cell, scale } edit = Edit::none;
};

const std::vector<What> whats = {{"weights", {StageKind::weights}},
                                 {"weights + output", {StageKind::weights, StageKind::output}},
                                 {"all stages", {}},
                                 {"a cell edited", {}, What::Edit::cell},
                                 {"the scale edited", {}, What::Edit::scale}};

Request request_of(const What& what) {
    Request request;
    if (what.stages.empty()) return request;
    request.stages.reset();
    for (const StageKind stage : what.stages) request.stages.set(static_cast<std::size_t>(stage));
    return request;
}

// Returns the scene after an edit that differs for each k, or the scene itself if there is no edit.
Scene edited(Scene scene, What::Edit edit, int k) {
    const Index middle = shape_of(scene).n_q / 2;
    if (edit == What::Edit::cell) set_allowed(scene, {0}, 0, 0, {middle, middle / 2}, k % 2 != 0);
    if (edit == What::Edit::scale) scene.variants[0].scale = {ScaleKind::number, 0.1 + 0.001 * k};
    return scene;
}

struct Times {
    double first = 0, warm = 0;  // ms; warm: a median
    std::string error;           // why there are no numbers
};

Times measure(Backend& backend, const Scene& scene, const What& what, int rounds,
              const std::function<void()>& finish) {
    constexpr double most_milliseconds = 1500;
    Times times;
    const Request request = request_of(what);
    try {
        Progress progress;
        Result shown;
        double all = 0;
        const auto compute = [&](int k) {
            const Scene next = edited(scene, what.edit, k);
            return milliseconds_of([&] {
                const bool anew = what.edit == What::Edit::none || shown.variants.empty();
                const Result* before = anew ? nullptr : &shown;
                Result made = backend.compute(next, request, before, progress);
                finish();
                shown = std::move(made);
            });
        };
        times.first = compute(0);
        for (int k = 1; k < 4; ++k) compute(k);  // warms up
        std::vector<double> warm;
        for (int k = 0; k < rounds && (warm.size() < 3 || all < most_milliseconds); ++k) {
            warm.push_back(compute(k));
            all += warm.back();
        }
        times.warm = median(warm);
    } catch (const std::exception& error) {
        times.error = error.what();
    }
    return times;
}

std::string text_of(const Times& times, double Times::*time) {
    return times.error.empty() ? fmt::format("{:.3f}", times.*time) : "-";
}

// Returns the milliseconds of PyTorch for each key such as "12x64/weights", as torch_cuda.py prints
// them.
std::map<std::string, std::vector<double>> read_torch(const std::string& file) {
    std::map<std::string, std::vector<double>> times;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        for (double number = 0; words >> number;) times[key].push_back(number);
    }
    return times;
}

Json measure_sizes(GpuBackend& gpu, const Options& options, const std::vector<Size>& sizes) {
    const auto torch = read_torch(options.torch);
    CpuBackend cpu(0);
    Json all = Json::array();
    fmt::print("\n{:<10} {:<18} {:>10} {:>10} {:>10} {:>12} {:>12}\n", "size", "milliseconds",
               "GPU first", "GPU warm", "CPU warm", "torch eager", "GPU ÷ eager");
    std::string errors;
    for (const Size& size : sizes) {
        const std::string name = fmt::format("{}x{}", size.heads, size.tokens);
        const Scene scene = make_scene("causal", size, true);
        for (const What& what : whats) {
            gpu.rest();
            const Times on_gpu = measure(gpu, scene, what, 20, [] { glFinish(); });
            Times on_cpu;
            if (numbers_to_compute(scene) <= double(Index{1} << 27))
                on_cpu = measure(cpu, scene, what, 5, [] {});
            else
                on_cpu.error = "too long to keep";
            const auto peer = torch.find(name + "/" +
                                         (what.stages.empty()       ? "none"
                                          : what.stages.size() == 1 ? "weights"
                                                                    : "output"));
            const bool has_peer = peer != torch.end() && !peer->second.empty();
            fmt::print("{:<10} {:<18} {:>10} {:>10} {:>10} {:>12} {:>12}\n", name, what.name,
                       text_of(on_gpu, &Times::first), text_of(on_gpu, &Times::warm),
                       text_of(on_cpu, &Times::warm),
                       has_peer ? fmt::format("{:.3f}", peer->second[0]) : "",
                       has_peer && on_gpu.error.empty()
                           ? fmt::format("{:.2f}", on_gpu.warm / peer->second[0])
                           : "");
            std::fflush(stdout);
            if (!on_gpu.error.empty())
                errors += fmt::format("{} {}: {}\n", name, what.name, on_gpu.error);
            Json row = {{"size", name}, {"what", what.name}};
            if (on_gpu.error.empty()) row["gpu"] = {{"first", on_gpu.first}, {"warm", on_gpu.warm}};
            if (on_cpu.error.empty()) row["cpu"] = on_cpu.warm;
            if (has_peer) row["torch"] = peer->second;
            all.push_back(row);
        }
    }
    fmt::print("{}", errors);
    return all;
}

// --- the command

std::optional<std::vector<Size>> sizes_of(const std::string& list) {
    std::vector<Size> sizes;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        const auto size = size_of(word + "x64");
        if (!size) return std::nullopt;
        sizes.push_back(*size);
    }
    return sizes;
}

std::optional<Options> read_options(const std::vector<std::string>& words) {
    Options options;
    for (std::size_t k = 0; k + 1 < words.size(); k += 2) {
        if (words[k] == "--torch") {
            options.torch = words[k + 1];
        } else if (words[k] == "--json") {
            options.json = words[k + 1];
        } else if (const auto sizes = sizes_of(words[k + 1]); words[k] == "--sizes" && sizes) {
            options.sizes = *sizes;
        } else {
            return std::nullopt;
        }
    }
    if (words.size() % 2 != 0) return std::nullopt;
    return options;
}

int run(const Options& options) {
    std::optional<HeadlessContext> context;
    const double opened = milliseconds_of([&] { context.emplace(4, 3); });
    const std::string renderer = renderer_name();
    const auto* version = reinterpret_cast<const char*>(glGetString(GL_VERSION));
    fmt::print("{}, OpenGL {}\ncontext: {:.1f} ms\n", renderer, version, opened);
    auto sizes = options.sizes;
    if (sizes.empty()) sizes = is_software_renderer(renderer) ? software_sizes : usual_sizes;
    Json all = {{"renderer", renderer}, {"version", version}, {"context", opened}};
    const bool software = is_software_renderer(renderer);
    all["programs"] = measure_programs(make_scene("causal", {12, software ? 64 : 1024}, true));
    GpuBackend gpu;
    all["sizes"] = measure_sizes(gpu, options, sizes);
    if (!options.json.empty()) std::ofstream(options.json) << all.dump(1) << '\n';
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    const auto options = read_options(std::vector<std::string>(arguments + 1, arguments + count));
    if (!options) {
        fmt::print(stderr, "gpu_bench [--sizes HxN,…] [--torch FILE] [--json FILE]\n");
        return 2;
    }
    try {
        return run(*options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "gpu_bench: {}\n", error.what());
        return 1;
    }
}
