// Tests what is on the bench besides the fork: differences, earlier layers, heads, the batch,
// colours.

#include <gtest/gtest.h>

#include <cmath>

#include "app/figure/layout/lay_out.h"
#include "app/figure/plots/lay_out_view.h"
#include "app/figure/style.h"
#include "app/show/bench/bench.h"
#include "core/compute/backend.h"
#include "core/compute/plain.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

using enum StageKind;

Scene two_variants() {
    return sentence(
        {causal("added", Apply::additive), causal("multiplied", Apply::multiply_weights)});
}

Result computed_with_layers(const Scene& scene) {
    Progress progress;
    PlainBackend backend;
    auto layers = layers_before(scene, backend, nullptr, progress);
    Result result = backend.compute(scene, {}, nullptr, progress);
    result.layers_before = std::move(layers);
    return result;
}

View view_of(const Show& show) {
    View view;
    view.show = show;
    return view;
}

double at(const Cells& cells, Index i, Index j) {
    return cells.values[std::size_t(i * cells.columns + j)];
}

// --- the difference variant

TEST(DifferenceVariant, IsOneVariantMinusAnotherWithLimitsOfItsOwn) {
    const Result result = computed_with_layers(two_variants());
    Show show;
    show.difference = Difference{0, 1};
    const Bench bench = make_bench(result, view_of(show));
    ASSERT_EQ(bench.blocks[0].variants.size(), 3u);
    const BenchVariant& variant = bench.blocks[0].variants[2];
    EXPECT_EQ(variant.index, difference_variant);
    EXPECT_TRUE(variant.sums.rows.empty());
    ASSERT_EQ(variant.stages.size(), 1u) << "only one variant has a softmax of its own";
    const BenchStage& stage = variant.stages[0];
    EXPECT_EQ(stage.stage, weights);
    EXPECT_EQ(stage.map, ColourMap::diverging);
    EXPECT_EQ(stage.column, bench.blocks[0].variants[0].stages.back().column);
    EXPECT_EQ(stage.limits.low, -stage.limits.high);
    double largest = 0;
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j < 6; ++j) {
            const double expected = result.variants[0].stage(weights).at(0, 0, i, j) -
                                    result.variants[1].stage(weights).at(0, 0, i, j);
            EXPECT_EQ(at(*stage.cells, i, j), expected);
            EXPECT_EQ(stage.cells->signs[std::size_t(6 * i + j)] & sign::blocked, 0)
                << "a 0 is seen as 0";
            largest = std::max(largest, std::abs(expected));
        }
    EXPECT_GE(stage.limits.high, largest);
    EXPECT_LE(stage.limits.high, 1.5 * largest);  // the widest step of limits that read well
}

TEST(DifferenceVariant, AVariantMinusItsTwinIsZeroEverywhereAndStaysPale) {
    const Result result = computed_with_layers(
        sentence({causal("one", Apply::additive), causal("two", Apply::additive)}));
    Show show;
    show.difference = Difference{1, 0};
    const BenchStage stage = make_bench(result, view_of(show)).blocks[0].variants[2].stages[0];
    for (const double value : stage.cells->values) EXPECT_EQ(value, 0);
    EXPECT_GE(stage.limits.high, 1e-6) << "rounding alone does not count as a difference";
}

TEST(DifferenceVariant, IsNanWhereEitherIs) {
    Scene scene = two_variants();
    MaskLayer row;
    row.kind = LayerKind::blocked;
    row.rows = {2};
    scene.variants[0].mask.layers.push_back(row);
    Show show;
    show.difference = Difference{1, 0};
    const Bench bench = make_bench(computed_with_layers(scene), view_of(show));
    const Cells& cells = *bench.blocks[0].variants[2].stages.back().cells;
    EXPECT_TRUE(std::isnan(at(cells, 2, 0)));
    EXPECT_EQ(cells.signs[12] & sign::nan, sign::nan);
    EXPECT_FALSE(std::isnan(at(cells, 1, 0)));
}

TEST(DifferenceVariant, HasOutputAndSensitivityWhereTheyAreShown) {
    Show show;
    show.difference = Difference{0, 1};
    show.stages = {weights, output, sensitivity};
    const Bench bench = make_bench(computed_with_layers(two_variants()), view_of(show));
    EXPECT_EQ(bench.blocks[0].variants[2].stages.size(), 3u);
    EXPECT_EQ(bench.columns, 4) << "the mask, and the same three columns as the variants";
}

