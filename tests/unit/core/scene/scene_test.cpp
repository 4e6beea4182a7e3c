// Tests what follows from a scene: shapes, padded tokens, widths, defaults.

#include "core/scene/scene.h"

#include <gtest/gtest.h>

#include <limits>

namespace maskscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Scene two_sequences() {
    Scene scene;
    scene.pad_token = "_";
    scene.sequences = {{{"a", "b", "c"}, {{"x"}}}, {{"d"}, {{"y", "z"}}}};
    scene.inputs = EmbeddingInputs{7, 2, 4, 3, 64};
    scene.variants = {Variant{}};
    return scene;
}

using HeadsAndWidth = std::pair<Index, Index>;

LayerBefore layer(Inputs inputs, OutputKind kind, std::optional<Array> w = {}) {
    LayerBefore before{std::move(inputs), {}};
    before.variant.output = {kind, std::move(w)};
    return before;
}

TEST(Scene, ShapeIsThatOfTheLongestSequences) {
    Scene scene = two_sequences();
    EXPECT_EQ(shape_of(scene), (Shape{2, 2, 3, 2}));
    EXPECT_FALSE(is_self_attention(scene));
    for (Sequence& sequence : scene.sequences) sequence.keys.reset();
    EXPECT_EQ(shape_of(scene), (Shape{2, 2, 3, 3}));
    EXPECT_TRUE(is_self_attention(scene));
}

TEST(Scene, TokensArePaddedAtTheEnd) {
    Scene scene = two_sequences();
    using Tokens = std::vector<std::string>;
    EXPECT_EQ(query_tokens(scene, 1), (Tokens{"d", "_", "_"}));
    EXPECT_EQ(key_tokens(scene, 0), (Tokens{"x", "_"}));
    EXPECT_EQ(key_tokens(scene, 1), (Tokens{"y", "z"}));
    for (Sequence& sequence : scene.sequences) sequence.keys.reset();
    EXPECT_EQ(key_tokens(scene, 1), query_tokens(scene, 1));
}

TEST(Scene, WidthsOfInputs) {
    const EmbeddingInputs embedding{7, 2, 4, 3, 64};
    EXPECT_EQ(d_q_of(embedding), 4);
    EXPECT_EQ(d_k_of(embedding), 4);
    EXPECT_EQ(d_v_of(embedding), 3);
    const PatternsInputs patterns{{{}, {}}, 9, 5};
    EXPECT_EQ(heads_of(patterns), 2);
    EXPECT_EQ(d_k_of(patterns), std::nullopt);
    EXPECT_EQ(d_v_of(patterns), 5);
    EXPECT_EQ(seed_of(patterns), 9U);
    const TensorsInputs tensors{make_array({3, 2}, {1, 2, 3, 4, 5, 6}),
                                make_array({1, 1, 2, 1}, {1, 2}), std::nullopt};
    EXPECT_EQ(heads_of(tensors), 1);
    EXPECT_EQ(d_q_of(tensors), 2);
    EXPECT_EQ(d_k_of(tensors), 1);
    EXPECT_EQ(d_v_of(tensors), std::nullopt);
    EXPECT_EQ(seed_of(tensors), 0U);
    const ScoresInputs scores{make_array({2, 1, 1}, {1, 2}),
                              make_array({2, 1, 3}, {1, 2, 3, 4, 5, 6}), std::nullopt};
    EXPECT_EQ(heads_of(scores), 2);
    EXPECT_EQ(d_k_of(scores), std::nullopt);
    EXPECT_EQ(d_v_of(scores), 3);
    EXPECT_EQ(d_q_of(scores), std::nullopt);
}

TEST(Scene, WidthsOfALayerAreThoseOfTheOutputBefore) {
    const EmbeddingInputs two_heads{7, 2, 4, 3, 64};
    const auto widths = [](const LayerBefore& before) {
        const OutputInputs inputs{before, {}};
        EXPECT_EQ(d_q_of(inputs), d_k_of(inputs));
        EXPECT_EQ(d_k_of(inputs), d_v_of(inputs));
        return HeadsAndWidth{heads_of(inputs), *d_v_of(inputs)};
    };
    EXPECT_EQ(widths(layer(two_heads, OutputKind::values)), (HeadsAndWidth{2, 3}));
    EXPECT_EQ(widths(layer(two_heads, OutputKind::projected)), (HeadsAndWidth{1, 6}));
    EXPECT_EQ(widths(layer(two_heads, OutputKind::alternative)), (HeadsAndWidth{2, 3}));
    const Array projection = make_array({6, 2}, std::vector<double>(12));
    EXPECT_EQ(widths(layer(two_heads, OutputKind::projected, projection)), (HeadsAndWidth{1, 2}));
    const Array fourth = make_array({5, 3}, std::vector<double>(15));
    EXPECT_EQ(widths(layer(two_heads, OutputKind::alternative, fourth)), (HeadsAndWidth{2, 5}));
}

TEST(Scene, QueriesAndKeysOfADecoderHaveWidthsOfTheirOwn) {
    const OutputInputs inputs{layer(EmbeddingInputs{7, 2, 4, 3, 64}, OutputKind::values),
                              layer(EmbeddingInputs{7, 2, 4, 5, 64}, OutputKind::values)};
    EXPECT_EQ(d_q_of(inputs), 3);
    EXPECT_EQ(d_k_of(inputs), 5);
    EXPECT_EQ(d_v_of(inputs), 5);
}

TEST(Scene, StagesThatInputsHave) {
    const WeightsInputs weights{make_array({1, 1}, {1}), std::nullopt};
    for (const StageKind stage : {StageKind::scores, StageKind::scaled, StageKind::logits,
                                  StageKind::sensitivity, StageKind::output})
        EXPECT_FALSE(has_stage(weights, stage));
    for (const StageKind stage : {StageKind::allowed, StageKind::softmax, StageKind::weights})
        EXPECT_TRUE(has_stage(weights, stage));
    EXPECT_TRUE(has_stage(EmbeddingInputs{}, StageKind::sensitivity));
    EXPECT_TRUE(has_stage(EmbeddingInputs{}, StageKind::output));
    EXPECT_FALSE(has_score(weights));
    EXPECT_FALSE(has_score(PatternsInputs{}));
    EXPECT_TRUE(has_score(EmbeddingInputs{}));
}

TEST(Scene, ArraysAreEqualByTheirNumbersNanIncluded) {
    const Array array = make_array({1, 2}, {1, nan});
    EXPECT_EQ(array, make_array({1, 2}, {1, nan}));
    EXPECT_EQ(array, Array(array));
    EXPECT_NE(array, make_array({2, 1}, {1, nan}));
    EXPECT_NE(array, make_array({1, 2}, {nan, 1}));
    Array named = array;
    named.file = "q.npy";
    EXPECT_NE(array, named);
}

TEST(Scene, LettersAndBiases) {
    EXPECT_EQ(variant_letter(0), 'A');
    EXPECT_EQ(variant_letter(25), 'Z');
    MaskLayer layer;
    EXPECT_FALSE(is_bias(layer));
    layer.kind = LayerKind::alibi;
    EXPECT_TRUE(is_bias(layer));
}

}  // namespace
}  // namespace maskscope
