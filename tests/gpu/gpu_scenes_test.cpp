// Compares the GPU backend with the golden scenes and random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "core/format/scene_json.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/gpu/covered_settings.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/gpu/strange_numbers.h"
#include "tests/support/random_scene.h"
#include "tests/support/test_name.h"

namespace maskscope::golden {
namespace {

class RandomOnGpu : public Gpu {
protected:
    static std::string difference(const Scene& scene) {
        return first_difference(scene, computed(scene), compute(scene), near_on_gpu);
    }
    // Returns true if the backends agree. Otherwise reports the difference, and for a small scene
    // what is left of it after everything irrelevant has been removed. (For a large one that would
    // take long.)
    static bool expect_agreement(const Scene& scene, const std::string& where) {
        const std::string found = difference(scene);
        if (found.empty()) return true;
        const bool small = shape_of(scene).n_q * shape_of(scene).n_k < 100;
        const auto fails = [](const Scene& smaller) { return !difference(smaller).empty(); };
        ADD_FAILURE() << where << ": " << found << "\n"
                      << (small ? write_scene(shrunk(scene, fails)) : "");
        return false;
    }
};

class GoldenOnGpu : public RandomOnGpu, public testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, GoldenOnGpu, testing::ValuesIn(scene_names()), named_by_file);

TEST_P(GoldenOnGpu, AgreesWithThePlainVersion) {
    EXPECT_EQ(difference(in_float32(read_golden_scene(GetParam()))), "");
}

TEST_F(RandomOnGpu, AgreesWithThePlainVersion) {
    const char* many = std::getenv("MASKSCOPE_RANDOM_SCENES");  // 10,000 with --full
    const int scenes = many != nullptr ? std::atoi(many) : 2000;
    for (const std::uint64_t seed : covered_settings().seeds(scenes))
        if (!expect_agreement(in_float32(random_scene(seed)), "seed " + std::to_string(seed)))
            return;
}

// True if the shaders computed it, false if it was left to the reference implementation.
bool by_shaders(const Result& result) {
    return std::ranges::find(result.times, "on the CPU", &Timing::what) == result.times.end();
}

TEST_F(RandomOnGpu, HasTheSameInfinitiesAndNaN) {
    int indices = 0, of_shaders = 0;
    for (const std::uint64_t seed : covered_strange_settings().seeds(2000)) {
        Scene scene = with_strange_numbers(in_float32(random_scene(seed)), seed);
        if (!expect_agreement(scene, "seed " + std::to_string(seed))) return;
        for (const auto& variants = std::vector(scene.variants);
             const Variant& variant : variants) {
            scene.variants = {variant};
            ++indices;
            of_shaders += by_shaders(compute(scene));
        }
    }
    // Scenes left to the reference implementation agree with it trivially.
    EXPECT_GT(of_shaders, indices / 2) << "of " << indices;
}

// A weight of 3e-45 times infinity is infinite, or NaN if the GPU takes the weight for 0. The
// neighbouring outputs are exact.
TEST_F(RandomOnGpu, SubnormalWeightsOfInfiniteValuesAreInfiniteOrNaN) {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::nullopt}};
    scene.inputs = ScoresInputs{
        make_array({2, 2}, {0, -102, 0, -1}), make_array({2, 2}, {1, 2, infinity, 3}), {}};
    scene.variants = {Variant{}};
    scene.variants[0].scale = {ScaleKind::none, 1};
    const Result plain = computed(scene), made = compute(scene);
    const Matrix expected = plain.variants[0].stage(StageKind::output).head(0, 0),
                 output = made.variants[0].stage(StageKind::output).head(0, 0);
    EXPECT_EQ(expected(0, 0), infinity);
    EXPECT_TRUE(output(0, 0) == infinity || std::isnan(output(0, 0))) << output(0, 0);
    EXPECT_EQ(output(1, 0), infinity);
    EXPECT_EQ(difference(scene), "");
}

// float32 cannot hold the intermediate sums, but it can hold the results.
TEST_F(RandomOnGpu, BiasesAndBlockedValuesMayBeTooLarge) {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::nullopt}};
    scene.inputs = ScoresInputs{make_array({2, 2}, {-1e33, -2e33, -1e33, -2e33}), {}, {}};
    scene.variants = {Variant{}};
    Variant& variant = scene.variants[0];
    variant.mask.value = {ValueKind::lowest, 0};
    MaskLayer& blocked = variant.mask.layers.emplace_back();
    blocked.kind = LayerKind::blocked;
    blocked.rows = {0};
    variant.mask.order = Order::mask_then_scale;
    variant.scale = {ScaleKind::number, 1e-10};
    expect_agreement(scene, "a blocked value that is scaled");
    variant.mask.order = Order::scale_then_mask;
    MaskLayer& bias = variant.mask.layers.emplace_back();
    bias.kind = LayerKind::formula_bias;
    bias.expression = "4e38 * (j == 1)";
    expect_agreement(scene, "a formula's bias");
}

