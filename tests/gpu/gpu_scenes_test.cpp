// The GPU backend against the golden scenes and random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/scene_json.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/random_scene.h"
#include "tests/gpu/agreement.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/gpu/strange_numbers.h"

namespace maskscope::golden {
namespace {

std::string difference(GpuBackend& backend, const Scene& scene) {
    Progress progress;
    const Result plain = PlainBackend().compute(scene, {}, nullptr, progress);
    return first_difference(backend.compute(scene, {}, nullptr, progress), plain);
}

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

TEST_F(RandomOnGpu, AgreesOverManyTiles) {
    for (const Index n : {33, 70, 150})
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto scene = larger_scene(seed, n);
            if (!scene) continue;
            const std::string found = difference(backend(), *scene);
            EXPECT_EQ(found, "") << "seed " << seed << " with " << n << " tokens";
            if (!found.empty()) return;
        }
}

TEST_F(Gpu, HasRowsOfManyThousandKeys) {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::vector<std::string>(9000, "key")}};
    scene.inputs = EmbeddingInputs{1, 1, 4, 2, 8};
    scene.variants = {Variant{}};
    scene.variants[0].name = "many keys";
    scene.variants[0].mask.layers = {MaskLayer{}};
    scene.variants[0].mask.layers[0].kind = LayerKind::prefix;
    scene.variants[0].mask.layers[0].length = 8500;
    EXPECT_EQ(difference(backend(), scene), "");
}

}  // namespace
}  // namespace maskscope::golden
