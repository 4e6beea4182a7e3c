#include "app/show/arithmetic/arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/number_text.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

using Lines = std::vector<ArithmeticLine>;

Variant variant(const std::string& name, Apply apply, std::vector<MaskLayer> layers) {
    Variant v;
    v.name = name;
    v.mask.apply = apply;
    v.mask.layers = std::move(layers);
    return v;
}

MaskLayer causal() { return {}; }

// Returns a scene in which every query is the first unit vector, so that q · k is the key's first
// number.
Scene scene_of(const std::vector<std::string>& tokens, const std::vector<double>& scores,
               Index d_k) {
    const auto n = static_cast<Index>(tokens.size());
    std::vector<double> queries(static_cast<std::size_t>(n * d_k)), keys(queries.size());
    for (Index i = 0; i < n; ++i) {
        queries[i * d_k] = 1;
        keys[i * d_k] = scores[i];
    }
    Scene scene;
    scene.sequences = {{tokens, std::nullopt}};
    scene.inputs =
        TensorsInputs{make_array({n, d_k}, queries), make_array({n, d_k}, keys), std::nullopt};
    return scene;
}

// Returns a sketch of the bench: the row of "name", which attends to "My".
Scene sketch() {
    Scene scene = scene_of({"<sos>", "My", "name", "is", "Luke", "<eos>"},
                           {0.5374, 3.3074, -2.1248, 2.0082, 3.1678, 4.6077}, 8);
    scene.variants = {variant("added", Apply::additive, {causal()}),
                      variant("multiplied", Apply::multiply_weights, {causal()})};
    return scene;
}

// Returns a scene of one query and one variant, with these given scores of the keys k0, k1, …
Scene given(const std::vector<double>& scores, Variant v) {
    const auto n = static_cast<Index>(scores.size());
    Scene scene;
    std::vector<std::string> keys;
    for (Index j = 0; j < n; ++j) keys.push_back("k" + std::to_string(j));
    scene.sequences = {{{"q"}, keys}};
    scene.inputs = ScoresInputs{make_array({1, n}, scores), std::nullopt, std::nullopt};
    v.scale.kind = ScaleKind::none;
    scene.variants = {std::move(v)};
    return scene;
}

MaskLayer blocked(std::vector<Index> columns) {
    MaskLayer layer;
    layer.kind = LayerKind::blocked;
    layer.columns = std::move(columns);
    return layer;
}

Lines only_variant(const Scene& scene, Index j) {
    return make_arithmetic(computed(scene), {0}, 0, 0, {0, j}).variants.at(0).lines;
}

std::vector<std::string> written(const Lines& lines) {
    std::vector<std::string> texts;
    for (const ArithmeticLine& line : lines) texts.push_back(line.operation + " | " + line.result);
    return texts;
}

using Texts = std::vector<std::string>;

// The first step of the first lesson multiplies one pair of numbers; W is only explained later.
TEST(Arithmetic, NamesTheOnlyPairThatAMatrixTakes) {
    Scene scene = scene_of({"a", "b"}, {2, 3}, 2);
    scene.variants = {variant("first", Apply::additive, {})};
    const auto words = [&](const std::vector<double>& matrix) {
        scene.variants[0].score.kind = ScoreKind::bilinear;
        scene.variants[0].score.matrix = make_array({2, 2}, matrix);
        const Arithmetic made = make_arithmetic(computed(scene), {0}, 0, 0, {1, 0});
        return (made.shared.empty() ? made.variants[0].lines : made.shared).front().operation;
    };
    EXPECT_EQ(words({1, 0, 0, 0}), "q₁ k₁");
    EXPECT_EQ(words({0, 0, 0, 1}), "q₂ k₂");
    for (const std::vector<double>& other :
         {std::vector<double>{1, 0, 0, 1}, {0, 1, 0, 0}, {2, 0, 0, 0}, {0, 0, 0, 0}})
        EXPECT_EQ(words(other), "qᵀ W k");
}