TEST_F(RandomOnGpu, AgreesOverManyTiles) {
    for (const Index n : {33, 70, 150})
        for (const std::uint64_t seed : covered_larger_settings().seeds(5)) {
            const Scene scene = larger_scene(seed, n).value();
            const std::string where = "seed " + std::to_string(seed) + ", tokens ";
            if (!expect_agreement(scene, where + std::to_string(n))) return;
        }
}

Scene many_keys() {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::vector<std::string>(9000, "key")}};
    scene.inputs = EmbeddingInputs{1, 1, 4, 2, 8};
    scene.variants = {Variant{}};
    scene.variants[0].name = "many keys";
    scene.variants[0].mask.layers = {MaskLayer{}};
    scene.variants[0].mask.layers[0].kind = LayerKind::prefix;
    scene.variants[0].mask.layers[0].length = 8500;
    return scene;
}

TEST_F(RandomOnGpu, HasRowsOfManyThousandKeys) { expect_agreement(many_keys(), "9000 keys"); }

// --- every way in which threads exchange numbers, with all stages and with only the last ones

using gpu::Subgroups;

class WaysOnGpu : public Gpu, public testing::WithParamInterface<Subgroups> {
protected:
    void SetUp() override {
        if (gpu::offered_subgroups() < GetParam()) GTEST_SKIP() << "not offered by this driver";
    }
    // buffer_limit: as in GpuOptions
    static GpuBackend& backend(std::size_t buffer_limit = 0) {
        static std::map<std::pair<Subgroups, std::size_t>, std::unique_ptr<GpuBackend>> backends;
        auto& made = backends[{GetParam(), buffer_limit}];
        if (!made) made.reset(new GpuBackend({{}, buffer_limit, GetParam()}));
        return *made;
    }
    // Compares the stages after the softmax, computed without the others, and then all of them,
    // with the reference implementation.
    static std::string difference(const Scene& scene, std::size_t buffer_limit = 0) {
        Request after_logits;
        after_logits.stages.reset();
        for (const StageKind kind : kinds) after_logits.stages.set(static_cast<std::size_t>(kind));
        const Result some = compute(backend(buffer_limit), scene, after_logits);
        const Result plain = computed(scene);
        Result all = compute(backend(buffer_limit), scene);
        const std::string found = first_difference(scene, plain, all, near_on_gpu);
        for (std::size_t variant = 0; variant < all.variants.size(); ++variant) {
            all.variants[variant].rows = some.variants[variant].rows;
            for (const StageKind kind : kinds)
                all.variants[variant].stage(kind) = some.variants[variant].stage(kind);
        }
        return found + first_difference(scene, plain, all, near_on_gpu);
    }

    static constexpr std::array kinds{StageKind::weights, StageKind::sensitivity,
                                      StageKind::output};
};

std::string name_of(const testing::TestParamInfo<Subgroups>& way) {
    const std::array names{"None", "Ballots", "Shuffles"};
    return names[static_cast<std::size_t>(way.param)];
}

INSTANTIATE_TEST_SUITE_P(All, WaysOnGpu,
                         testing::Values(Subgroups::none, Subgroups::ballots, Subgroups::shuffles),
                         name_of);

TEST_P(WaysOnGpu, AgreeWithThePlainVersion) {
    for (const std::string& name : scene_names())
        EXPECT_EQ(difference(in_float32(read_golden_scene(name))), "") << name;
    for (const std::uint64_t seed : covered_settings().seeds(200))
        ASSERT_EQ(difference(in_float32(random_scene(seed))), "") << "seed " << seed;
}

TEST_P(WaysOnGpu, HaveTheSameInfinitiesAndNaN) {
    for (const std::uint64_t seed : covered_strange_settings().seeds(150)) {
        const Scene scene = with_strange_numbers(in_float32(random_scene(seed)), seed);
        ASSERT_EQ(difference(scene), "") << "seed " << seed;
    }
}

// Tests rows of several subgroups, and of several quads for each thread, and tiles of every size.
TEST_P(WaysOnGpu, AgreeOverManyTilesAndInSmallBuffers) {
    for (const auto& [n, seeds] : {std::pair{33, 8}, {150, 2}, {301, 1}})
        for (const std::uint64_t seed : covered_larger_settings().seeds(seeds)) {
            const Scene scene = larger_scene(seed, n).value();
            SCOPED_TRACE("seed " + std::to_string(seed) + ", tokens " + std::to_string(n));
            ASSERT_EQ(difference(scene), "");
            if (n == 33) {
                ASSERT_EQ(difference(scene, 8192), "");
            }
        }
    EXPECT_EQ(difference(many_keys()), "");
}

}  // namespace
}  // namespace maskscope::golden
