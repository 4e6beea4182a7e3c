// Compares each row of decoding with a scene that has only that query, its keys, and its position.

#include "core/compute/decode.h"

#include <gtest/gtest.h>

#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "core/scene/mask_rules.h"
#include "tests/support/computed.h"
#include "tests/support/random_scene.h"

namespace maskscope {
namespace {

bool lists_tokens(const std::vector<MaskLayer>& layers) {
    return std::ranges::any_of(layers, [](const MaskLayer& layer) {
        const LayerRule& rule = rule_of(layer.kind);
        return rule.lists_cells || rule.needs_key || layer.kind == LayerKind::global ||
               layer.kind == LayerKind::bias || layer.tensor || lists_tokens(layer.layers);
    });
}

TEST(Decode, IsTheLastTokenAloneAgainstItsCache) {
    int scenes = 0;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        Scene scene = random_scene(seed);
        if (!has_decode(scene) || !std::holds_alternative<EmbeddingInputs>(scene.inputs) ||
            scene.sequences.size() > 1 || lists_tokens(scene.variants[0].mask.layers))
            continue;
        SCOPED_TRACE("seed " + std::to_string(seed));
        ++scenes;
        scene.variants.resize(1);
        Progress progress;
        const Stage decode = decode_of(scene, make_inputs(scene, progress), 0, progress);
        const std::vector<std::string> tokens = scene.sequences[0].queries;
        for (Index t = 0; t < std::ssize(tokens); ++t) {
            Scene alone = scene;
            alone.sequences[0] = {
                {tokens[t]}, std::vector(tokens.begin(), tokens.begin() + t + 1), t};
            const VariantResult row = computed(alone).variants[0];
            for (Index h = 0; h < decode.h(); ++h)
                for (Index j = 0; j < decode.columns(); ++j) {
                    const double expected =
                        j <= t ? row.stage(StageKind::weights).at(0, h, 0, j) : 0;
                    const double actual = decode.at(0, h, t, j);
                    EXPECT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
                        << t << ", " << j << ": " << actual << ", expected " << expected;
                }
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(scenes, 50);
}

TEST(Decode, IsThereForSelfAttentionOverInputsWithScores) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Scene scene = random_scene(seed);
        const bool given = std::holds_alternative<WeightsInputs>(scene.inputs) ||
                           std::holds_alternative<OutputInputs>(scene.inputs);
        EXPECT_EQ(has_decode(scene), is_self_attention(scene) && !given);
    }
}

}  // namespace
}  // namespace maskscope