TEST(Arithmetic, TellTheSketchAsTheDesignWritesIt) {
    const Arithmetic arithmetic = make_arithmetic(computed(sketch()), {0, 1}, 0, 0, {2, 1});
    EXPECT_EQ(arithmetic.query, "name");
    EXPECT_EQ(arithmetic.key, "My");
    EXPECT_EQ(written(arithmetic.shared), (Texts{"q · k | 3.307", "× 1/√8 | 1.169"}));
    EXPECT_EQ(written(arithmetic.variants.at(0).lines),
              (Texts{"1.169 + 0 | 1.169", "e^1.169 | 3.220", "Σ over 3 allowed | 4.901",
                     "3.220 / 4.901 | 0.657"}));
    EXPECT_EQ(written(arithmetic.variants.at(1).lines),
              (Texts{"e^1.169 | 3.220", "Σ over all 6 | 15.099", "3.220 / 15.099 | 0.213",
                     "× 1 | 0.213"}));
    EXPECT_TRUE(arithmetic.variants.at(0).lines.back().strong);
    EXPECT_FALSE(arithmetic.variants.at(0).lines.front().strong);
}

std::string chain(const Scene& scene, Index j) {
    return chain_text(make_arithmetic(computed(scene), {0}, 0, 0, {0, j}).variants.at(0));
}

TEST(Arithmetic, TheChainShowsEveryOperator) {
    const Arithmetic arithmetic = make_arithmetic(computed(sketch()), {0, 1}, 0, 0, {2, 1});
    EXPECT_EQ(chain_text(arithmetic.variants.at(0)), "3.220 / 4.901 = 0.657");
    EXPECT_EQ(chain_text(arithmetic.variants.at(1)), "3.220 / 15.099 × 1 = 0.213");
    EXPECT_EQ(chain_text({}), "");
    const Variant renormalized = variant("r", Apply::multiply_weights_renormalized, {blocked({2})});
    EXPECT_EQ(chain(given({0, 0, 0}, renormalized), 0),
              "1.000 / 3.000 × 1 = 0.333, 0.333 / 0.667 = 0.500");
    EXPECT_EQ(chain(given({0, 0, 0}, renormalized), 2), "1.000 / 3.000 × 0 = 0, 0 / 0.667 = 0");
}

TEST(Arithmetic, TheChainSaysWhatIsNoOperator) {
    Variant tiny = variant("t", Apply::additive, {});
    EXPECT_EQ(chain(given({0, -105}, tiny), 1), "2.5e-46 / 1.000 = 2.5e-46, in float32: 0");
    Variant empty = variant("e", Apply::additive, {blocked({0, 1})});
    empty.empty_rows = EmptyRows::zero;
    EXPECT_TRUE(chain(given({0, 0}, empty), 1).ends_with("empty row, skipped: 0"));
}

// Three decimals are not visible beside −1e9, so no line may say that −1e9 − (−1e9) is −1.185.
TEST(Arithmetic, SaysWhatCannotBeSeen) {
    Variant v = variant("v", Apply::additive, {blocked({0, 1})});
    v.mask.value = {ValueKind::number, -1e9};
    v.dtype = Dtype::float64;
    const Texts texts = written(only_variant(given({0.5, 1.685}, v), 0));
    EXPECT_NE(std::ranges::find(texts, "−1e9 − the row’s largest | −1.185"), texts.end());
    for (const std::string& text : texts) EXPECT_EQ(text.find("−1e9 − (−1e9)"), std::string::npos);
}

TEST(Arithmetic, ShowTheRowWithBlockedKeysNamed) {
    const Arithmetic arithmetic = make_arithmetic(computed(sketch()), {0, 1}, 0, 0, {2, 1});
    ASSERT_EQ(arithmetic.bars.keys.size(), 6u);
    for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_EQ(arithmetic.bars.keys[j].is_blocked(), j > 2) << j;
        EXPECT_EQ(arithmetic.bars.keys[j].focused, j == 1) << j;
    }
    ASSERT_EQ(arithmetic.figures.size(), 3u);
    EXPECT_EQ(arithmetic.figures[0].name, "sum");
    EXPECT_EQ(arithmetic.figures[0].numbers[0].text, "1") << "as the bar beside it";
    EXPECT_EQ(arithmetic.figures[0].numbers[0].role, Role::ink);
    EXPECT_EQ(arithmetic.figures[0].numbers[1].text, "0.325");
    EXPECT_EQ(arithmetic.figures[0].numbers[1].role, Role::odd);
    EXPECT_EQ(arithmetic.figures[1].numbers[1].text, "—") << "no entropy of what does not sum to 1";
    EXPECT_EQ(arithmetic.figures[2].numbers[0].text, "0");
    EXPECT_EQ(arithmetic.figures[2].numbers[1].role, Role::odd);
}