TEST(DifferenceVariant, OfAVariantThatIsGoneIsNotDrawn) {
    Show show;
    show.difference = Difference{0, 4};
    EXPECT_EQ(
        make_bench(computed_with_layers(two_variants()), view_of(show)).blocks[0].variants.size(),
        2u);
}

// --- earlier layers

Scene second_layer(bool cross) {
    Scene scene = sentence({causal("second", Apply::additive)}, 1);
    const SharedValue<LayerBefore> first(
        LayerBefore{EmbeddingInputs{3, 1, 8, 8, 16}, causal("first", Apply::additive)});
    scene.inputs = OutputInputs{first, {}};
    if (!cross) return scene;
    scene.sequences[0].keys = std::vector<std::string>{"Mi", "chiamo", "Luke"};
    scene.inputs = OutputInputs{
        first, SharedValue<LayerBefore>(LayerBefore{EmbeddingInputs{4, 1, 8, 8, 16}, Variant{}})};
    return scene;
}

TEST(LayersBefore, StandBeforeTheScoresWithTheirOwnTokens) {
    const Bench own = make_bench(computed_with_layers(second_layer(false)), {});
    ASSERT_EQ(own.blocks[0].earlier.size(), 1u);
    EXPECT_EQ(own.blocks[0].earlier[0].title, "First layer");
    EXPECT_EQ(own.blocks[0].earlier[0].column, 0);
    EXPECT_EQ(own.blocks[0].shared[0].column, 1);
    EXPECT_FALSE(own.blocks[0].earlier[0].tokens) << "the same as the block's";

    const Bench cross = make_bench(computed_with_layers(second_layer(true)), {});
    ASSERT_EQ(cross.blocks[0].earlier.size(), 2u);
    const BenchStage& keys = cross.blocks[0].earlier[1];
    ASSERT_TRUE(keys.tokens);
    EXPECT_EQ(keys.tokens->queries, (std::vector<std::string>{"Mi", "chiamo", "Luke"}));
    EXPECT_EQ(keys.cells->rows, 3);
    const Figure figure = lay_out(cross, {});
    EXPECT_EQ(figure.heatmaps[0].variant, foreign_variant);
    EXPECT_LT(figure.heatmaps[0].rect.right(), figure.heatmaps[2].rect.x);
}

// Earlier layers are side by side, because a batch needs the height.
TEST(LayersBefore, OfSeveralSequencesStandAbreast) {
    Scene scene = second_layer(true);
    scene.sequences.push_back(scene.sequences[0]);
    Show show;
    show.sequences = {0, 1};
    const Bench bench = make_bench(computed_with_layers(scene), view_of(show));
    for (const BenchBlock& block : bench.blocks) {
        EXPECT_EQ(block.earlier[0].column, 0);
        EXPECT_EQ(block.earlier[1].column, 1);
        EXPECT_EQ(block.shared[0].column, 2);
    }
    const Figure figure = lay_out(bench, {});
    EXPECT_EQ(figure.heatmaps[0].rect.y, figure.heatmaps[1].rect.y);
    EXPECT_LT(figure.heatmaps[0].rect.right(), figure.heatmaps[1].rect.x);
}

TEST(LayersBefore, AreTakenFromTheResultBeforeWhileTokensAndInputsStay) {
    const Scene scene = second_layer(false);
    const Result first = computed_with_layers(scene);
    Scene edited = scene;
    edited.variants[0].mask.layers.clear();
    PlainBackend backend;
    Progress progress;
    EXPECT_EQ(layers_before(edited, backend, &first, progress), first.layers_before);
    edited.sequences[0].queries.edit([](auto& tokens) { tokens[1] = "Your"; });
    EXPECT_NE(layers_before(edited, backend, &first, progress), first.layers_before);
    EXPECT_TRUE(layers_before(two_variants(), backend, &first, progress).empty());
}

// --- heads

Show heads_view() {
    Show show;
    show.view = ViewKind::heads;
    return show;
}

TEST(Heads, AllOfThemInEveryVariant) {
    const Bench bench =
        make_bench(computed_with_layers(
                       sentence({causal("A", Apply::additive), causal("B", Apply::none)}, 12)),
                   view_of(heads_view()));
    ASSERT_EQ(bench.heads.size(), 2u);
    ASSERT_EQ(bench.heads[1].heads.size(), 12u);
    EXPECT_EQ(bench.heads[1].heads[11].title, "head 12");
    EXPECT_EQ(bench.heads[0].heads[3].stage.stage, weights);
    EXPECT_EQ(lay_out(bench, {}).heatmaps.size(), 24u);
}

