#include "core/scene/mask_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/scene/names.h"

namespace maskscope {
namespace {

TEST(MaskRules, StandInTheOrderOfTheirKinds) {
    for (std::size_t k = 0; k < layer_rules().size(); ++k) {
        const LayerRule& rule = layer_rules()[k];
        EXPECT_EQ(rule.kind, static_cast<LayerKind>(k));
        EXPECT_EQ(rule.name, name(rule.kind));
        EXPECT_FALSE(rule.label.empty());
        EXPECT_EQ(&rule_of(rule.kind), &rule);
    }
}

TEST(MaskRules, EachKindHasALabelOfItsOwn) {
    for (const LayerRule& rule : layer_rules())
        EXPECT_EQ(std::ranges::count(layer_rules(), rule.label, &LayerRule::label), 1)
            << rule.label;
}

// Tests what opens_diagonal of the GPU relies on, by computing what each rule allows.
TEST(MaskRules, AllowTheDiagonalWhereTheySaySo) {
    Scene scene;
    scene.sequences = {{{"a", "<pad>", "c", "d"}, std::nullopt}};
    for (const LayerRule& rule : layer_rules()) {
        if (rule.is_bias() || rule.opens) continue;
        MaskLayer layer = new_layer(rule.kind, {1, 1, 4, 4});
        layer.rows = {1};
        std::array<bool, 16> cells;
        cells.fill(true);
        rule.act(scene, layer, {{.n_q = 4, .n_k = 4}, cells.data()});
        const bool diagonal = cells[0] && cells[5] && cells[10] && cells[15];
        const bool is_free =  // depends on its layers, its formula or its tensor
            rule.is_group || !layer.expression.empty() || layer.tensor;
        EXPECT_TRUE(is_free || diagonal == rule.allows_diagonal) << rule.name;
        EXPECT_FALSE(is_free && rule.allows_diagonal) << rule.name;
    }
}

TEST(MaskRules, ALayerHoldsForItsHeads) {
    MaskLayer layer;
    EXPECT_TRUE(holds_for(layer, 3));
    layer.heads = {0, 2};
    EXPECT_TRUE(holds_for(layer, 2));
    EXPECT_FALSE(holds_for(layer, 1));
}

TEST(MaskRules, AMaskActsBeforeTheSoftmaxOrAfterItOrNotAtAll) {
    for (std::size_t k = 0; k < names<Apply>().size(); ++k) {
        const auto apply = static_cast<Apply>(k);
        const int families = masks_logits(apply) + masks_weights(apply) + (apply == Apply::none);
        EXPECT_EQ(families, 1) << name(apply);
        EXPECT_TRUE(masks_logits(apply) || !(uses_value(apply) || cuts_gradient(apply)));
        EXPECT_FALSE(zeroes_empty_rows(apply, EmptyRows::nan));
        EXPECT_EQ(zeroes_empty_rows(apply, EmptyRows::zero), apply != Apply::none);
    }
}

}  // namespace
}  // namespace maskscope
