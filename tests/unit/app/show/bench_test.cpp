#include "app/show/bench/bench.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/computed.h"
#include "tests/support/random_scene.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

using enum StageKind;

Bench bench_of(const Scene& scene, const Show& show = {}) {
    View view;
    view.show = show;
    return make_bench(computed(scene), view);
}

std::vector<StageKind> kinds(const std::vector<BenchStage>& stages) {
    std::vector<StageKind> kinds;
    for (const BenchStage& stage : stages) kinds.push_back(stage.stage);
    return kinds;
}

using Kinds = std::vector<StageKind>;

TEST(Bench, VariantsForkAtTheFirstStageThatDiffers) {
    const Bench bench = bench_of(sentence(
        {causal("added", Apply::additive), causal("multiplied", Apply::multiply_weights)}));
    ASSERT_EQ(bench.blocks.size(), 1u);
    const BenchBlock& block = bench.blocks[0];
    EXPECT_EQ(kinds(block.shared), Kinds{scaled});
    ASSERT_TRUE(block.mask);
    EXPECT_EQ(block.mask->column, block.shared[0].column);
    ASSERT_EQ(block.variants.size(), 2u);
    const auto operations = [&](int variant, int stage) {
        return block.variants[std::size_t(variant)].stages[std::size_t(stage)].operations;
    };
    using Words = std::vector<std::string>;
    for (const BenchVariant& variant :
         block.variants)  // also where a stage equals the one before it
        EXPECT_EQ(kinds(variant.stages), (Kinds{logits, softmax, weights}));
    EXPECT_EQ(operations(0, 0), Words{"+ M"});
    EXPECT_EQ(operations(0, 1), Words{"softmax"});
    EXPECT_EQ(operations(0, 2), Words{});
    EXPECT_EQ(operations(1, 0), Words{});
    EXPECT_EQ(operations(1, 1), Words{"softmax"});
    EXPECT_EQ(operations(1, 2), Words{"× m"});
    EXPECT_EQ(block.variants[0].stages[1].column, block.variants[1].stages[1].column);
    EXPECT_EQ(block.variants[0].sums.rows.size(), 6u);
    EXPECT_EQ(bench.columns, 4);
}

TEST(Bench, MasksThatDifferStandInTheirVariants) {
    Variant open = causal("open", Apply::additive);
    open.mask.layers.clear();
    const Bench bench = bench_of(sentence({causal("causal", Apply::additive), open}));
    EXPECT_FALSE(bench.blocks[0].mask);
    for (const BenchVariant& variant : bench.blocks[0].variants)
        EXPECT_EQ(variant.stages[0].stage, allowed);
    EXPECT_EQ(kinds(bench.blocks[0].variants[1].stages),
              (Kinds{allowed, logits, softmax, weights}));
}

TEST(Bench, ADifferentDtypeForksBeforeTheScores) {
    Variant half = causal("half", Apply::additive);
    half.dtype = Dtype::bfloat16;
    const Bench bench = bench_of(sentence({causal("float", Apply::additive), half}));
    EXPECT_TRUE(bench.blocks[0].shared.empty());
    EXPECT_EQ(kinds(bench.blocks[0].variants[0].stages), (Kinds{scaled, logits, softmax, weights}));
    EXPECT_EQ(bench.blocks[0].variants[1].sums.rows[0].tolerance, 4e-3);
}

TEST(Bench, AScaleOfOneIsDrawnAgain) {
    Variant unscaled = causal("unscaled", Apply::additive);
    unscaled.scale.kind = ScaleKind::none;
    Show show;
    show.stages = Kinds{scores, scaled, logits, weights};
    EXPECT_EQ(kinds(bench_of(sentence({unscaled}), show).blocks[0].shared),
              (Kinds{scores, scaled}));
}

TEST(Bench, MaskedInsideTheRootSaysSo) {
    Variant inside = causal("inside", Apply::additive);
    inside.mask.order = Order::mask_then_scale;
    const Bench bench = bench_of(sentence({inside}));
    EXPECT_EQ(bench.blocks[0].variants[0].stages[0].operations,
              std::vector<std::string>{"(S + M) × 1/√d"});
}

// The mask can be painted, and the operation that will apply it has its label.
TEST(Bench, AMaskThatBlocksNothingIsDrawn) {
    Variant open = causal("open", Apply::additive);
    open.mask.layers.clear();
    Show show;
    show.stages = Kinds{scores, weights};
    const BenchBlock block = bench_of(sentence({open, open}), show).blocks[0];
    EXPECT_TRUE(block.mask);
    EXPECT_EQ(block.variants[0].stages[0].operations,
              (std::vector<std::string>{"× 1/√d", "+ M", "softmax"}));
}

TEST(Bench, WeightsDoNotComeOutOfAMask) {
    Variant padded = causal("padded", Apply::replace), after = causal("after", Apply::none);
    padded.dtype = Dtype::bfloat16;  // other scores
    padded.mask.layers.push_back(MaskLayer{});
    after.mask.layers[0].kind = LayerKind::window;
    Show show;
    show.stages = Kinds{weights};
    const Bench bench =
        bench_of(sentence({padded, after, causal("m", Apply::multiply_weights)}), show);
    const std::vector<BenchVariant>& variants = bench.blocks[0].variants;
    using Words = std::vector<std::string>;
    EXPECT_EQ(variants[0].stages[1].operations, (Words{"S, M where blocked", "softmax"}));
    EXPECT_EQ(variants[1].stages[1].operations, Words{}) << "no arrow: this mask is not applied";
    EXPECT_EQ(variants[2].stages[1].operations, (Words{"softmax of S", "× m"}));
}