TEST(Arithmetic, ShowsTheLargestWeightsOfALongRow) {
    std::vector<double> scores(100, 0);
    for (const Index j : {3, 50, 99}) scores[j] = 2 + 0.01 * double(j);
    const Result result = computed(given(scores, variant("v", Apply::additive, {blocked({50})})));
    const Bars bars = make_arithmetic(result, {0}, 0, 0, {0, 77}).bars;
    std::vector<std::string> drawn, expected;  // the first of equal weights
    for (Index j = 0; j < 22; ++j) expected.push_back("k" + std::to_string(j));
    expected.insert(expected.end(), {"k77", "k99"});
    for (const KeyBars& key : bars.keys) drawn.push_back(key.key);
    EXPECT_EQ(drawn, expected);
    EXPECT_EQ(bars.more, 76);
    EXPECT_EQ(bars.longest, result.variants[0].stage(StageKind::weights).at(0, 0, 0, 99));
    EXPECT_TRUE(bars.keys[22].focused);
}

TEST(Arithmetic, AnAddedMaskOnABlockedKey) {
    const Scene scene = given({1, 2}, variant("", Apply::additive, {blocked({1})}));
    EXPECT_EQ(written(only_variant(scene, 1)),
              (Texts{"2.000 − ∞ | −∞", "e^−∞ | 0", "Σ over 1 allowed | 2.718", "0 / 2.718 | 0"}));
}

TEST(Arithmetic, AFiniteValueIsAddedAndCounts) {
    Variant v = variant("", Apply::additive, {blocked({1})});
    v.mask.value = {ValueKind::number, -1};
    EXPECT_EQ(written(only_variant(given({1, 2}, v), 1)),
              (Texts{"2.000 − 1 | 1.000", "e^1.000 | 2.718", "Σ over all 2 | 5.437",
                     "2.718 / 5.437 | 0.500"}));
}

TEST(Arithmetic, AValueThatIsAddedTwiceHasTwoLines) {
    Variant v = variant("", Apply::additive, {blocked({1})});
    v.mask.value = {ValueKind::number, -2};
    v.mask.times = 2;
    const Texts texts = written(only_variant(given({1, 2}, v), 1));
    EXPECT_EQ(texts.at(0), "2.000 − 2 | 0");
    EXPECT_EQ(texts.at(1), "0 − 2 | −2.000");
}

TEST(Arithmetic, WhatADtypeCannotHoldIsALineOfItsOwn) {
    Variant v = variant("", Apply::additive, {blocked({1})});
    v.mask.value = {ValueKind::number, -1e9};
    v.dtype = Dtype::float16;
    const Texts texts = written(only_variant(given({1, 2}, v), 1));
    EXPECT_EQ(texts.at(0), "2.000 − 1e9 | −1e9");
    EXPECT_EQ(texts.at(1), "in float16 | −∞");
}

TEST(Arithmetic, TheLargestOfTheRowIsSubtractedWhereItMatters) {
    Variant v = variant("", Apply::additive, {blocked({0, 1})});
    v.mask.value = {ValueKind::number, -1e9};
    // Every key is blocked: in float32 the scores are lost beside −1e9, and the row is uniform.
    EXPECT_EQ(written(only_variant(given({1, 2}, v), 1)),
              (Texts{"2.000 − 1e9 | −1e9", "largest of the row | −1e9", "−1e9 − (−1e9) | 0",
                     "e^0 | 1.000", "Σ over all 2 | 2.000", "1.000 / 2.000 | 0.500"}));
}

