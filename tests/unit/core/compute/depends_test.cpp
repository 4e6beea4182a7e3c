#include "core/compute/depends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/matrix.h"
#include "tests/support/computed.h"
#include "tests/support/layer.h"

namespace maskscope {
namespace {

Variant masked(std::vector<MaskLayer> layers, Apply apply = Apply::additive) {
    Variant variant;
    variant.mask.layers = std::move(layers);
    variant.mask.apply = apply;
    return variant;
}
const Variant causal = masked({layer_of(LayerKind::causal)});
const Variant open_to_all = masked({});

// Makes embedded tokens; each seed has other widths and other numbers of heads and tokens.
Scene embedded(std::uint64_t seed, std::vector<Variant> variants) {
    Scene scene;
    const std::vector<std::string> words = {"a", "b", "c", "⁂", "e", "a", "g"};
    scene.sequences = {{std::vector(words.begin(), words.begin() + 3 + Index(seed % 5)), {}}};
    scene.inputs = EmbeddingInputs{seed, 1 + Index(seed % 3), 1 + Index(seed % 8), 2, 16};
    scene.variants = std::move(variants);
    for (Variant& variant : scene.variants)
        variant.dtype = seed % 2 == 0 ? Dtype::float64 : Dtype::float32;
    return scene;
}

// Returns the scene with the output of `first` as the inputs of its variants.
Scene over(const Variant& first, Scene scene) {
    Variant alike = first;
    alike.dtype = scene.variants.front().dtype;
    scene.inputs = OutputInputs{SharedValue<LayerBefore>(LayerBefore{scene.inputs, alike}), {}};
    return scene;
}

// Returns the scene with another token in place of token j.
Scene with_replaced(Scene scene, Index j) {
    scene.sequences[0].queries.edit(
        [&](auto& tokens) { tokens[j] = tokens[j] == "⁂" ? "⁂⁂" : "⁂"; });
    return scene;
}

std::vector<Stage> depends(const Scene& scene) {
    Progress progress;
    return depends_of(scene, progress);
}

// Extremes of the numbers above the diagonal, and of the rest.
struct Halves {
    double largest_above = 0, least_above = INFINITY, least_below = INFINITY;
};
Halves halves_of(const Stage& stage) {
    Halves halves;
    for (Index i = 0; i < stage.rows(); ++i)
        for (Index j = 0; j < stage.columns(); ++j) {
            const double x = stage.at(0, 0, i, j);
            double& least = j > i ? halves.least_above : halves.least_below;
            least = std::min(least, x);
            if (j > i) halves.largest_above = std::max(halves.largest_above, x);
        }
    return halves;
}

constexpr std::uint64_t seeds = 30;

// A token that is blocked before the softmax cannot reach the output: not a bit changes.
TEST(Depends, OfACausalLayerIsATriangle) {
    Variant replaces = masked({layer_of(LayerKind::causal)}, Apply::replace);
    replaces.mask.value.kind = ValueKind::lowest;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Scene scene = embedded(seed, {causal, replaces});
        for (const Scene& layers : {scene, over(causal, scene)})
            for (const Stage& stage : depends(layers)) {
                EXPECT_EQ(halves_of(stage).largest_above, 0) << seed;
                EXPECT_GT(halves_of(stage).least_below, 0) << seed;
            }
    }
}

TEST(Depends, IsFullWhereOneLayerLacksTheMask) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Scene first = embedded(seed, {open_to_all}), second = embedded(seed, {causal});
        for (const Scene& scene : {first, over(causal, first), over(open_to_all, second)}) {
            const Halves halves = halves_of(depends(scene).front());
            EXPECT_GT(halves.least_above, 0) << seed;
            EXPECT_GT(halves.least_below, 0) << seed;
        }
    }
}

// If the mask is multiplied after the softmax, the future still counts in the sum of the softmax.
TEST(Depends, SeesTheFutureThroughTheSum) {
    const Variant multiplied = masked({layer_of(LayerKind::causal)}, Apply::multiply_weights);
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
        EXPECT_GT(halves_of(depends(embedded(seed, {multiplied})).front()).least_above, 0) << seed;
}

TEST(Depends, IsTheChangeOfTheOutputWhenATokenIsReplaced) {
    Variant projected = open_to_all, alternative = causal;
    projected.output.kind = OutputKind::projected;
    alternative.output.kind = OutputKind::alternative;
    for (std::uint64_t seed = 0; seed < seeds; seed += 2) {  // float64: stored as computed
        const Scene scene = embedded(seed, {causal, projected, alternative});
        const std::vector<Stage> stages = depends(scene);
        const Result before = computed(scene);
        for (Index j = 0; j < shape_of(scene).n_k; ++j) {
            const Result after = computed(with_replaced(scene, j));
            for (std::size_t variant = 0; variant < stages.size(); ++variant) {
                const Stage& x = before.variants[variant].stage(StageKind::output);
                const Stage& y = after.variants[variant].stage(StageKind::output);
                for (Index i = 0; i < x.rows(); ++i) {
                    double change = 0;
                    for (Index h = 0; h < x.h(); ++h)
                        change = std::max(
                            change,
                            (x.head(0, h).row(i) - y.head(0, h).row(i)).array().abs().maxCoeff());
                    EXPECT_EQ(stages[variant].at(0, 0, i, j), change) << seed;
                }
            }
        }
    }
}