TEST(Bench, VariantsThatDifferInScalePartAtTheScores) {
    Variant root_n = causal("root n", Apply::additive);
    root_n.scale.kind = ScaleKind::sqrt_n_k;
    const Bench bench = bench_of(sentence({causal("root d", Apply::additive), root_n}));
    const BenchBlock& block = bench.blocks[0];
    EXPECT_EQ(block.source, "QKᵀ");
    EXPECT_EQ(block.variants[0].stages[0].operations, std::vector<std::string>{"× 1/√d"});
    EXPECT_EQ(block.variants[1].stages[0].operations, std::vector<std::string>{"× 1/√n"});
    Show show;
    show.stages = Kinds{scores, scaled, weights};
    EXPECT_EQ(
        bench_of(sentence({causal("root d", Apply::additive), root_n}), show).blocks[0].source, "")
        << "they are drawn";
}

TEST(Bench, SequencesAndHeadsAreSmallMultiples) {
    Scene scene = sentence({causal("added", Apply::additive)});
    scene.sequences.push_back(scene.sequences[0]);
    Show show;
    show.sequences = std::vector<Index>{0, 1};
    show.heads = std::vector<Index>{0, 1};
    const Bench bench = bench_of(scene, show);
    ASSERT_EQ(bench.blocks.size(), 4u);
    EXPECT_EQ(bench.blocks[3].title, "sequence 2 · head 2");
}

TEST(Bench, WhatAnEditTookAwayIsNotShown) {
    Show show;
    show.variants = std::vector<int>{0, 5};
    show.heads = std::vector<Index>{9};
    const Bench bench = bench_of(sentence({causal("added", Apply::additive)}), show);
    EXPECT_EQ(bench.blocks[0].variants.size(), 1u);
    EXPECT_EQ(bench.blocks[0].h, 0);
}

// The weight that a sink takes is missing by design; weight that a mask multiplies away afterwards
// is not.
TEST(Bench, WhatTheMaskTookIsNotByDesign) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>{"a", "b", "c"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 4, 4, 8};
    Variant variant;
    variant.name = "v";
    variant.normalizer = Normalizer::softmax_plus_one;
    variant.mask.layers = {MaskLayer{}};  // causal
    variant.mask.apply = Apply::multiply_weights;
    scene.variants = {variant};
    const Bench bench = make_bench(computed(scene), View());
    const RowSums& sums = bench.blocks[0].variants[0].sums;
    EXPECT_FALSE(sums.rows[0].by_design);
    EXPECT_TRUE(sums.rows[2].by_design) << "no key is blocked";
    EXPECT_TRUE(sums.loses_weight);
}

// Rows of a sigmoid need not sum to 1, whether the mask is added or multiplied, so no sum is marked
// as a loss.
TEST(Bench, TheSumsOfSigmoidAreCalmUnderEveryMask) {
    for (const Apply apply : {Apply::additive, Apply::multiply_weights}) {
        Variant variant = causal("v", apply);
        variant.normalizer = Normalizer::sigmoid;
        const Bench bench = make_bench(computed(sentence({variant}, 1)), View());
        const RowSums& sums = bench.blocks[0].variants[0].sums;
        EXPECT_FALSE(sums.loses_weight);
        for (const RowSum& row : sums.rows) EXPECT_TRUE(row.by_cell);
    }
}

// --- what a step hides while it asks

// Expects a stage to be hidden if the view hides it for any of the variants that share it.
TEST(HiddenBench, HidesAStageWithEachOfItsVariants) {
    const std::optional<std::vector<int>> variants[] = {{}, {{0}}, {{1}}, {{0, 1}}};
    const std::optional<std::vector<StageKind>> stages[] = {
        {}, {{weights}}, {{scores, scaled}}, {{allowed, output}}};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const Result result = computed(random_scene(seed));
        View view;
        if (result.scene.show) view.show = *result.scene.show;
        view.show.view.reset();
        if (result.scene.variants.size() > 1) view.show.difference = Difference{0, 1};
        for (const auto& of_variants : variants)
            for (const auto& of_stages : stages) {
                view.cover = Cover{of_variants, of_stages};
                const Bench bench = make_bench(result, view);
                for (const BenchBlock& block : bench.blocks) {
                    for (const BenchStage& stage : block.shared)
                        EXPECT_EQ(stage.hidden, view.hides(stage.stage, std::nullopt));
                    for (const BenchStage& stage : block.earlier) EXPECT_FALSE(stage.hidden);
                    for (const BenchVariant& entry : block.variants)
                        for (const BenchStage& stage : entry.stages)
                            EXPECT_EQ(stage.hidden,
                                      std::ranges::any_of(entry.letters(), [&](int variant) {
                                          return view.hides(stage.stage, variant);
                                      }));
                }
                EXPECT_EQ(bench.signs & ~(sign::blocked | sign::missing), 0);
                EXPECT_FALSE(bench.loses_weight);
            }
    }
}

TEST(HiddenBench, IsTheSameBenchOnceItIsAnswered) {
    const Result result = computed(random_scene(3));
    View view;
    view.cover = Cover{};
    const Bench asked = make_bench(result, view);
    view.cover.reset();
    const Bench open = make_bench(result, view, asked.sources, asked.tokens);
    std::size_t count = 0, hidden = 0;
    each_stage(open, [&](const BenchStage& stage) { EXPECT_FALSE(stage.hidden) << count++; });
    each_stage(asked, [&](const BenchStage& stage) { hidden += stage.hidden ? 1 : 0; });
    EXPECT_GT(hidden, 0U);
    EXPECT_EQ(kinds(asked.blocks[0].shared), kinds(open.blocks[0].shared));
    EXPECT_EQ(asked.columns, open.columns);
}

}  // namespace
}  // namespace maskscope