TEST(Heads, ArePatternsByName) {
    Scene scene = sentence({causal("A", Apply::additive)});
    scene.inputs = PatternsInputs{{{Pattern::previous, 6}, {Pattern::same_token, 6}}, 7, 8};
    const Bench bench = make_bench(computed_with_layers(scene), view_of(heads_view()));
    EXPECT_EQ(bench.heads[0].heads[0].title, "head 1 · previous");
    EXPECT_EQ(bench.heads[0].heads[1].title, "head 2 · same token");
}

TEST(Heads, AlikeInTheirPatternAreNamedByTheirOwnLayers) {
    Variant variant = causal("A", Apply::additive);
    variant.mask.layers[0].heads = {{1}};
    Scene scene = sentence({variant});
    scene.inputs = PatternsInputs{{{Pattern::uniform, 0}, {Pattern::uniform, 0}}, 7, 8};
    EXPECT_EQ(head_title(scene, 0, {0}), "head 1 · uniform");
    EXPECT_EQ(head_title(scene, 1, {0}), "head 2 · causal");
    scene.inputs = PatternsInputs{{{Pattern::previous, 6}, {Pattern::uniform, 0}}, 7, 8};
    EXPECT_EQ(head_title(scene, 1, {0}), "head 2 · uniform · causal");
    scene.variants.emplace_back().name = "B";
    EXPECT_EQ(head_title(scene, 1, {1}), "head 2 · uniform") << "a variant without that layer";
}

TEST(Heads, TwoThatArePickedAreComparedCellByCell) {
    const Result result = computed_with_layers(sentence({causal("A", Apply::additive)}, 4));
    View view = view_of(heads_view());
    view.picked = {2, 1};
    const Bench bench = make_bench(result, view);
    EXPECT_TRUE(bench.heads.empty());
    ASSERT_EQ(bench.blocks.size(), 1u);
    const std::vector<BenchVariant>& variants = bench.blocks[0].variants;
    ASSERT_EQ(variants.size(), 3u);
    EXPECT_EQ(variants[2].name, "head 3 − head 2");
    EXPECT_EQ(at(*variants[2].stages[0].cells, 5, 3),
              result.variants[0].stage(weights).at(0, 2, 5, 3) -
                  result.variants[0].stage(weights).at(0, 1, 5, 3));
    EXPECT_EQ(lay_out(bench, {}).heatmaps[1].h, 1);
}

TEST(Heads, AThousandStandInAReadableGridThatScrolls) {
    Bench bench = make_bench(computed_with_layers(sentence({causal("A", Apply::additive)}, 2)),
                             view_of(heads_view()));
    std::vector<SmallHead>& heads = bench.heads[0].heads;
    while (heads.size() < 1024) heads.push_back(heads[heads.size() % 2]);
    for (const double scale : {1.0, 2.0}) {
        LayoutOptions options;
        options.width = 1000 * scale;
        options.height = 700 * scale;
        options.scale = scale;
        const Figure figure = lay_out(bench, options);
        ASSERT_EQ(figure.heatmaps.size(), 1024u);
        EXPECT_GT(figure.height, options.height);
        for (const Heatmap& map : figure.heatmaps) {
            EXPECT_GE(map.rect.w, 70 * scale);
            EXPECT_LE(map.rect.right(), options.width);
        }
    }
}

// --- the batch

TEST(Batch, IsARowForEverySequenceWithItsLengthAndSums) {
    Scene scene = two_variants();
    scene.sequences.push_back({{"Hello", "world"}, std::nullopt});
    View view;
    EXPECT_TRUE(make_bench(computed_with_layers(scene), view).batch.empty());
    view.batch = true;
    const Bench bench = make_bench(computed_with_layers(scene), view);
    ASSERT_EQ(bench.batch.size(), 2u);
    EXPECT_EQ(bench.batch[0].queries, 6);
    EXPECT_EQ(bench.batch[1].queries, 2) << "without the pad tokens";
    EXPECT_EQ(bench.batch[1].variants[1].sums.rows.size(), 6u);
    const BatchStrip strip = lay_out_batch(bench, {1}, 1);
    ASSERT_EQ(strip.rows.size(), 2u);
    EXPECT_EQ(strip.figure.heatmaps.size(), 4u);
    for (const Heatmap& map : strip.figure.heatmaps) {
        const Rect& row = strip.rows[std::size_t(map.b)];
        EXPECT_GE(map.rect.y, row.y);
        EXPECT_LE(map.rect.bottom(), row.bottom());
        EXPECT_LE(map.rect.right(), strip.figure.width);
    }
    for (const SumBar& bar : strip.figure.sums) EXPECT_TRUE(style::sum_text(bar).text.empty());
}