TEST(Depends, InCrossAttentionReplacesTheKeysAlone) {
    MaskLayer hidden = layer_of(LayerKind::blocked);
    hidden.columns = {1};
    Scene scene = embedded(2, {masked({hidden})});
    scene.sequences = {{{"a", "b"}, {{"a", "b", "c", "d"}}}, {{"c"}, {{"c"}}}};
    const EmbeddingInputs embedding = std::get<EmbeddingInputs>(scene.inputs);
    const SharedValue<LayerBefore> before(LayerBefore{embedding, causal});
    for (const Inputs& inputs : {Inputs(embedding), Inputs(OutputInputs{before, before})}) {
        scene.inputs = inputs;
        const Stage stage = depends(scene).front();
        ASSERT_EQ(stage.b(), 2);
        ASSERT_EQ(stage.h(), 1);
        ASSERT_EQ(stage.rows(), 2);
        ASSERT_EQ(stage.columns(), 4);
        const bool second = inputs.index() != 0;  // in the layer before, 2 and 3 attend to 1
        for (Index i = 0; i < 2; ++i)
            for (Index j = 0; j < 4; ++j)
                EXPECT_EQ(stage.at(0, 0, i, j) > 0, j != 1 || second) << i << ", " << j;
    }
}

// A pad token that is replaced by a word is still blocked by the mask, because influence shows
// whether the pad token is attended to.
TEST(Depends, KeepsTheMaskOfThePads) {
    Scene scene = embedded(2, {masked({layer_of(LayerKind::padding)}), open_to_all});
    scene.sequences = {{{"a", "b", "c"}, {}}, {{"a"}, {}}};
    for (const Scene& layers : {scene, over(scene.variants.front(), scene)}) {
        const std::vector<Stage> stages = depends(layers);
        EXPECT_EQ(stages[0].at(1, 0, 0, 2), 0);
        EXPECT_GT(stages[1].at(0, 0, 0, 2), 0);
        EXPECT_GT(stages[0].at(1, 0, 0, 0), 0);
    }
    EXPECT_GT(depends(scene)[1].at(1, 0, 0, 2), 0);
}

TEST(Depends, AnOutputThatStaysNanDoesNotChange) {
    MaskLayer hidden = layer_of(LayerKind::blocked);
    hidden.rows = {1};
    const Scene scene = embedded(4, {masked({hidden})});
    ASSERT_TRUE(std::isnan(computed(scene).variants[0].stage(StageKind::output).at(0, 0, 1, 0)));
    const Stage stage = depends(scene).front();
    for (Index j = 0; j < stage.columns(); ++j) {
        EXPECT_EQ(stage.at(0, 0, 1, j), 0);
        EXPECT_GT(stage.at(0, 0, 0, j), 0);
    }
}

// Tests scales with which a difference of two scores overflows in float16 for only one of the
// tokens.
TEST(Depends, OfAnOutputThatBecomesNanIsNan) {
    Scene scene = embedded(2, {open_to_all});
    scene.variants[0].dtype = Dtype::float16;
    scene.variants[0].scale = {ScaleKind::number, 0};
    std::size_t found = 0;
    for (double scale = 1e3; scale < 1e6; scale *= 1.1) {
        scene.variants[0].scale.number = scale;
        const Stage output = computed(scene).variants[0].stage(StageKind::output);
        const Stage stage = depends(scene).front();
        for (Index i = 0; i < stage.rows(); ++i)
            for (Index j = 0; j < stage.columns(); ++j) {
                if (!std::isnan(stage.at(0, 0, i, j))) continue;
                ++found;
                const Result after = computed(with_replaced(scene, j));
                const Stage& changed = after.variants[0].stage(StageKind::output);
                bool differ = false;
                for (Index h = 0; h < output.h(); ++h)
                    for (Index c = 0; c < output.columns(); ++c)
                        differ |=
                            std::isnan(output.at(0, h, i, c)) != std::isnan(changed.at(0, h, i, c));
                EXPECT_TRUE(differ) << scale << ", " << i << ", " << j;
            }
    }
    EXPECT_GT(found, 0U);
}

TEST(Depends, IsOfEmbeddedTokensAndNotOfTooMany) {
    Scene scene = embedded(1, {causal});
    EXPECT_TRUE(has_stage(scene, StageKind::depends));
    EXPECT_TRUE(has_stage(over(causal, scene), StageKind::depends));
    scene.sequences[0].queries = std::vector<std::string>(most_depends_tokens, "a");
    EXPECT_TRUE(has_stage(scene, StageKind::depends));
    scene.sequences[0].queries.edit([](auto& tokens) { tokens.emplace_back("a"); });
    EXPECT_FALSE(has_stage(scene, StageKind::depends));
    scene = embedded(1, {causal});
    scene.inputs = PatternsInputs{{PatternHead{}}, 0, 1};
    EXPECT_FALSE(has_stage(scene, StageKind::depends));
    EXPECT_FALSE(has_stage(over(causal, scene), StageKind::depends));
}

TEST(Depends, IsAddedToAResultAndStopsWhenCancelled) {
    Result result = computed(embedded(3, {causal, open_to_all}));
    EXPECT_FALSE(result.variants[1].stage(StageKind::depends).exists());
    Progress progress;
    add_depends(result, progress);
    EXPECT_GT(halves_of(result.variants[1].stage(StageKind::depends)).least_above, 0);
    progress.cancel = true;
    EXPECT_THROW(add_depends(result, progress), Cancellation);
}

}  // namespace
}  // namespace maskscope
