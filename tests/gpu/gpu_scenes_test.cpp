// The GPU backend against the golden scenes and random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/cpu/plain.h"
#include "core/error.h"
#include "core/gpu/gpu_backend.h"
#include "core/gpu/headless.h"
#include "core/scene_json.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/random_scene.h"
#include "tests/gpu/agreement.h"
#include "tests/gpu/strange_numbers.h"

namespace maskscope::golden {
namespace {

// The GPU has no float64.
Scene in_float32(Scene scene) {
    for (Variant& variant : scene.variants)
        if (variant.dtype == Dtype::float64) variant.dtype = Dtype::float32;
    return scene;
}

std::string difference(GpuBackend& backend, const Scene& scene) {
    Progress progress;
    const Result plain = PlainBackend().compute(scene, {}, nullptr, progress);
    return first_difference(backend.compute(scene, {}, nullptr, progress), plain);
}

// One context and one backend for all tests: programs are compiled once.
class Gpu : public testing::Test {
protected:
    static GpuBackend& backend() {
        static const HeadlessContext context(4, 3);
        static GpuBackend made;
        context.make_current();
        return made;
    }
};

class GoldenOnGpu : public Gpu, public testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, GoldenOnGpu, testing::ValuesIn(scene_names()), [](const auto& info) {
    std::string name = info.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST_P(GoldenOnGpu, AgreesWithThePlainVersion) {
    EXPECT_EQ(difference(backend(), in_float32(read_golden_scene(GetParam()))), "");
}

using RandomOnGpu = Gpu;

TEST_F(RandomOnGpu, AgreesWithThePlainVersion) {
    const char* few = std::getenv("MASKSCOPE_RANDOM_SCENES");
    const int scenes = few != nullptr ? std::atoi(few) : 10000;
    for (int seed = 0; seed < scenes; ++seed) {
        const Scene scene = in_float32(random_scene(static_cast<std::uint64_t>(seed)));
        const std::string found = difference(backend(), scene);
        if (found.empty()) continue;
        FAIL() << "seed " << seed << ": " << found << "\n" << write_scene(scene);
    }
}

TEST_F(RandomOnGpu, HasTheSameInfinitiesAndNaN) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const Scene scene = with_strange_numbers(in_float32(random_scene(seed)), seed);
        const std::string found = difference(backend(), scene);
        if (found.empty()) continue;
        FAIL() << "seed " << seed << ": " << found << "\n" << write_scene(scene);
    }
}

}  // namespace
}  // namespace maskscope::golden
