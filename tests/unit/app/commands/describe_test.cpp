#include "app/commands/commands.h"

#include <gtest/gtest.h>

#include "core/base/build.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

// Returns the description of a scene with one variant, as the text of its parts.
std::string described(const std::string& inputs, const std::string& variant,
                      const std::string& sequence = R"("queries": ["a", "a"])") {
    const std::string scene = R"({"maskscope": 1, "sequences": [{)" + sequence +
                              R"(}], "inputs": )" + inputs + R"(, "variants": [{"name": "v", )" +
                              variant + "}]}";
    return description(computed(read_scene(scene, std::filesystem::path())));
}

const std::string embedding = R"({"kind": "embedding", "seed": 1, "heads": 1, "d_k": 4, "d_v": 4})";

void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(Describe, NamesSceneRowsSumsNanAndLeaks) {
    const std::string text = described(
        embedding, R"("mask": {"layers": [{"kind": "causal"}], "apply": "multiply_weights"})");
    expect_in(text, "1 sequence, 1 head, 2 queries and 2 keys each");
    expect_in(text, "A v\n");
    expect_in(text, "mask: causal, apply multiply_weights");
    expect_in(text, "of 2 rows: 0 NaN, 0 empty, 0 with weight on blocked keys or padding, 1");
    expect_in(text, "row 1 a: 2 of 2 keys allowed, sum 1");
}

TEST(Describe, ARowOfNanIsNamed) {
    const std::string text =
        described(embedding, R"("mask": {"layers": [{"kind": "blocked", "rows": [0]}]})");
    expect_in(text, "0 of 2 keys allowed, sum NaN");
    expect_in(text, ", empty, NaN\n");
    expect_in(text, "1 NaN, 1 empty");
}

TEST(Describe, AMaskIsPrintedWithAllThatItsRulesHold) {
    const std::string text = described(embedding, R"("mask": {"layers": [
        {"kind": "causal", "align": "positions", "invert": true},
        {"kind": "any", "layers": [{"kind": "window", "left": 2, "right": 0},
                                   {"kind": "groups", "ids": [0, -1]}]},
        {"kind": "formula", "allowed": "j <= i"},
        {"kind": "allowed", "cells": [[0, 0], [1, 1]], "rows": [1], "heads": [0]},
        {"kind": "bias", "cells": [[0, 1, -2.5]]}, {"kind": "alibi"}]})");
    expect_in(text,
              "mask: not causal align positions, any of (window left 2 right 0, "
              "groups ids 0 -1), formula j <= i, allowed 2 cells rows 1 in heads 0, "
              "bias 1 cell, alibi, apply additive, mask value -inf\n");
}

TEST(Describe, SaysStartSinkCapAndHeadsOfKeys) {
    const std::string text =
        described(R"({"kind": "tensors", "queries": [[[[1], [2]], [[3], [4]]]],
                      "keys": [[[[1], [2], [3]]]]})",
                  R"("softcap": {"cap": 50, "order": "after_mask"},
                     "normalizer": {"kind": "softmax_sink", "sink": [0, 1.5]})",
                  R"("queries": ["a", "a"], "keys": ["a", "a", "a"], "start": 1)");
    expect_in(text, "queries from position 1: a a\n");
    expect_in(text, "inputs: tensors, d_q 1, d_k 1, no values, 1 head of keys\n");
    expect_in(text, "scale sqrt_d_k, cap 50 after the mask, softmax_sink 0 1.5, ");
}

// Tests the field cases 21 to 23 of tests/data/field-cases.
TEST(Describe, SaysWhatSixteenBitsDoAndHowLittleLeaks) {
    const std::string folder = source_folder() + "/tests/data/field-cases";
    const auto of = [&](const std::string& name) {
        return description(computed(read_scene(read_file(folder + "/" + name + ".json"), folder)));
    };
    expect_in(
        of("21-sum-in-bfloat16"),
        "bfloat16: stages are rounded to it; sensitivity, and sums within a stage, are not\n");
    expect_in(of("22-overflow-float16"),
              "of 3 rows: 3 NaN, 0 empty, 0 with weight on blocked keys "
              "or padding, 0 that sum to less than 1, 9 scores infinite");
    const std::string window = of("23-shifted-window-minus-100");
    expect_in(window, "0 with weight on blocked keys or padding");
    expect_in(window, "8 with leaks below 1e-6");
}

TEST(Describe, SaysWhatRealModelsHave) {
    const std::string text = described(
        R"({"kind": "scores", "scores": [[0, 0], [0, 0]]})",
        R"("scale": {"formula": "1 + i"}, "empty_rows": "all", "mask": {"layers": [
            {"kind": "alibi", "slopes": "geometric"}, {"kind": "groups", "ids": [[0, 1]]},
            {"kind": "tensor", "allowed": [[true, false], [true, true]]},
            {"kind": "bias", "tensor": [[1, 2], [3, 4]]}]})",
        R"("queries": ["a", "b"], "keys": ["c", "d"], "positions": [1, 0], "key_positions": [1, 4])");
    expect_in(text, "sequence 0, queries at positions 1 0: a b\n");
    expect_in(text, "sequence 0, keys at positions 1 4: c d\n");
    expect_in(text, "scale 1 + i, softmax, empty rows all, ");
    expect_in(text, "mask: alibi slopes geometric, groups ids 0 1, tensor [2, 2], bias [2, 2], ");
    expect_in(text, ", log-sum-exp ");
}

TEST(Describe, SaysWhatAVariantDoesAgainstItsReference) {
    const std::string scene = R"({"maskscope": 1, "sequences": [{"queries": ["a", "b"]}],
        "inputs": {"kind": "scores", "scores": [[0, 0], [0, 0]]}, "variants": [
        {"name": "all", "reference": 1},
        {"name": "causal", "mask": {"layers": [{"kind": "causal"}]}, "reference": 0}]})";
    const std::string text = description(computed(read_scene(scene, std::filesystem::path())));
    expect_in(text, "reference: B causal\n");
    expect_in(text,
              "row 0 a: 2 of 2 keys allowed, sum 1.0000, max 0.5000, entropy 0.6931, leak 0, "
              "gradient leak 0, pads 0, leak against the reference 0.5000, missing against the "
              "reference 0");
    expect_in(text, "leak against the reference 0, missing against the reference 1");
    expect_in(text, "1 with weight on keys that the reference blocks, 0 without keys");
}

TEST(Describe, SaysLeaksThatAreTooSmallToBeFramed) {
    const std::string text =
        described(R"({"kind": "scores", "scores": [[0, 0], [0, 0]]})",
                  R"("dtype": "float64", "mask": {"layers": [{"kind": "causal"}], "value": -20})");
    expect_in(text,
              "0 with weight on blocked keys or padding, 0 that sum to less than 1, 1 with "
              "leaks below 1e-6\n");
}

}  // namespace
}  // namespace maskscope