TEST(Arithmetic, ReplacedAndMultipliedScores) {
    EXPECT_EQ(
        written(only_variant(given({1, 2}, variant("", Apply::replace, {blocked({1})})), 1))[0],
        "replaced by −∞ | −∞");
    EXPECT_EQ(
        written(only_variant(given({1, 2}, variant("", Apply::replace, {blocked({1})})), 0))[0],
        "1.000, kept | 1.000");
    const Scene scene = given({1, 2}, variant("", Apply::multiply_scores, {blocked({1})}));
    EXPECT_EQ(
        written(only_variant(scene, 1)),
        (Texts{"2.000 × 0 | 0", "e^0 | 1.000", "Σ over all 2 | 3.718", "1.000 / 3.718 | 0.269"}));
}

TEST(Arithmetic, MultipliedAndRenormalised) {
    const Scene scene =
        given({1, 2}, variant("", Apply::multiply_weights_renormalized, {blocked({1})}));
    const Texts texts = written(only_variant(scene, 0));
    const Texts end(texts.end() - 3, texts.end());
    EXPECT_EQ(end, (Texts{"× 1 | 0.269", "Σ over the row | 0.269", "0.269 / 0.269 | 1.000"}));
}

TEST(Arithmetic, BiasesAreAddedBeforeTheMask) {
    MaskLayer bias;
    bias.kind = LayerKind::bias;
    bias.bias = {{0, 1, -0.5}, {0, 1, 0.25}};
    const Scene scene = given({1, 2}, variant("", Apply::additive, {bias}));
    const Texts texts = written(only_variant(scene, 1));
    EXPECT_EQ(texts.at(0), "2.000 − 0.250 (bias) | 1.750");
    EXPECT_EQ(texts.at(1), "1.750 + 0 | 1.750");
}

TEST(Arithmetic, MaskThenScaleMasksTheScoreFirst) {
    Variant v = variant("", Apply::additive, {blocked({1})});
    v.mask.order = Order::mask_then_scale;
    v.mask.value = {ValueKind::number, -100};
    Scene scene = given({1, 2}, v);
    scene.variants[0].scale = {ScaleKind::number, 0.125};
    const Arithmetic arithmetic = make_arithmetic(computed(scene), {0}, 0, 0, {0, 1});
    EXPECT_EQ(written(arithmetic.shared), (Texts{"score, given | 2.000"}));
    const Texts texts = written(arithmetic.variants.at(0).lines);
    EXPECT_EQ(texts.at(0), "2.000 − 100 | −98.000");
    EXPECT_EQ(texts.at(1), "−98.000 × 0.125 | −12.250");
}

TEST(Arithmetic, SoftmaxPlusOneHasItsOneInTheSum) {
    Variant v = variant("", Apply::additive, {});
    v.normalizer = Normalizer::softmax_plus_one;
    const Scene scene = given({1, 2}, v);
    EXPECT_EQ(written(only_variant(scene, 1)).at(2), "1 + Σ over all 2 | 11.107");
    const Arithmetic arithmetic = make_arithmetic(computed(scene), {0}, 0, 0, {0, 1});
    EXPECT_EQ(arithmetic.figures[0].numbers[0].role, Role::ink) << "a sum below 1 is by design";
}

TEST(Arithmetic, ASoftcapHasItsLineBeforeTheMaskOrAfterIt) {
    Variant v = variant("", Apply::additive, {blocked({1})});
    v.softcap = Softcap{2, CapOrder::before_mask};
    const Texts before = written(only_variant(given({1, 2}, v), 1));
    EXPECT_EQ(before.at(0), "2 tanh(2.000 / 2) | 1.523");
    EXPECT_EQ(before.at(1), "1.523 − ∞ | −∞");
    v.softcap->order = CapOrder::after_mask;
    const Texts after = written(only_variant(given({1, 2}, v), 1));
    EXPECT_EQ(after.at(0), "2.000 − ∞ | −∞");
    EXPECT_EQ(after.at(1), "2 tanh(−∞ / 2) | −2.000") << "it leaks";
}

