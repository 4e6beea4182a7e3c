// Tests the four tests of a mask, on masks that are right and on the mistakes that they must find.

#include "core/compute/mask_tests.h"

#include <gtest/gtest.h>

#include "core/format/scene_json.h"

namespace maskscope {
namespace {

const std::string two_heads = R"({"kind": "embedding", "seed": 7, "heads": 2, "d_k": 4, "d_v": 4})";
const std::string one_sentence = R"([{"queries": ["a", "name", "is", "Luke"]}])";
const std::string two_sentences = R"([{"queries": ["a", "b", "c"]}, {"queries": ["d", "<pad>"]}])";

Scene tested_scene(const std::string& sequences, const std::string& inputs, const std::string& mask,
                   const std::string& more = "") {
    return read_scene(R"({"maskscope": 1, "sequences": )" + sequences + R"(, "inputs": )" + inputs +
                          R"(, "variants": [{"name": "v", "mask": )" + mask + more + "}]}",
                      std::filesystem::path());
}

TestResult outcome_of(const char* name, const Scene& scene) {
    Progress progress;
    return test_mask(*mask_test(name), scene, 0, progress);
}

void expect_pass(const char* name, const Scene& scene) {
    const TestResult result = outcome_of(name, scene);
    EXPECT_EQ(result.outcome, TestOutcome::pass) << result.words;
    EXPECT_EQ(result.words, "");
}

void expect_fail(const char* name, const Scene& scene, const std::string& words) {
    const TestResult result = outcome_of(name, scene);
    EXPECT_EQ(result.outcome, TestOutcome::fail);
    EXPECT_NE(result.words.find(words), std::string::npos) << result.words;
}

void expect_unavailable(const char* name, const Scene& scene) {
    const TestResult result = outcome_of(name, scene);
    EXPECT_EQ(result.outcome, TestOutcome::not_applicable);
    EXPECT_FALSE(result.words.empty());
}

const std::string causal_layers = R"({"layers": [{"kind": "causal"}]})";
const std::string causal_afterwards =
    R"({"layers": [{"kind": "causal"}], "apply": "multiply_weights"})";
const std::string no_layers = R"({"layers": []})";

TEST(MaskTests, StandInTheOrderOfTheContractAndSayWhatTheyMean) {
    std::string names;
    for (const MaskTest& test : mask_tests()) {
        names += std::string(test.name) + " ";
        EXPECT_TRUE(test.means.ends_with("."));
        EXPECT_EQ(mask_test(test.name), &test);
    }
    EXPECT_EQ(names, "future padding cache gradient ");
    EXPECT_EQ(mask_test("past"), nullptr);
}

TEST(MaskTests, TheFutureMovesAnOutputThroughTheSumOfARow) {
    expect_pass("future", tested_scene(one_sentence, two_heads, causal_layers));
    expect_fail("future", tested_scene(one_sentence, two_heads, no_layers), " is replaced");
    expect_fail("future", tested_scene(one_sentence, two_heads, causal_afterwards), "changes by ");
    expect_unavailable(
        "future", tested_scene(R"([{"queries": ["a"], "keys": ["b"]}])", two_heads, no_layers));
    expect_unavailable(
        "future", tested_scene(R"([{"queries": ["a", "b"]}])",
                               R"({"kind": "scores", "scores": [[0, 0], [0, 0]]})", no_layers));
}

TEST(MaskTests, APaddedSequenceDiffersWithoutAPaddingMask) {
    expect_pass("padding",
                tested_scene(two_sentences, two_heads, R"({"layers": [{"kind": "padding"}]})"));
    expect_pass("padding", tested_scene(two_sentences, two_heads, causal_layers));
    expect_fail("padding", tested_scene(two_sentences, two_heads, no_layers),
                "row \"d\" (0) of sequence 1");
    expect_unavailable("padding", tested_scene(one_sentence, two_heads, no_layers));
    expect_pass("padding", tested_scene(R"([{"queries": ["<pad>", "a"]}])", two_heads, no_layers));
    expect_unavailable("padding", tested_scene(two_sentences, two_heads, causal_layers,
                                               R"(, "scale": "sqrt_n_k")"));
    expect_unavailable("padding", tested_scene(two_sentences, two_heads, R"({"layers": [
        {"kind": "any", "layers": [{"kind": "formula", "allowed": "j < n_k"}]}]})"));
}

TEST(MaskTests, WhatRulesSayStaysForTheSequenceAlone) {
    expect_pass("padding",
                tested_scene(two_sentences, two_heads, R"({"layers": [{"kind": "padding"},
        {"kind": "groups", "ids": [[0, 1, 1], [0, 0, 1]]},
        {"kind": "tensor", "allowed": [[true, true, true], [true, false, true], [true, true, true]]},
        {"kind": "formula", "allowed": "b < 2 && j <= i"},
        {"kind": "bias", "cells": [[2, 1, 0.5]]}]})"));
}

TEST(MaskTests, ACacheSeesOneKeyUnderATopLeftMask) {
    expect_pass("cache",
                tested_scene(one_sentence, two_heads,
                             R"({"layers": [{"kind": "causal", "align": "bottom_right"}]})"));
    expect_fail("cache", tested_scene(one_sentence, two_heads, causal_layers), "step by step");
    expect_unavailable(
        "cache", tested_scene(R"([{"queries": ["a"], "keys": ["b"]}])", two_heads, no_layers));
}

TEST(MaskTests, GradientsFlowThroughWhatIsMultipliedAfterwards) {
    expect_pass("gradient", tested_scene(one_sentence, two_heads, causal_layers));
    expect_fail("gradient", tested_scene(one_sentence, two_heads, causal_afterwards),
                "on blocked keys in row");
    const std::string empty = R"({"layers": [{"kind": "blocked", "rows": [1]}]})";
    expect_fail("gradient", tested_scene(one_sentence, two_heads, empty),
                "NaN in row \"name\" (1)");
    expect_pass("gradient",
                tested_scene(one_sentence, two_heads, empty, R"(, "empty_rows": "all")"));
    expect_unavailable("gradient", tested_scene(R"([{"queries": ["a"]}])",
                                                R"({"kind": "weights", "weights": [[1]]})",
                                                R"({"apply": "none"})"));
}

}  // namespace
}  // namespace maskscope
