#include "core/gpu/speeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compute/memory.h"
#include "core/files/file.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"

namespace maskscope {
namespace {

Scene scene_of(Index tokens) {
    Scene scene;
    scene.sequences = {
        {std::vector<std::string>(static_cast<std::size_t>(tokens), "word"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 64, 64, 64};
    scene.variants.resize(1);
    scene.variants[0].mask.layers.push_back({});
    return scene;
}

// Returns the time of the fastest of several computations, which other load on the machine delays
// least. Each has a different scale.
double fastest_computation(Backend& backend, Scene scene, Progress& progress) {
    constexpr int edits = 6;
    double fastest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < edits; ++k) {
        scene.variants[0].scale = {ScaleKind::number, 0.1 + 0.01 * k};
        const auto start = std::chrono::steady_clock::now();
        backend.compute(scene, {}, nullptr, progress);
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        fastest = std::min(fastest, time.count());
    }
    return fastest;
}

// Throws WorkError if stages differ. Drivers have compiled shaders wrongly, and a wrong stage looks
// like any other.
void require_equal_stages(const Result& cpu, const Result& gpu) {
    constexpr double rounding = 1e-3;  // far above float32's rounding, far below a wrong cell
    for (int k = 1; k < stage_count; ++k) {
        const auto kind = static_cast<StageKind>(k);
        const Stage &right = cpu.variants[0].stage(kind), &tried = gpu.variants[0].stage(kind);
        const auto& expected = right.float32s();
        const auto& found = tried.float32s();
        for (std::size_t place = 0; place < expected.size(); ++place) {
            const double x = expected[place], y = found[place];
            if (x == y || std::abs(x - y) <= rounding * (1 + std::abs(x))) continue;
            const auto columns = static_cast<std::size_t>(right.columns());
            throw WorkError(fmt::format(
                "the GPU's numbers are wrong on this machine: {} at [{}, {}] is {:.3g} (expected "
                "{:.3g}).",
                name(kind), place / columns % static_cast<std::size_t>(right.rows()),
                place % columns, y, x));
        }
    }
}

Speed speed_of(Backend& backend, Index few, Index many, Progress& progress) {
    const Scene small = scene_of(few), large = scene_of(many);
    const double small_time = fastest_computation(backend, small, progress);
    const double large_time = fastest_computation(backend, large, progress);
    const double small_count = numbers_to_compute(small), large_count = numbers_to_compute(large);
    const double numbers =
        (large_count - small_count) / std::max(large_time - small_time, 0.01 * large_time);
    return {std::max(0.0, small_time - small_count / numbers), numbers};
}

std::filesystem::path file_in(const std::filesystem::path& folder) {
    return folder / "speeds.json";
}

std::string machine_of(const std::string& renderer) {
    return fmt::format("{}, {} cores", renderer, std::thread::hardware_concurrency());
}

Json json_of(const Speed& speed) { return {{"fixed", speed.fixed}, {"numbers", speed.numbers}}; }

std::optional<Speed> speed_of(const Json& json) {
    const Speed speed{json.at("fixed").get<double>(), json.at("numbers").get<double>()};
    if (!(speed.fixed >= 0) || !(speed.numbers > 0)) return std::nullopt;
    return speed;
}

}  // namespace

Speeds measure_speeds(Backend& cpu, Backend& gpu, Progress& progress, Index few, Index many) {
    for (const Index tokens : {Index{5}, few}) {  // rows of whole quads, and others
        const Scene scene = scene_of(tokens);
        require_equal_stages(cpu.compute(scene, {}, nullptr, progress),
                             gpu.compute(scene, {}, nullptr, progress));
    }
    return {speed_of(cpu, few, many, progress), speed_of(gpu, few, many, progress)};
}

std::optional<Speeds> kept_speeds(const std::filesystem::path& folder,
                                  const std::string& renderer) {
    if (folder.empty()) return std::nullopt;
    try {
        const Json json = parse_json(read_file(file_in(folder), 1 << 16));
        if (json.at("machine") != machine_of(renderer) || json.at("numbers") != "compared")
            return std::nullopt;
        const auto cpu = speed_of(json.at("cpu")), gpu = speed_of(json.at("gpu"));
        if (!cpu || !gpu) return std::nullopt;
        return Speeds{*cpu, *gpu};
    } catch (const Error&) {
    } catch (const Json::exception&) {}
    return std::nullopt;
}

void keep_speeds(const std::filesystem::path& folder, const std::string& renderer,
                 const Speeds& speeds) {
    if (folder.empty()) return;
    const Json json = {{"machine", machine_of(renderer)},
                       {"numbers", "compared"},  // compared with the CPU's
                       {"cpu", json_of(speeds.cpu)},
                       {"gpu", json_of(speeds.gpu)}};
    try {
        MadeFolders made(folder);
        replace_file(file_in(folder), write_json(json));
        made.keep();
    } catch (const Error&) {}
}

}  // namespace maskscope
