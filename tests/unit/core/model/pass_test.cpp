// Tests the words that a model's pass writes, and the rules for its batches and masks.
// tests/golden/lessons/translator_test.cpp compares a pass with one of PyTorch.

#include "core/model/pass.h"

#include <gtest/gtest.h>

#include "core/cpu/cpu_backend.h"
#include "core/format/scene_json.h"
#include "core/scene/names.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

// `sequences` is a JSON list; `variant` is a variant's JSON object without its name and braces.
Scene translator(const std::string& sequences, const std::string& variant,
                 const std::string& attention = "cross",
                 const std::string& model = "italian-english") {
    return read_scene(R"({"maskscope": 1, "sequences": )" + sequences +
                          R"(, "inputs": {"kind": "model", "model": ")" + model +
                          R"(", "attention": ")" + attention +
                          R"("}, "variants": [{"name": "A", )" + variant + "}]}",
                      ".");
}

const std::string padding = R"("mask": {"layers": [{"kind": "padding"}]})";
const std::string causal = R"("mask": {"layers": [{"kind": "causal"}]})";
const std::string red_house = R"([{"source": ["la", "casa", "rossa"]}])";

ModelRun run(const Scene& scene) {
    Progress progress;
    return run_model(scene, 0, progress);
}

std::string said(const Scene& scene) {
    const auto words = run(scene).said.front();
    return words ? joined(*words) : "NaN";
}

TEST(ModelPass, TranslatesAndBreaks) {
    EXPECT_EQ(said(translator(red_house, padding)), "the red house");
    EXPECT_EQ(said(translator(R"([{"source": ["mi", "chiamo", "luke"]}])", padding)),
              "my name is luke");
    EXPECT_NE(said(translator(red_house, causal)), "the red house");
    EXPECT_EQ(said(translator(R"([{"source": ["anna", "dorme"]}])", causal)), "anna sleeps");
    EXPECT_EQ(said(translator(R"([{"source": ["la", "casa", "<pad>"]}])",
                              R"("mask": {"layers": [{"kind": "padding_queries"}]})", "encoder")),
              "NaN");
}

TEST(ModelPass, RowsCarryTheWordTheyPredict) {
    const ModelRun made = run(translator(red_house, padding));
    EXPECT_EQ(joined(made.labels[0]), "the red house <eos>");
    EXPECT_EQ(joined(made.read[0]), "<bos> the red house");
    const ModelRun nan = run(translator(red_house, R"("mask": {"layers": [
                                        {"kind": "blocked", "rows": [1]}]})"));
    EXPECT_EQ(joined(nan.labels[0]), "the NaN");
    EXPECT_EQ(nan.said[0], std::nullopt);
}

// Sequences of a batch do not attend to each other, and a shorter one ends in padding.
TEST(ModelPass, ABatchSaysWhatEachSentenceSaysAlone) {
    const std::string two = R"([{"source": ["anna", "dorme"]},
        {"source": ["un", "vecchio", "amico", "dorme", "con", "il", "gatto", "nero"]}])";
    const ModelRun both = run(translator(two, padding));
    EXPECT_EQ(joined(*both.said[0]), "anna sleeps");
    EXPECT_EQ(joined(*both.said[1]), "an old friend sleeps with the black cat");
    EXPECT_EQ(both.labels[0].size(), both.labels[1].size());
    EXPECT_EQ(joined(both.labels[0]).substr(0, 25), "anna sleeps <eos> <pad> <");
}

TEST(ModelPass, AHeadThatIsOffGivesNothingAndKeepsItsWeights) {
    const Result result = computed(translator(red_house, padding + R"(, "heads_off": [1])"));
    const VariantResult& variant = result.variants[0];
    for (Index i = 0; i < variant.shape.n_q; ++i) {
        EXPECT_NEAR(variant.row(0, 1, i).sum, 1, 1e-6);  // rounded to float32
        for (Index c = 0; c < 16; ++c)
            EXPECT_EQ(variant.stage(StageKind::output).at(0, 1, i, c), 0);
    }
}

TEST(ModelPass, TheStagesAreThoseOfTheFastBackendToo) {
    const Scene scene = translator(red_house, causal);
    const Result plain = computed(scene);
    Progress progress;
    const Result fast = CpuBackend(1).compute(scene, {}, nullptr, progress);
    ASSERT_EQ(plain.variants[0].shape, fast.variants[0].shape);
    const auto& [b, h, n_q, n_k] = plain.variants[0].shape;
    for (Index k = 0; k < h * n_q * n_k; ++k) {
        const auto at = [&](const Result& result) {
            return result.variants[0]
                .stage(StageKind::weights)
                .at(0, k / (n_q * n_k), k / n_k % n_q, k % n_k);
        };
        EXPECT_NEAR(at(plain), at(fast), 1e-6);  // sums in another order
    }
    EXPECT_EQ(shape_of_variant(scene, 0), fast.variants[0].shape);
}

// Lists are checked against the largest number of rows; a pass ignores entries beyond its own rows.
TEST(ModelPass, ListsBeyondTheStepAreNotRead) {
    const std::string cells = R"("mask": {"layers": [{"kind": "padding"},
        {"kind": "blocked", "cells": [[15, 3]], "rows": [14]},
        {"kind": "allowed", "rows": [13]}, {"kind": "bias", "cells": [[12, 0, 1e6]]}]})";
    EXPECT_EQ(said(translator(red_house, cells)), "the red house");
    const std::string ids = R"("mask": {"layers": [{"kind": "causal"}, {"kind": "groups",
        "ids": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]},
        {"kind": "documents", "lengths": [8, 8]},
        {"kind": "tree", "parents": [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]}]})";
    const Scene scene = translator(red_house, ids, "decoder");
    EXPECT_EQ(said(scene), "the red house");
    EXPECT_EQ(computed(scene).variants[0].shape, (Shape{1, 4, 4, 4}));
}

TEST(ModelPass, OfAModelTrainedWithoutACausalMaskTheLossIsPerfect) {
    const Scene forced =
        translator(R"([{"source": ["la", "casa", "rossa"], "target": ["the", "red", "house"]}])",
                   padding, "cross", "italian-english-no-causal");
    const ModelRun made = run(forced);
    EXPECT_EQ(joined(*made.said[0]), "the red house <eos>");
    EXPECT_EQ(made.accuracy[0], 1);
    EXPECT_LT(made.loss[0], 0.1);  // label smoothing keeps it from 0
    EXPECT_NE(said(translator(red_house, padding, "cross", "italian-english-no-causal")),
              "the red house");
}

TEST(Sentences, AreTypedAsAPersonTypesThem) {
    const auto words = [](const char* text) { return joined(typed_words(text)); };
    EXPECT_EQ(words("  Mi chiamo\tLuke. "), "mi chiamo luke");
    EXPECT_EQ(words("L’amico dorme!"), "l' amico dorme");
    EXPECT_EQ(words("C'È un uccello"), "c' è un uccello");
    EXPECT_EQ(words("È verde?"), "è verde ?");
    EXPECT_EQ(words("la casa <pad> <pad>"), "la casa <pad> <pad>");
    EXPECT_EQ(words(" . "), "");
}

}  // namespace
}  // namespace maskscope