// --- colours

TEST(Colouring, ChoosesTheMapOfUnsignedStagesAlone) {
    View view;
    view.show.stages = {scaled, weights, sensitivity};
    view.colouring.map = ColourMap::cividis;
    const BenchBlock block = make_bench(computed_with_layers(two_variants()), view).blocks[0];
    EXPECT_EQ(block.shared[0].map, ColourMap::diverging);
    for (const BenchStage& stage : block.variants[0].stages)
        EXPECT_EQ(stage.map, ColourMap::cividis);
}

// Returns causal self-attention over this many tokens.
Bench bench_of_length(Index tokens, std::optional<bool> logarithmic) {
    Scene scene;
    std::vector<std::string> words;
    for (Index k = 0; k < tokens; ++k) words.push_back("token" + std::to_string(k));
    scene.sequences = {{words, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 64, 8, 64};
    scene.variants.resize(1);
    scene.variants[0].name = "A";
    scene.variants[0].mask.layers = {MaskLayer{}};
    scene.variants[0].mask.apply = Apply::multiply_weights;  // softmax and weights differ
    View view;
    view.colouring.logarithmic = logarithmic;
    return make_bench(computed(scene), view);
}

// A uniform weight, 1/n, has a colour that differs visibly from that of 0, for any number n of
// keys.
TEST(Colouring, WeightsOfManyKeysAreLogarithmicByThemselves) {
    for (const Index tokens : {31, 32, 64, 200, 500}) {
        const Bench bench = bench_of_length(tokens, std::nullopt);
        for (const BenchStage& stage : bench.blocks[0].variants[0].stages) {
            if (stage.stage == logits) continue;
            EXPECT_EQ(stage.limits.logarithmic, tokens >= 32) << tokens << " " << stage.title;
            if (tokens < 32) continue;
            const Colour share = fill_of(1 / double(tokens), stage.stage, stage.limits, stage.map);
            const Colour none = fill_of(1e-30, stage.stage, stage.limits, stage.map);
            EXPECT_GT(contrast(share, none), 1.5) << tokens;
        }
    }
    const Bench linear = bench_of_length(64, false);
    for (const BenchStage& stage : linear.blocks[0].variants[0].stages)
        EXPECT_TRUE(stage.stage == logits || stage.limits == (Limits{0, 1}))
            << "linear was asked for";
}

TEST(Colouring, LogarithmicLimitsAreAPowerOfTenAndAreSaidUnderTheColumn) {
    View view;
    view.colouring.logarithmic = true;
    const Bench bench = make_bench(computed_with_layers(two_variants()), view);
    const Limits limits = bench.blocks[0].variants[0].stages.back().limits;
    EXPECT_TRUE(limits.logarithmic);
    EXPECT_EQ(limits.high, 1);
    const double power = std::log10(limits.low);
    EXPECT_NEAR(power, std::round(power), 1e-9);  // after two roundings
    EXPECT_GE(limits.low, 1e-8 * (1 - 1e-9));
    EXPECT_FALSE(bench.blocks[0].shared[0].limits.logarithmic) << "signed stages have 0 inside";
    const Figure figure = lay_out(bench, {});
    EXPECT_TRUE(std::any_of(figure.texts.begin(), figure.texts.end(), [](const Text& text) {
        return text.text.starts_with("log 0.") || text.text.starts_with("log 1e-");
    }));
}

TEST(Colouring, EqualRatiosAreEqualStepsAndWhatLiesBelowTakesTheEndColour) {
    const Limits limits{1e-4, 1, true};
    const auto fill = [&](double x) { return fill_of(x, weights, limits, ColourMap::viridis); };
    EXPECT_EQ(fill(1), map_colour(ColourMap::viridis, 1));
    EXPECT_EQ(fill(0.01), map_colour(ColourMap::viridis, 0.5));
    EXPECT_EQ(fill(0), map_colour(ColourMap::viridis, 0));
    EXPECT_EQ(fill(1e-30), map_colour(ColourMap::viridis, 0));
    EXPECT_EQ(fill(-1), map_colour(ColourMap::viridis, 0)) << "a weight is never below 0; safe";
}

}  // namespace
}  // namespace maskscope
