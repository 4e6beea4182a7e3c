#include <gtest/gtest.h>

#include "core/compute/plain.h"
#include "core/lesson/address.h"
#include "core/lesson/fact_words.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

// A holds [[.5 .25 .25] [.75 .25 0]]; B holds the same, except that the first key of its second row
// is blocked.
Scene judged_scene() {
    Scene scene;
    scene.sequences = {{{"a", "name"}, std::vector<std::string>{"x", "y", "z"}}};
    scene.inputs = WeightsInputs{make_array({2, 3}, {0.5, 0.25, 0.25, 0.75, 0.25, 0}), {}};
    Variant variant;
    variant.mask.apply = Apply::none;
    scene.variants = {variant, variant};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    MaskLayer blocked;
    blocked.kind = LayerKind::blocked;
    blocked.cells = {{Cell{1, 0}}};
    scene.variants[1].mask.layers = {blocked};
    return scene;
}

std::string verdict(const std::string& address, Relation is, std::optional<Operand> than,
                    const std::string& says = "") {
    Fact fact;
    fact.says = says;
    fact.address = parse_address(address);
    fact.is = is;
    if (than) fact.than = Comparand{*than, {}, {}};
    PlainBackend backend;
    const Result result = computed(judged_scene());
    return verdict_words(fact, judge(fact, result, backend, "."), result.scene);
}

TEST(VerdictWords, OneNumberIsShown) {
    EXPECT_EQ(verdict("B.sum[0,0,1]", Relation::less, 0.5), "holds (0.250)");
    EXPECT_EQ(verdict("A.sum[0,0,1]", Relation::less, 0.5), "no longer holds (1.000)");
    EXPECT_EQ(verdict("A.sum[0,0,1]", Relation::equal, 0.5), "no longer holds (1.000)");
}

TEST(VerdictWords, ALineHasASignAndTheNumber) {
    const auto line = [](const std::string& address, Relation is, double than) {
        Fact fact;
        fact.address = parse_address(address);
        fact.is = is;
        fact.than = Comparand{than, {}, {}};
        PlainBackend backend;
        const Result result = computed(judged_scene());
        return verdict_line("it is so", fact, judge(fact, result, backend, "."), result.scene);
    };
    EXPECT_EQ(line("B.sum[0,0,1]", Relation::less, 0.5), "✓ it is so (0.250)");
    EXPECT_EQ(line("A.sum[0,0,1]", Relation::less, 0.5), "✗ it is so: no longer holds (1.000)");
    EXPECT_EQ(line("A.sum[0,0,1]", Relation::equal, 1), "✓ it is so");
    EXPECT_EQ(line("A.sum[0,0,all]", Relation::near, 1), "✓ it is so") << "no test output";
}

TEST(VerdictWords, WhatTheClaimSaysIsNotRepeated) {
    EXPECT_EQ(verdict("A.sum[0,0,1]", Relation::equal, 1.0), "holds");
    EXPECT_EQ(verdict("A.empty[0,0,1]", Relation::equal, 1.0), "no longer holds");
    EXPECT_EQ(verdict("A.sum[0,0,any]", Relation::less, 0.5), "no longer holds");
}

TEST(VerdictWords, OfManyTheyAreCounted) {
    EXPECT_EQ(verdict("A.sum[0,0,all]", Relation::near, 1.0), "holds in all 2 rows");
    EXPECT_EQ(verdict("A.weights[0,0,all,all]", Relation::less, 0.9), "holds in all 2 rows");
    EXPECT_EQ(verdict("A.weights[0,0,all,any]", Relation::equal, 0.25), "holds in all 2 rows");
    EXPECT_EQ(verdict("A.weights[0,0,1,all]", Relation::less, 0.9), "holds");
    EXPECT_EQ(verdict("A.weights[0,0,0,all]", Relation::less, 0.2),
              "no longer holds (in none of 3 keys)");
    EXPECT_EQ(verdict("A.nan[0,0,all]", Relation::equal, 1.0),
              "no longer holds (in none of 2 rows)");
    EXPECT_EQ(verdict("A.weights[0,0,1,all]", Relation::less, 0.1),
              "no longer holds (only in 1 of 3 keys)");
}

TEST(VerdictWords, OfManyTheOneThatFailsIsNamed) {
    EXPECT_EQ(verdict("B.sum[0,0,all]", Relation::near, 1.0),
              "no longer holds (not in row “name”)");
    EXPECT_EQ(verdict("A.weights[0,0,1,all 1-2]", Relation::less, 0.1),
              "no longer holds (not in key “y”)");
    EXPECT_EQ(verdict("A.weights[0,0,all,all]", Relation::less, 0.7),
              "no longer holds (not in row “name”, key “x”)");
}

TEST(VerdictWords, OfASingleRowNothingIsCounted) {
    EXPECT_EQ(verdict("A.sum[0,all,0]", Relation::near, 1.0), "holds");
}

TEST(VerdictWords, ANumberThatTheClaimHasIsNotRepeated) {
    EXPECT_EQ(verdict("B.sum[0,0,1]", Relation::less, 0.5, "it keeps {B.sum[0,0,1]:%}"), "holds");
    EXPECT_EQ(verdict("B.sum[0,0,1]", Relation::less, 0.5, "half of {A.sum[0,0,1]}"),
              "holds (0.250)");
}

TEST(VerdictWords, ADifferenceIsShownAsOne) {
    const Address other = parse_address("B.sum[0,0,1]");
    EXPECT_EQ(verdict("A.sum[0,0,1]", Relation::greater, other), "holds (0.750 more)");
    EXPECT_EQ(verdict("A.sum[0,0,1]", Relation::less, other), "no longer holds (0.750 more)");
    EXPECT_EQ(verdict("A.sum[0,0,1]", Relation::near, other), "no longer holds (0.750 apart)");
    EXPECT_EQ(verdict("A.sum[0,0,all]", Relation::near, parse_address("B.sum[0,0,all]")),
              "no longer holds (not in row “name”)");
}

TEST(VerdictWords, NoSentenceHasTwoColons) {
    Fact fact;
    fact.address = parse_address("A.sum[0,0,0]");
    const Verdict holds{true, 0.5};
    EXPECT_EQ(verdict_after("it keeps half", fact, holds, judged_scene()).substr(0, 7), ": holds");
    EXPECT_EQ(verdict_after("half: kept", fact, holds, judged_scene()).find(':'),
              std::string::npos);
}

}  // namespace
}  // namespace maskscope