TEST(Arithmetic, ASinkIsInTheSumAndSaysWhatItTakes) {
    Variant v = variant("", Apply::additive, {});
    v.normalizer = Normalizer::softmax_sink;
    v.sink = 1.0;
    const Scene scene = given({1, 2}, v);
    EXPECT_EQ(written(only_variant(scene, 1)).at(2), "e^1.000 + Σ over all 2 | 12.826");
    const Arithmetic arithmetic = make_arithmetic(computed(scene), {0}, 0, 0, {0, 1});
    EXPECT_EQ(arithmetic.figures.at(1).name, "sink");
    EXPECT_EQ(arithmetic.figures.at(1).numbers.at(0).text, "0.212");
}

TEST(Arithmetic, ASigmoidIsOfItsCellAlone) {
    Variant v = variant("", Apply::additive, {});
    v.normalizer = Normalizer::sigmoid;
    const Scene scene = given({1, 2}, v);
    EXPECT_EQ(written(only_variant(scene, 1)),
              (Texts{"2.000 + 0 | 2.000", "e^−2.000 | 0.135", "1 / (1 + 0.135) | 0.881"}));
    const Arithmetic arithmetic = make_arithmetic(computed(scene), {0}, 0, 0, {0, 1});
    EXPECT_EQ(arithmetic.figures[0].numbers[0].role, Role::ink) << "1.612 is by design";
    v.mask.layers = {blocked({1})};
    EXPECT_EQ(written(only_variant(given({1, 2}, v), 1)).back(), "1 / (1 + ∞) | 0");
}

TEST(Arithmetic, EmptyRowsSayWhatWasDoneToThem) {
    Variant v = variant("", Apply::additive, {blocked({0, 1})});
    EXPECT_EQ(written(only_variant(given({1, 2}, v), 1)).back(), "0 / 0 | NaN");
    v.empty_rows = EmptyRows::zero;
    EXPECT_EQ(written(only_variant(given({1, 2}, v), 1)).back(), "empty row, skipped | 0");
    v.empty_rows = EmptyRows::zero_after;
    EXPECT_EQ(written(only_variant(given({1, 2}, v), 1)).back(), "empty row, set to 0 | 0");
    const Arithmetic arithmetic = make_arithmetic(computed(given({1, 2}, v)), {0}, 0, 0, {0, 1});
    EXPECT_EQ(arithmetic.figures[2].numbers[0].text, "NaN") << "the gradient is NaN all the same";
    EXPECT_EQ(arithmetic.figures[2].numbers[0].role, Role::wrong);
}

TEST(Arithmetic, GivenWeightsStartAtTheWeight) {
    Scene scene = given({0.25, 0.75}, variant("", Apply::multiply_weights, {blocked({1})}));
    scene.inputs = WeightsInputs{make_array({1, 2}, {0.25, 0.75}), std::nullopt};
    const Arithmetic arithmetic = make_arithmetic(computed(scene), {0}, 0, 0, {0, 1});
    EXPECT_TRUE(arithmetic.shared.empty());
    EXPECT_EQ(written(arithmetic.variants.at(0).lines),
              (Texts{"weight, given | 0.750", "× 0 | 0"}));
    EXPECT_EQ(arithmetic.figures[2].numbers[0].text, "—");
}

TEST(Arithmetic, VariantsThatScaleDifferentlyShareTheScoreAlone) {
    Scene scene = sketch();
    scene.variants[1].scale.kind = ScaleKind::none;
    const Arithmetic arithmetic = make_arithmetic(computed(scene), {0, 1}, 0, 0, {2, 1});
    EXPECT_EQ(written(arithmetic.shared), (Texts{"q · k | 3.307"}));
    EXPECT_EQ(written(arithmetic.variants.at(0).lines).front(), "× 1/√8 | 1.169");
    EXPECT_EQ(written(arithmetic.variants.at(1).lines).front(), "e^3.307 | 27.314");
}

TEST(Arithmetic, AreEmptyWhereTheResultHasNoSuchCell) {
    const Result result = computed(sketch());
    for (const Cell cell : {Cell{6, 0}, Cell{0, 6}, Cell{-1, 0}})
        EXPECT_TRUE(make_arithmetic(result, {0, 1}, 0, 0, cell).variants.empty());
    EXPECT_TRUE(make_arithmetic(result, {2}, 0, 0, {0, 0}).variants.empty());
    EXPECT_TRUE(make_arithmetic(result, {0}, 1, 0, {0, 0}).variants.empty());
    EXPECT_TRUE(make_arithmetic(result, {0}, 0, 1, {0, 0}).variants.empty());
}

