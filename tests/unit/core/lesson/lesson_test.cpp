#include "core/lesson/lesson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/compute/depends.h"
#include "core/compute/plain.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "tests/support/computed.h"
#include "tests/unit/core/lesson/lesson_sample.h"

namespace maskscope {
namespace {

// Returns a scene of given weights, so that every number of a fact is known: A holds [[.5 .25 .25]
// [.75 .25 0]].
Scene weights_scene(std::vector<double> weights = {0.5, 0.25, 0.25, 0.75, 0.25, 0},
                    Dtype dtype = Dtype::float32) {
    Scene scene;
    scene.sequences = {{{"a", "b"}, std::vector<std::string>{"x", "y", "z"}}};
    scene.inputs = WeightsInputs{make_array({2, 3}, std::move(weights)), {}};
    Variant variant;
    variant.name = "given";
    variant.scale.kind = ScaleKind::none;
    variant.mask.apply = Apply::none;
    variant.dtype = dtype;
    scene.variants = {variant, variant};
    return scene;
}

Fact fact(const std::string& address, Relation is, Operand than = 0.0) {
    Fact fact;
    fact.address = parse_address(address);
    fact.is = is;
    if (is != Relation::nan) fact.than = Comparand{std::move(than), {}, {}};
    return fact;
}

Verdict judged(const Fact& fact, const Scene& scene = weights_scene()) {
    PlainBackend backend;
    return judge(fact, computed(scene), backend, ".");
}

bool holds(const std::string& address, Relation is, Operand than = 0.0) {
    return judged(fact(address, is, std::move(than))).holds;
}

TEST(Fact, EveryRelationIsTakenAtItsWord) {
    const std::string half = "A.weights[0,0,0,0]";
    EXPECT_TRUE(holds(half, Relation::less, 0.6));
    EXPECT_FALSE(holds(half, Relation::less, 0.5));
    EXPECT_TRUE(holds(half, Relation::less_equal, 0.5));
    EXPECT_FALSE(holds(half, Relation::less_equal, 0.4));
    EXPECT_TRUE(holds(half, Relation::equal, 0.5));
    EXPECT_FALSE(holds(half, Relation::equal, 0.5 + 1e-12));
    EXPECT_TRUE(holds(half, Relation::not_equal, 0.4));
    EXPECT_FALSE(holds(half, Relation::not_equal, 0.5));
    EXPECT_TRUE(holds(half, Relation::greater_equal, 0.5));
    EXPECT_FALSE(holds(half, Relation::greater_equal, 0.6));
    EXPECT_TRUE(holds(half, Relation::greater, 0.4));
    EXPECT_FALSE(holds(half, Relation::greater, 0.5));
    EXPECT_TRUE(holds(half, Relation::near, 0.5 + 5e-7));
    EXPECT_FALSE(holds(half, Relation::near, 0.5 + 5e-6));
    EXPECT_FALSE(holds(half, Relation::nan));
}

TEST(Fact, NaNSatisfiesOnlyNanAndNotEqual) {
    const Scene scene = weights_scene({not_a_number, 0, 0, 0, 0, 0});
    const auto holds_for_nan = [&](Relation is) {
        return judged(fact("A.weights[0,0,0,0]", is, 0.0), scene).holds;
    };
    for (const Relation is : {Relation::less, Relation::less_equal, Relation::equal,
                              Relation::greater_equal, Relation::greater, Relation::near})
        EXPECT_FALSE(holds_for_nan(is)) << static_cast<int>(is);
    EXPECT_TRUE(holds_for_nan(Relation::not_equal));
    EXPECT_TRUE(holds_for_nan(Relation::nan));
    EXPECT_EQ(judged(fact("A.nan[0,0,0]", Relation::equal, 1.0), scene).value, 1);
}

TEST(Fact, EqualInfinitiesAreNear) {
    const Scene scene = weights_scene({infinity, 0, 0, 0, 0, 0});
    const Operand same = parse_address("B.weights[0,0,0,0]");
    EXPECT_TRUE(judged(fact("A.weights[0,0,0,0]", Relation::near, same), scene).holds);
    EXPECT_FALSE(judged(fact("A.weights[0,0,0,0]", Relation::near, 1e300), scene).holds);
}

TEST(Fact, AllIsDecidedByTheEntryThatHoldsLeast) {
    const Verdict all = judged(fact("A.weights[0,0,0,all]", Relation::less, 0.6));
    EXPECT_TRUE(all.holds);
    EXPECT_EQ(all.value, 0.5);
    EXPECT_DOUBLE_EQ(all.margin, 0.6 - 0.5);
    const Verdict broken = judged(fact("A.weights[0,all,all,all]", Relation::greater, 0.1));
    EXPECT_FALSE(broken.holds);
    EXPECT_EQ(broken.value, 0);
}

TEST(Fact, AnyIsDecidedByTheEntryThatHoldsBest) {
    const Verdict any = judged(fact("A.weights[0,0,1,any]", Relation::greater, 0.5));
    EXPECT_TRUE(any.holds);
    EXPECT_EQ(any.value, 0.75);
    const Verdict broken = judged(fact("A.weights[0,0,1,any 1-2]", Relation::greater, 0.5));
    EXPECT_FALSE(broken.holds);
    EXPECT_EQ(broken.value, 0.25);
}

TEST(Fact, QuantifiersNestFromTheLeft) {
    // Every row has a weight of at least 1/2, but no key has such a weight in every row.
    const Scene scene = weights_scene({0.5, 0.25, 0.25, 0.25, 0.75, 0});
    EXPECT_TRUE(judged(fact("A.weights[0,0,all,any]", Relation::greater_equal, 0.5), scene).holds);
    // Some row has only weights of at least 1/4.
    EXPECT_TRUE(judged(fact("A.weights[0,0,any,all]", Relation::greater_equal, 0.25), scene).holds);
    EXPECT_FALSE(
        judged(fact("A.weights[0,0,all,all]", Relation::greater_equal, 0.25), scene).holds);
    EXPECT_FALSE(judged(fact("A.weights[0,0,any,all]", Relation::greater_equal, 0.5), scene).holds);
}

TEST(Fact, SumsComeFirst) {
    EXPECT_TRUE(holds("A.weights[0,0,all,sum]", Relation::equal, 1.0));
    EXPECT_TRUE(holds("A.weights[0,0,all,sum 1-2]", Relation::less_equal, 0.5));
    EXPECT_TRUE(holds("A.weights[0,0,sum,0]", Relation::equal, 1.25));
}

TEST(Fact, ThanMayBeAnAddressTimesAndPlus) {
    const Operand quarter = parse_address("B.weights[0,0,0,1]");
    Fact sum = fact("A.weights[0,0,0,0]", Relation::equal, quarter);
    EXPECT_FALSE(judged(sum).holds);
    sum.than->times = 2.0;
    EXPECT_TRUE(judged(sum).holds);
    sum.than->times = quarter;
    sum.than->plus = parse_address("A.weights[0,0,1,2]");
    EXPECT_FALSE(judged(sum).holds);  // 1/16 + 0
    sum.than->plus = 0.4375;
    EXPECT_TRUE(judged(sum).holds);
}

TEST(Fact, AllInThanRunsAlong) {
    const Operand before = parse_address("A.weights[0,0,0,all 0-1]");
    EXPECT_TRUE(holds("A.weights[0,0,0,all 1-2]", Relation::less_equal, before));
    EXPECT_FALSE(holds("A.weights[0,0,0,all 1-2]", Relation::less, before));
    EXPECT_TRUE(holds("A.weights[0,0,0,any 1-2]", Relation::less, before));
}

TEST(Fact, WithinIsThatOfTheCoarsestDtypeUnlessSaid) {
    Scene scene = weights_scene();
    Fact near = fact("A.weights[0,0,0,0]", Relation::near, 0.5 + 9e-4);
    EXPECT_FALSE(judged(near, scene).holds);
    scene.variants[0].dtype = Dtype::float16;
    EXPECT_TRUE(judged(near, scene).holds);
    near.than->value = 0.5 + 3e-3;
    EXPECT_FALSE(judged(near, scene).holds);
    scene.variants[0].dtype = Dtype::bfloat16;
    EXPECT_TRUE(judged(near, scene).holds);
    near.within = 1e-3;
    EXPECT_FALSE(judged(near, scene).holds);
    // B is the coarser variant, and only `than` names it.
    Fact other = fact("A.weights[0,0,0,0]", Relation::near, parse_address("B.weights[0,0,0,0]"));
    other.than->plus = 3e-3;
    scene = weights_scene();
    EXPECT_FALSE(judged(other, scene).holds);
    scene.variants[1].dtype = Dtype::bfloat16;
    EXPECT_TRUE(judged(other, scene).holds);
}

// Root d is computed in float64, whatever the variant's dtype.
TEST(Fact, WithinOfRootDIsThatOfFloat64) {
    Scene scene = weights_scene({}, Dtype::bfloat16);
    scene.inputs = ScoresInputs{make_array({2, 3}, std::vector<double>(6, 0)), {}, {}};
    const double variance =
        AddressReader(computed(scene), parse_address("A.root_d.variance[4]")).at({});
    const auto is_near = [&](double than) {
        return judged(fact("A.root_d.variance[4]", Relation::near, than), scene).holds;
    };
    EXPECT_TRUE(is_near(variance + 5e-7));
    EXPECT_FALSE(is_near(variance + 5e-6));
}

TEST(Fact, WithReadsAnotherScene) {
    Fact changed = fact("A.weights[0,0,0,0]", Relation::equal, 0.125);
    changed.address.with = {{"/inputs/weights/0/0", "0.125"}};
    EXPECT_TRUE(judged(changed).holds);
    Fact beside = fact("A.weights[0,0,1,1]", Relation::equal, changed.address);
    beside.than->times = 2.0;
    EXPECT_TRUE(judged(beside).holds);
}

TEST(Fact, WhereAnAddressIsGoneItDoesNotHold) {
    for (const char* gone : {"C.sum[0,0,0]", "A.sum[0,0,2]", "A.scores[0,0,0,0]"}) {
        const Verdict verdict = judged(fact(gone, Relation::not_equal, 7.0));
        EXPECT_FALSE(verdict.holds);
        EXPECT_FALSE(verdict.exists);
        EXPECT_FALSE(holds("A.sum[0,0,0]", Relation::not_equal, parse_address(gone)));
    }
    Fact with = fact("A.sum[0,0,0]", Relation::not_equal, 7.0);
    with.address.with = {{"/variants/7/name", "\"gone\""}};
    EXPECT_FALSE(judged(with).exists);
}

TEST(Fact, CanFailWithTheFieldsThatDecideIt) {
    PlainBackend backend;
    Fact half = fact("A.weights[0,0,0,0]", Relation::equal, 0.5);
    half.fails_with = {{"/inputs/weights/0/0", "0.4"}};
    EXPECT_TRUE(can_fail(half, weights_scene(), backend, "."));
    half.fails_with = {{"/inputs/weights/0/1", "0.4"}};
    EXPECT_FALSE(can_fail(half, weights_scene(), backend, "."));
    // A `with` overrides fails_with, which is set before it.
    half.address.with = {{"/inputs/weights/0/0", "0.5"}};
    half.fails_with = {{"/inputs/weights/0/0", "0.4"}};
    EXPECT_FALSE(can_fail(half, weights_scene(), backend, "."));
}

TEST(Fact, WhatIsGoneUnderFailsWithFails) {
    PlainBackend backend;
    Fact last = fact("B.sum[0,0,1]", Relation::near, 1.0);
    last.fails_with = {{"/variants", R"([{"name": "alone"}])"}};
    EXPECT_TRUE(can_fail(last, weights_scene(), backend, "."));
}

TEST(Claim, IsTheFactsWordsOrTheNotation) {
    Fact claimed = fact("B.sum[0,0,2]", Relation::less, 1.0);
    EXPECT_EQ(claim(claimed), "B.sum[0,0,2] < 1");
    claimed.is = Relation::near;
    claimed.within = 0.01;
    EXPECT_EQ(claim(claimed), "B.sum[0,0,2] near 1 within 0.01");
    claimed.than = Comparand{parse_address("A.sum[0,0,2]"), 2.0, parse_address("A.max[0,0,2]")};
    EXPECT_EQ(claim(claimed), "B.sum[0,0,2] near A.sum[0,0,2] × 2 + A.max[0,0,2] within 0.01");
    EXPECT_EQ(claim(fact("A.max[0,0,any 1-2]", Relation::nan)), "A.max[0,0,any 1-2] nan");
    claimed.address.with = {{"/variants/0/scale", "2"}};
    EXPECT_TRUE(claim(claimed).starts_with("B.sum[0,0,2] (with /variants/0/scale = 2) near "));
    claimed.says = "B loses weight";
    EXPECT_EQ(claim(claimed), "B loses weight");
}

// --- captions

std::string filled(const std::string& caption, const Scene& scene = weights_scene()) {
    return fill_caption(caption, computed(scene), scene).value_or("gone");
}

TEST(Caption, BracesHoldAddressesOrAreText) {
    EXPECT_EQ(filled("no number"), "no number");
    EXPECT_EQ(filled(""), "");
    EXPECT_EQ(filled("{{x}, } and }}"), "{x}, } and }}");
    EXPECT_EQ(filled("{{{A.weights[0,0,0,0]}}"), "{0.50}");
}

TEST(Caption, NumbersAreWrittenAsInACell) {
    EXPECT_EQ(filled("a {A.weights[0,0,0,0]}."), "a 0.50.");
    EXPECT_EQ(filled("{A.weights[0,0,1,2]}"), "0");
    EXPECT_EQ(filled("{A.weights[0,0,0,sum 1-2]}"), "0.50");
    EXPECT_EQ(filled("{A.weights[0,0,0,sum]} {A.sum[0,0,0]}"), "1.00 1.00");
    EXPECT_EQ(filled("{A.weights[0,0,0,1]:%} {A.sum[0,0,0]:%}"), "25% 100%");
    EXPECT_EQ(filled("{A.sum[0,0,0]:exp}"), "2.72");
    EXPECT_EQ(filled("{A-B.weights[0,0,0,1]}"), "0");
    const Scene scene = weights_scene({not_a_number, infinity, -infinity, 0.001, 0.9999, -0.25});
    EXPECT_EQ(filled("{A.weights[0,0,0,0]} {A.weights[0,0,0,1]} {A.weights[0,0,0,2]}", scene),
              "NaN +∞ −∞");
    EXPECT_EQ(filled("{A.weights[0,0,1,0]} {A.weights[0,0,1,1]} {A.weights[0,0,1,2]}", scene),
              "<.01 >.99 −0.25");
    EXPECT_EQ(filled("{A.weights[0,0,1,1]:%} {A.nan[0,0,0]}", scene), ">99% 1");
}

TEST(Caption, ATestOfAMaskIsAWord) {
    const Scene scene = two_variant_scene();
    EXPECT_EQ(filled("{A.test.future}, {B.test.future}, {A.test.padding}", scene),
              "pass, fail, n/a");
}

TEST(Caption, RootDIsWrittenLikewise) {
    Scene scene = weights_scene();
    scene.inputs = ScoresInputs{make_array({2, 3}, std::vector<double>(6, 0)), {}, {}};
    EXPECT_EQ(filled("{A.root_d.largest[1024]} {A-B.root_d.entropy[64]}", scene), ">.99 0");
}

TEST(Caption, RootDWaitsForItsDrawWhereItMayNotDraw) {
    Scene scene = weights_scene();
    scene.inputs = PatternsInputs{{PatternHead{}}, 4712, 2};
    const std::string caption = "{A.root_d.largest[1024]} {A.sum[0,0,0]}";
    const Result result = computed(scene);
    EXPECT_EQ(fill_caption(caption, result, scene, false), "… 1.00");
    EXPECT_EQ(fill_caption(caption, result, scene), ">.99 1.00");
    EXPECT_EQ(fill_caption(caption, result, scene, false), ">.99 1.00");
}

TEST(Caption, DependsWaitsWhereItMayNotBeComputed) {
    const Scene scene = two_variant_scene();
    Result result = computed(scene);
    const std::string caption = "{A.depends[0,0,0,2]} {count(A.depends[0,0,all,all] > 0)}";
    EXPECT_EQ(fill_caption(caption, result, scene, false), "… …");
    EXPECT_EQ(fill_caption(caption, result, scene), "0 6");
    Progress progress;
    add_depends(result, progress);
    EXPECT_EQ(fill_caption(caption, result, scene, false), "0 6");
}

// If the mask is added, no bit of the future reaches a row. If it is multiplied, the future reaches
// a row through the sum.
TEST(Fact, OfWhatAnOutputDependsOn) {
    const Scene scene = two_variant_scene();
    Fact unseen = fact("A.depends[0,0,0,all 1-2]", Relation::equal);
    EXPECT_TRUE(reads_depends(unseen));
    EXPECT_TRUE(judged(unseen, scene).holds);
    unseen.address.with = {{"/variants/0/mask/apply", "\"none\""}};
    EXPECT_FALSE(judged(unseen, scene).holds);
    EXPECT_TRUE(judged(fact("B.depends[0,0,0,all 1-2]", Relation::greater), scene).holds);
    EXPECT_FALSE(reads_depends(row_keeps_less()));
}

// A sum that is 1 except for rounding is written as 1; a weight is 1 only if it is exactly 1.
TEST(Caption, ASumIsOneWithinItsTolerance) {
    const Scene scene = weights_scene({0.9999999, 0, 0, 0.9999, 0, 0});
    EXPECT_EQ(filled("{A.sum[0,0,0]} {A.weights[0,0,0,0]} {A.sum[0,0,1]}", scene),
              "1.00 >.99 >.99");
}

// A holds [[.5 .25 .25] [.75 .25 0]].
TEST(Caption, EntriesAreCounted) {
    EXPECT_EQ(filled("{count(A.weights[0,0,all,all] == 0.25)}"), "3");
    EXPECT_EQ(filled("{count(A.weights[0,0,all,all] != 0.25)}"), "3");
    EXPECT_EQ(filled("{count(A.weights[0,0,1,all] > 0)} of {n_k}"), "2 of 3");
    EXPECT_EQ(filled("{count(A.weights[0,0,1,all 1-2] >= 0.25)}"), "1");
    EXPECT_EQ(filled("{count(A.weights[0,0,all,sum 0-1] < 0.8)}"), "1");
    EXPECT_EQ(filled("{count(A-B.weights[0,0,all,all] <= -1e-3)}"), "0");
    EXPECT_EQ(filled("{count(A.weights[0,0,0,all] > 9)} {count(A.sum[0,0,all] > -1)}"), "0 2");
}

// A number shown as 1 is not counted as less.
TEST(Caption, AnEntryIsCountedAsItIsShown) {
    EXPECT_EQ(filled("{count(A.sum[0,0,all] < 1)}", weights_scene({0.9999999, 0, 0, 0.9, 0, 0})),
              "1");
}

// --- tokens, counts, settings

Scene two_sentences() {
    Scene scene = weights_scene();
    scene.sequences = {{{"a", "b"}, std::vector<std::string>{"x", "y", "z"}},
                       {{"c"}, std::vector<std::string>{"u", "v"}}};
    scene.inputs = EmbeddingInputs{};
    for (Variant& variant : scene.variants) {
        variant.mask.apply = Apply::additive;
        variant.scale = {};
    }
    return scene;
}

TEST(Caption, TokensAreThoseOfTheBench) {
    const Scene scene = two_sentences();
    EXPECT_EQ(filled("“{q[1]}” and “{k[2]}”", scene), "“b” and “z”");
    EXPECT_EQ(filled("{q[0,1]} {q[1,0]} {k[1,1]} {q[1,1]}", scene), "b c v <pad>");
    EXPECT_EQ(filled("{pad[1,2]} {n_q} {n_k}", scene), "<pad> 2 3");
    for (const char* gone : {"{q[2]}", "{k[3]}", "{q[2,0]}", "{pad[0]}", "{pad[1,1]}"})
        EXPECT_EQ(filled(gone, scene), "gone") << gone;
}

TEST(Caption, SettingsAreInTheWordsOfTheirMenus) {
    Scene scene = two_sentences();
    scene.variants[0].name = "Loud";
    scene.variants[0].mask.value = {ValueKind::number, -1e9};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    scene.variants[1].dtype = Dtype::float16;
    scene.variants[1].scale = {ScaleKind::number, 0.125};
    EXPECT_EQ(filled("{A.name} {A.mask.value} {A.scale} {B.dtype} {B.scale}", scene),
              "Loud −1e9 1/√d float16 0.125");
    EXPECT_EQ(filled("with {A.mask.times}, {A.mask.order}, {A.score}, {A.normalizer}", scene),
              "with once, scale, then mask, dot, softmax");
    EXPECT_EQ(filled("{A.empty_rows}; {A.output}", scene), "As computed (NaN); values");
    EXPECT_EQ(filled("{B.mask.value}", scene), "gone") << "a value that is not added";
    EXPECT_EQ(filled("{C.dtype}", scene), "gone");
}

TEST(Caption, ASettingThatBeginsASentenceHasACapital) {
    Scene scene = two_sentences();
    scene.variants[0].name = "loud";
    EXPECT_EQ(filled("{A.mask.apply}. {A.mask.apply}, or {A.mask.apply}? {A.name}", scene),
              "Added before the softmax. Added before the softmax, or added before the softmax? "
              "loud");
}

// A token never changes its letters, not even at the beginning.
TEST(Caption, ATokenStaysAsItIs) { EXPECT_EQ(filled("{q[0]} {q[0]}", two_sentences()), "a a"); }

TEST(Caption, EveryExpressionReadsBackAsItIsWritten) {
    for (const char* text :
         {"{B.sum[0,0,2]}", "{A.scaled[0,0,2,1]:exp}", "{A-B.weights[0,0,2,sum 3-5]:%}", "{q[2]}",
          "{k[4]}", "{q[1,2]}", "{pad[1,5]}", "{n_q}", "{n_k}", "{A.name}", "{Z.mask.apply}",
          "{B.empty_rows}", "{A.root_d.variance[64]}", "{count(B.sum[0,0,all] < 1)}",
          "{count(A-B.weights[0,all 0-1,2,all] >= -0.25)}"}) {
        const auto parts = parse_caption(text);
        ASSERT_EQ(parts.size(), 1) << text;
        EXPECT_EQ(expression_text(parts[0]), text);
    }
    EXPECT_EQ(expression_text(std::string("a {b")), "a {{b");
}

TEST(Caption, WhatIsGoneTakesTheWholeTextAlong) {
    EXPECT_EQ(filled("It keeps {A.sum[0,0,0]}, not {A.sum[0,0,9]}"), "gone");
    EXPECT_EQ(filled("{C.sum[0,0,0]:%}"), "gone");
}

Step spoken_step() {
    Step step;
    step.scene = two_sentences();
    step.caption = "“{q[1]}” keeps {A.sum[0,0,1]}";
    step.ask = "What of “{q[1]}”?";
    step.try_this = "Rename “{k[2]}”";
    Fact fact;
    fact.address = parse_address("B.sum[0,0,0]");
    fact.is = Relation::near;
    fact.than = Comparand{1.0, {}, {}};
    fact.says = "“{q[0]}” keeps all";
    step.facts = {fact};
    return step;
}

TEST(StepWords, FollowARename) {
    const Step step = spoken_step();
    Scene scene = step.scene;
    scene.sequences[0].queries = {"one", "two"};
    scene.sequences[0].keys->edit([](auto& keys) { keys.back() = "three"; });
    const StepWords words = fill_words(step, computed(scene));
    EXPECT_EQ(words.caption, "“two” keeps 1.00");
    EXPECT_EQ(words.ask, "What of “two”?");
    EXPECT_EQ(words.try_this, "Rename “three”");
    EXPECT_EQ(words.claim, "“one” keeps all");
}

TEST(StepWords, ACaptionStepsBackWithAllAroundIt) {
    const Step step = spoken_step();
    Scene scene = step.scene;
    scene.sequences[0].queries = {"one"};
    const StepWords gone{std::string(own_bench), std::string(own_bench), "", ""};
    EXPECT_EQ(fill_words(step, computed(scene)), gone);
}

TEST(StepWords, AFactAndATryStepBackAlone) {
    const Step step = spoken_step();
    Scene scene = step.scene;
    for (Sequence& sequence : scene.sequences) sequence.keys = {{"x", "y"}};
    StepWords words = fill_words(step, computed(scene));
    EXPECT_EQ(words.caption, "“b” keeps 1.00");
    EXPECT_EQ(words.try_this, "");
    EXPECT_EQ(words.claim, "“a” keeps all");
    scene.variants.pop_back();  // the address of the fact no longer exists
    words = fill_words(step, computed(scene));
    EXPECT_EQ(words.caption, "“b” keeps 1.00");
    EXPECT_EQ(words.claim, "");
}

TEST(Caption, AnythingElseIsRefused) {
    for (const char* caption : {"{",
                                "a {A.sum[0,0,0]",
                                "{}",
                                "{A.sum[0,0,all]}",
                                "{A.sum[0,0,any 0-1]}",
                                "{A.sum}",
                                "{ A.sum[0,0,0]}",
                                "{A.sum[0,0,0] :%}",
                                "{A.sum[0,0,0]:}",
                                "{A.sum[0,0,0]:%%}",
                                "{A.sum[0,0,0]:.3}",
                                "{{{",
                                "{\"A\".sum[0,0,0]}",
                                "{q}",
                                "{q[]}",
                                "{q[1,2,3]}",
                                "{q[all]}",
                                "{q[01]}",
                                "{q[1]",
                                "{q[1]:%}",
                                "{q[1] }",
                                "{Q[1]}",
                                "{pad}",
                                "{n}",
                                "{n_q[0]}",
                                "{A}",
                                "{A.}",
                                "{A.mask}",
                                "{A.mask.layers}",
                                "{A-B.name}",
                                "{a.name}",
                                "{A.name[0]}",
                                "{A.dtype:%}",
                                "{mask.value}",
                                "{count()}",
                                "{count(A.sum[0,0,all])}",
                                "{count(A.sum[0,0,all] <)}",
                                "{count(A.sum[0,0,all] < 1}",
                                "{count(A.sum[0,0,all] < 1) }",
                                "{count (A.sum[0,0,all] < 1)}",
                                "{count(A.sum[0,0,all]<1)}",
                                "{count(A.sum[0,0,all]  < 1)}",
                                "{count(A.sum[0,0,all] <  1)}",
                                "{count(A.sum[0,0,all] < 1 )}",
                                "{count(A.sum[0,0,all] = 1)}",
                                "{count(A.sum[0,0,all] near 1)}",
                                "{count(A.sum[0,0,all] nan)}",
                                "{count(A.sum[0,0,all] < inf)}",
                                "{count(A.sum[0,0,all] < B.sum[0,0,all])}",
                                "{count(A.sum[0,0,0] < 1)}",
                                "{count(A.sum[0,0,any] < 1)}",
                                "{count(A.sum[0,all,any] < 1)}",
                                "{count(A.root_d.variance[64] < 1)}",
                                "{count(A.sum[0,0,all] < 1):%}"})
        EXPECT_THROW(parse_caption(caption), InputError) << caption;
}

}  // namespace
}  // namespace maskscope
