// The GPU backend against the golden scenes and random ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/format/scene_json.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/gpu/strange_numbers.h"
#include "tests/support/random_scene.h"
#include "tests/support/test_name.h"

namespace maskscope::golden {
namespace {

// A GPU may make 0 of a subnormal weight, and an infinite value times 0 is NaN: nothing may rest on
// such a weight.
bool has_subnormal_weight(const Result& result) {
    for (const VariantResult& variant : result.variants)
        for (const float weight : variant.stage(StageKind::weights).float32s())
            if (std::fpclassify(weight) == FP_SUBNORMAL) return true;
    return false;
}

class RandomOnGpu : public Gpu {
protected:
    static std::string difference(const Scene& scene) {
        return first_difference(scene, computed(scene), compute(scene), near_on_gpu);
    }
    // Says what is left of the scene once everything was taken out that does not matter; a large
    // one would take long.
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
    const char* few = std::getenv("MASKSCOPE_RANDOM_SCENES");
    const int scenes = few != nullptr ? std::atoi(few) : 10000;
    for (int seed = 0; seed < scenes; ++seed) {
        const Scene scene = in_float32(random_scene(static_cast<std::uint64_t>(seed)));
        if (!expect_agreement(scene, "seed " + std::to_string(seed))) return;
    }
}

// Did the shaders compute it, or was it left to the plain version?
bool by_shaders(const Result& result) {
    return std::ranges::find(result.times, "on the CPU", &Timing::what) == result.times.end();
}

TEST_F(RandomOnGpu, HasTheSameInfinitiesAndNaN) {
    int lanes = 0, of_shaders = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Scene scene = with_strange_numbers(in_float32(random_scene(seed)), seed);
        if (has_subnormal_weight(computed(scene))) continue;
        if (!expect_agreement(scene, "seed " + std::to_string(seed))) return;
        for (const auto& variants = std::vector(scene.variants);
             const Variant& variant : variants) {
            scene.variants = {variant};
            ++lanes;
            of_shaders += by_shaders(compute(scene));
        }
    }
    // What is left to the plain version agrees with it without saying anything.
    EXPECT_GT(of_shaders, lanes / 2) << "of " << lanes;
}

// A sum that float32 cannot hold, on the way to one that it can.
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
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto scene = larger_scene(seed, n);
            const std::string where = "seed " + std::to_string(seed) + ", tokens ";
            if (scene && !expect_agreement(*scene, where + std::to_string(n))) return;
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

// --- weights whose scores are computed twice and never stored

class FusedOnGpu : public Gpu {
protected:
    static GpuBackend& fusing() {
        static GpuBackend made({{}, 0, true});
        return made;
    }
    // Without what is computed from stored logits alone.
    static Scene to_fuse(Scene scene) {
        for (Variant& variant : scene.variants) {
            if (variant.normalizer == Normalizer::sigmoid) variant.normalizer = Normalizer::softmax;
            variant.softcap.reset();
        }
        return in_float32(scene);
    }
    // What is computed so, in place of what is computed from stored logits, beside the plain
    // version.
    std::string difference(const Scene& scene, GpuBackend& backend = fusing()) {
        Request after_logits;
        after_logits.stages.reset();
        for (const StageKind kind : kinds) after_logits.stages.set(static_cast<std::size_t>(kind));
        const Result fused = compute(backend, scene, after_logits);
        fused_ += std::ranges::count(fused.times, "weights", &Timing::what);
        Result all = compute(scene);
        for (std::size_t lane = 0; lane < all.variants.size(); ++lane) {
            all.variants[lane].rows = fused.variants[lane].rows;
            for (const StageKind kind : kinds)
                all.variants[lane].stage(kind) = fused.variants[lane].stage(kind);
        }
        return first_difference(scene, computed(scene), all, near_on_gpu);
    }

    static constexpr std::array kinds{StageKind::weights, StageKind::sensitivity,
                                      StageKind::output};
    Index fused_ = 0;
};

TEST_F(FusedOnGpu, AgreesWithThePlainVersion) {
    for (const std::string& name : scene_names())
        EXPECT_EQ(difference(in_float32(read_golden_scene(name))), "") << name;
    for (std::uint64_t seed = 0; seed < 1000; ++seed)
        ASSERT_EQ(difference(to_fuse(random_scene(seed))), "") << "seed " << seed;
    EXPECT_GT(fused_, 250) << "scenes with such a lane";
}

TEST_F(FusedOnGpu, HasTheSameInfinitiesAndNaN) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const Scene scene = with_strange_numbers(to_fuse(random_scene(seed)), seed);
        if (has_subnormal_weight(computed(scene))) continue;
        ASSERT_EQ(difference(scene), "") << "seed " << seed;
    }
    EXPECT_GT(fused_, 50);
}

TEST_F(FusedOnGpu, AgreesOverManyTilesAndInSmallBuffers) {
    fusing();
    GpuBackend small({{}, 8192, true});
    for (const auto& [n, seeds] : {std::pair{33, 60U}, {150, 10U}})
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
            const auto larger = larger_scene(seed, n);
            if (!larger) continue;
            Scene scene = to_fuse(*larger);
            for (Variant& variant : scene.variants) variant.dtype = Dtype::float32;
            SCOPED_TRACE("seed " + std::to_string(seed) + ", tokens " + std::to_string(n));
            ASSERT_EQ(difference(scene), "");
            if (n == 33) {
                ASSERT_EQ(difference(scene, small), "");
            }
        }
    EXPECT_EQ(difference(many_keys()), "");
    EXPECT_GT(fused_, 10);
}

}  // namespace
}  // namespace maskscope::golden