// --- every setting: the last line is the weight, and e^x is that of the softmax input

std::vector<Variant> all_settings() {
    std::vector<Variant> settings;
    for (int apply = 0; apply < 6; ++apply)
        for (int value = 0; value < 4; ++value)
            for (int rest = 0; rest < 2 * 2 * 2 * 3 * 4; ++rest) {
                MaskLayer alibi;
                alibi.kind = LayerKind::alibi;
                Variant v = variant("", static_cast<Apply>(apply), {causal(), blocked({0}), alibi});
                constexpr std::array<BlockedValue, 4> values{
                    BlockedValue{}, BlockedValue{ValueKind::lowest, 0},
                    BlockedValue{ValueKind::number, -1e9}, BlockedValue{ValueKind::number, -3}};
                v.mask.value = values[value];
                v.mask.times = 1 + rest % 2;
                v.mask.order = static_cast<Order>(rest / 2 % 2);
                v.normalizer = static_cast<Normalizer>(rest / 4 % 2);
                v.empty_rows = static_cast<EmptyRows>(rest / 8 % 3);
                v.dtype = static_cast<Dtype>(rest / 24);
                settings.push_back(v);
            }
    return settings;
}

void expect_consistent(const Result& result, Cell cell) {
    const Arithmetic arithmetic = make_arithmetic(result, {0}, 0, 0, cell);
    const VariantResult& numbers = result.variants.at(0);
    Lines lines = arithmetic.shared;
    lines.insert(lines.end(), arithmetic.variants.at(0).lines.begin(),
                 arithmetic.variants.at(0).lines.end());
    EXPECT_EQ(lines.back().result,
              exact_text(numbers.stage(StageKind::weights).at(0, 0, cell.i, cell.j)));
    const std::string logit = exact_text(numbers.stage(StageKind::logits).at(0, 0, cell.i, cell.j));
    const bool subtracted = std::any_of(lines.begin(), lines.end(), [](const ArithmeticLine& line) {
        return line.operation == "largest of the row";
    });
    const bool is_told = std::any_of(lines.begin(), lines.end(), [&](const ArithmeticLine& line) {
        return line.operation == "e^" + logit ||
               (subtracted && line.operation.starts_with(logit + " − "));
    });
    EXPECT_TRUE(is_told) << logit;
}

TEST(Arithmetic, TellsThatABiasIsRounded) {
    Scene scene = scene_of({"a", "b"}, {1.5, -2}, 4);
    MaskLayer bias;
    bias.kind = LayerKind::bias;
    bias.bias = {{0, 0, -100.3}};
    scene.variants = {variant("v", Apply::additive, {bias})};
    scene.variants[0].dtype = Dtype::bfloat16;
    const Result result = computed(scene);
    const Arithmetic arithmetic = make_arithmetic(result, {0}, 0, 0, {0, 0});
    Lines lines = arithmetic.shared;
    lines.insert(lines.end(), arithmetic.variants.at(0).lines.begin(),
                 arithmetic.variants.at(0).lines.end());
    const std::string logit =
        exact_text(result.variants[0].stage(StageKind::logits).at(0, 0, 0, 0));
    const auto power = std::ranges::find(lines, "e^" + logit, &ArithmeticLine::operation);
    ASSERT_NE(power, lines.end()) << logit;
    EXPECT_EQ(std::prev(power)->result, logit) << "the line before ends with it";
}

TEST(Arithmetic, EndWithTheWeightWhateverTheSettings) {
    Scene scene = scene_of({"a", "b", "c"}, {1.5, -90, 200}, 4);
    for (const Variant& v : all_settings()) {
        scene.variants = {v};
        const Result result = computed(scene);
        for (const Cell cell : {Cell{0, 0}, Cell{1, 0}, Cell{1, 1}, Cell{1, 2}, Cell{2, 2}})
            expect_consistent(result, cell);
        if (::testing::Test::HasFailure()) break;
    }
}

}  // namespace
}  // namespace maskscope
