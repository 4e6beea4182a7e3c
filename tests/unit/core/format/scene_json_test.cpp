// Tests scenes: read(write(s)) == s, defaults, fields set by pointer, and checks of edited scenes.

#include "core/format/scene_json.h"
#include "core/base/build.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "core/base/error.h"
#include "tests/support/random_scene.h"
#include "tests/support/scene_samples.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Scene read_sample(const std::string& name) { return read_scene(test::sample(name), "."); }

Show focus(Index i, Index j) {
    Show show;
    show.focus = Cell{i, j};
    return show;
}

std::string error_of(const std::function<void()>& work) {
    try {
        work();
        return "nothing is wrong";
    } catch (const InputError& error) {
        return error.place + "|" + error.what();
    }
}

// --- the round trip

// `folder` contains the files that the scene names.
void expect_round_trip(const Scene& scene, const fs::path& folder = ".") {
    const std::string text = write_scene(scene);
    const Scene again = read_scene(text, folder);
    EXPECT_EQ(again, scene) << text;
    EXPECT_EQ(write_scene(again), text);
    EXPECT_NO_THROW(check_scene(scene)) << text;
}

TEST(SceneJson, GoldenScenesRoundTrip) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(source_folder() + "/tests/data/golden")) {
        if (!entry.is_directory()) continue;
        const fs::path& folder = entry.path();
        expect_round_trip(read_scene(text_of(folder / "scene.json"), folder), folder);
        ++count;
    }
    EXPECT_EQ(count, 33);
}

TEST(SceneJson, SamplesRoundTrip) {
    for (const char* name : test::sample_names) expect_round_trip(read_sample(name));
}

TEST(SceneJson, RandomScenesRoundTrip) {
    for (int seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        const Scene scene = random_scene(seed, {.extreme = true});
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(scene));
        if (HasFailure()) return;
    }
}

// --- how it is written

TEST(SceneJson, DefaultsAreWrittenInTheirOrder) {
    const Scene scene = read_scene(R"({"variants": [{"name": "v"}], "maskscope": 1, "inputs": {
        "d_v": 2, "d_k": 4, "heads": 1, "seed": 7, "kind": "embedding"}, "sequences":
        [{"queries": ["a"]}]})",
                                   ".");
    EXPECT_EQ(write_scene(scene), R"({
  "maskscope": 1,
  "title": "",
  "pad_token": "<pad>",
  "sequences": [
    {
      "queries": [
        "a"
      ]
    }
  ],
  "inputs": {
    "kind": "embedding",
    "seed": 7,
    "heads": 1,
    "d_k": 4,
    "d_v": 2,
    "d_model": 64
  },
  "variants": [
    {
      "name": "v",
      "score": {
        "kind": "dot"
      },
      "scale": "sqrt_d_k",
      "mask": {
        "layers": [],
        "apply": "additive",
        "value": "-inf",
        "times": 1,
        "order": "scale_then_mask"
      },
      "normalizer": "softmax",
      "empty_rows": "nan",
      "dtype": "float32",
      "output": {
        "kind": "values"
      }
    }
  ]
}
)");
}

bool is_written(const Scene& scene, const std::string& text) {
    return write_scene(scene).find(text) != std::string::npos;
}

TEST(SceneJson, NumbersStandOnOneLine) {
    Scene scene = read_sample("tensors");
    EXPECT_TRUE(is_written(scene, R"(
    "queries": [
      [1, 2],
      [3, 4],
      [5, 6]
    ],
)"));
    MaskLayer bias;
    bias.kind = LayerKind::bias;
    bias.bias = {{0, 1, -0.5}, {2, 0, 1e9}};
    scene.variants[0].mask.layers = {bias};
    EXPECT_TRUE(is_written(scene, R"(
            "cells": [
              [0, 1, -0.5],
              [2, 0, 1e9]
            ]
)"));
}

TEST(SceneJson, SinksAreReadAndWritten) {
    Scene scene = read_sample("tensors");
    MaskLayer sinks;
    sinks.kind = LayerKind::sinks;
    sinks.count = 2;
    scene.variants[0].mask.layers = {sinks};
    EXPECT_TRUE(is_written(scene, R"(
            "kind": "sinks",
            "count": 2
)"));
}

TEST(SceneJson, WeightsVariantsWriteOnlyTheirKeys) {
    const std::string text = write_scene(read_sample("weights"));
    for (const char* key : {"score", "scale", "normalizer", "value", "times", "order"})
        EXPECT_EQ(text.find('"' + std::string(key) + '"'), std::string::npos) << key;
    EXPECT_NE(text.find("\"apply\": \"none\""), std::string::npos);
}

TEST(SceneJson, HiddenIsWrittenWhereMatricesAreSeeded) {
    Scene scene = read_sample("embedding");
    scene.variants[0].score.kind = ScoreKind::additive;
    EXPECT_TRUE(is_written(scene, "\"hidden\": 8"));
    scene.variants[0].score.w_q = make_array({1, 4}, {1, 2, 3, 4});
    scene.variants[0].score.w_k = make_array({1, 4}, {1, 2, 3, 4});
    scene.variants[0].score.w_v = make_array({1}, {1});
    EXPECT_FALSE(is_written(scene, "hidden"));
    expect_round_trip(scene);
}

TEST(SceneJson, ShowIsWrittenAsItWasRead) {
    const auto with_show = [](const std::string& show) {
        return read_scene(test::changed("embedding", "/show", show), ".");
    };
    EXPECT_FALSE(is_written(read_sample("embedding"), "show"));
    EXPECT_TRUE(is_written(with_show("{}"), "\"show\": {}"));
    EXPECT_FALSE(is_written(with_show(R"({"d": 4})"), "view"));
    EXPECT_EQ(with_show(R"({"difference": "B-A"})").show->difference, (Difference{1, 0}));
}

// --- defaults that depend on the inputs

ScaleKind scale_with(const std::string& sample, const std::string& pointer,
                     const std::string& value) {
    return read_scene(test::changed(sample, pointer, value), ".").variants[0].scale.kind;
}

TEST(SceneJson, DefaultScale) {
    const std::string score = "/variants/0/score";
    EXPECT_EQ(scale_with("embedding", score, R"({"kind": "dot"})"), ScaleKind::sqrt_d_k);
    EXPECT_EQ(scale_with("embedding", score, R"({"kind": "bilinear"})"), ScaleKind::sqrt_d_k);
    EXPECT_EQ(scale_with("embedding", score, R"({"kind": "gaussian"})"), ScaleKind::none);
    EXPECT_EQ(scale_with("embedding", score, R"({"kind": "additive"})"), ScaleKind::none);
    EXPECT_EQ(scale_with("output", "/title", R"("")"), ScaleKind::sqrt_d_k);
    EXPECT_EQ(scale_with("scores", "/title", R"("")"), ScaleKind::sqrt_d_k);
    EXPECT_EQ(scale_with("scores", "/inputs/d_k", ""), ScaleKind::none);
    EXPECT_EQ(scale_with("patterns", "/title", R"("")"), ScaleKind::none);
}

TEST(SceneJson, WidthsMayDifferForBilinearAndAdditive) {
    for (const char* kind : {"bilinear", "additive"}) {
        Scene scene = read_sample("tensors");
        auto& tensors = std::get<TensorsInputs>(scene.inputs);
        tensors.keys = make_array({2, 1}, {1, 2});
        for (Variant& variant : scene.variants)
            variant.score.kind =
                kind == std::string("bilinear") ? ScoreKind::bilinear : ScoreKind::additive;
        expect_round_trip(scene);
    }
}

// Such a scene is in range but too large for any memory, so the machine must refuse it, not the
// reader.
TEST(SceneJson, SizesThatNoMachineHoldsAreNotBadInput) {
    EXPECT_NO_THROW(read_scene(test::changed("embedding", "/inputs", R"({"kind": "embedding",
        "seed": 9007199254740991, "heads": 1024, "d_k": 65536, "d_v": 65536, "d_model": 65536})"),
                               "."));
}

TEST(SceneJson, MinusZeroKeepsItsSign) {
    const Scene scene = read_scene(test::changed("scores", "/variants/0/scale", "-0"), ".");
    EXPECT_TRUE(std::signbit(scene.variants[0].scale.number));
    EXPECT_TRUE(is_written(scene, "\"scale\": -0.0"));
}

// --- fields

Scene with(const std::string& sample, const Fields& fields) {
    return with_fields(read_sample(sample), fields, ".");
}

TEST(WithFields, SetsWhatIsThereOnceDefaultsAreWritten) {
    const Scene scene = with("embedding", {{"/variants/1/mask/apply", "\"multiply_weights\""},
                                           {"/title", "\"t\""},
                                           {"/sequences/0/queries/2", "\"z\""},
                                           {"/inputs/d_model", "8"}});
    Scene expected = read_sample("embedding");
    expected.variants[1].mask.apply = Apply::multiply_weights;
    expected.title = "t";
    expected.sequences[0].queries.edit([](auto& tokens) { tokens[2] = "z"; });
    std::get<EmbeddingInputs>(expected.inputs).d_model = 8;
    EXPECT_EQ(scene, expected);
}

TEST(WithFields, SetsAnOptionalKeyThatIsNotThere) {
    EXPECT_EQ(with("scores", {{"/variants/0/output/kind", "\"projected\""},
                              {"/variants/0/output/w", "[[1], [2]]"}})
                  .variants[0]
                  .output.w->axes,
              (std::vector<Index>{2, 1}));
}

TEST(WithFields, AllAreSetTogether) {
    // Either change alone would leave keys in only one of the two sequences.
    const Scene scene =
        with("embedding", {{"/sequences/0/keys", R"(["x"])"}, {"/sequences/1/keys", R"(["y"])"}});
    EXPECT_FALSE(is_self_attention(scene));
}

TEST(WithFields, ReachesIntoArraysAsTheyWereWritten) {
    const Scene scene =
        with("tensors", {{"/inputs/queries/2/1", "60"}, {"/inputs/keys/0/1/0", "-0.5"}});
    const auto& tensors = std::get<TensorsInputs>(scene.inputs);
    EXPECT_EQ(tensors.queries, make_array({3, 2}, {1, 2, 3, 4, 5, 60}));
    EXPECT_EQ(tensors.keys, make_array({1, 2, 2}, {1, 0, -0.5, 1}));
}

TEST(WithFields, WithoutFieldsNothingChanges) {
    for (int seed = 1000; seed < 1200; ++seed) {
        const Scene scene = random_scene(seed, {.extreme = true});
        EXPECT_EQ(with_fields(scene, {}, "."), scene);
        EXPECT_EQ(write_scene(with_fields(scene, {}, ".")), write_scene(scene)) << "-0 is not 0";
    }
}

TEST(WithFields, ShowIsKeptAndNotJudgedAgain) {
    Scene scene = read_sample("embedding");
    scene.show = focus(2, 2);
    const Scene shorter = with_fields(scene, {{"/sequences/0/queries", R"(["a"])"}}, ".");
    EXPECT_EQ(shorter.show, scene.show);
}

TEST(WithFields, TensorFilesAreNotReadAgain) {
    Scene scene = read_sample("scores");
    std::get<ScoresInputs>(scene.inputs).scores.file = "gone.npy";
    EXPECT_EQ(with_fields(scene, {{"/title", "\"t\""}}, "/nowhere").inputs, scene.inputs);
}

struct BadFields {
    std::string sample;
    Fields fields;
    std::string error;  // place|message
};

TEST(WithFields, ErrorsNameTheFieldAtFault) {
    const BadFields table[] = {
        {"embedding", {{"variants", "1"}}, "variants|expected a JSON pointer, which starts with /"},
        {"embedding", {{"/a~2", "1"}}, "/a~2|~ is allowed only in ~0 and ~1"},
        {"embedding", {{"/variants/2", "1"}}, "/variants/2|does not exist in the scene"},
        {"embedding", {{"/variants/-", "1"}}, "/variants/-|does not exist in the scene"},
        {"embedding", {{"/variants/00", "1"}}, "/variants/00|does not exist in the scene"},
        {"embedding", {{"/title/0", "1"}}, "/title/0|does not exist in the scene"},
        {"embedding", {{"/show/focus", "[0, 0]"}}, "/show/focus|does not exist in the scene"},
        {"tensors",
         {{"/inputs/queries/3", "[1, 2]"}},
         "/inputs/queries/3|does not exist in the scene"},
        {"tensors",
         {{"/inputs/queries/0/0/0/0", "1"}},
         "/inputs/queries/0/0/0/0|does not exist in the scene"},
        {"embedding",
         {{"/extra", "1"}},
         "/extra|unknown key (known: inputs, maskscope, pad_token, sequences, show, title, "
         "variants)"},
        {"embedding", {{"/title", "1"}}, "/title|expected a string, got 1"},
        {"embedding", {{"/title", "1x"}}, "/title|invalid literal; expected end of input"},
        {"embedding",
         {{"/inputs/seed", "7.0"}},
         "/inputs/seed|expected an integer from 0 to 9007199254740991, got 7.0"},
        {"embedding", {{"/variants/0", "{}"}}, "/variants/0|/variants/0/name: missing key"},
        {"embedding",
         {{"/inputs", "{}"}, {"/inputs/seed", "1"}},
         "/inputs/seed|overlaps with /inputs"},
        {"embedding",
         {{"/inputs/seed", "1"}, {"/inputs", "{}"}},
         "/inputs|overlaps with /inputs/seed"},
        {"embedding",
         {{"/title", "\"t\""}, {"/sequences/0/keys", R"(["x"])"}},
         "/sequences/0/keys|/sequences/1/keys: missing key: sequence 0 has keys"},
        {"scores",
         {{"/inputs/d_k", "9"}, {"/variants/0/scale", "\"sqrt\""}},
         "/variants/0/scale|expected \"sqrt_d_k\", \"sqrt_n_k\", \"none\" or a number, "
         "got \"sqrt\""},
        {"embedding",
         {{"/inputs/kind", "\"patterns\""}},
         "/inputs/kind|/inputs/d_k: unknown key (known: d_v, heads, kind, seed)"},
    };
    for (const BadFields& bad : table)
        EXPECT_EQ(error_of([&] { with(bad.sample, bad.fields); }), bad.error);
}

// --- edited scenes

std::string judged(const std::string& sample, const std::function<void(Scene&)>& edit) {
    Scene scene = read_sample(sample);
    edit(scene);
    return error_of([&] { check_scene(scene); });
}

TEST(CheckScene, EditsAreHeldToTheSameRules) {
    EXPECT_EQ(judged("embedding", [](Scene& s) { s.sequences[1].queries = {}; }),
              "/sequences/1/queries|expected a list that is not empty, got an empty list");
    EXPECT_EQ(judged("embedding", [](Scene& s) { s.variants[0].name = "a\tb"; }),
              "/variants/0/name|expected a string without control characters, got \"a\\u0009b\"");
    EXPECT_EQ(judged("embedding", [](Scene& s) { s.pad_token = "\xff"; }),
              "/pad_token|is not valid UTF-8");
    EXPECT_EQ(judged("tensors",
                     [](Scene& s) { s.sequences[0].queries.edit([](auto& q) { q.pop_back(); }); }),
              "/inputs/queries|expected an array [1, h, 2, d_q], got [3, 2]");
    EXPECT_EQ(judged("scores",
                     [](Scene& s) {
                         std::get<ScoresInputs>(s.inputs).values.reset();
                         s.variants[1].output.kind = OutputKind::projected;
                     }),
              "/variants/1/output/kind|\"projected\" needs values, but these inputs have none");
}

TEST(CheckScene, NumbersOfTheSceneAreFinite) {
    const double infinite = std::numeric_limits<double>::infinity();
    const auto set = [&](Scene& scene) -> Array& {
        auto& scores = std::get<ScoresInputs>(scene.inputs).scores;
        scores.values = ArrayNumbers(std::vector<double>{0, 1, 2, infinite, 0, 1, 2, 3});
        return scores;
    };
    EXPECT_EQ(
        judged("scores", [&](Scene& s) { set(s); }),
        "/inputs/scores|a number that is infinite or NaN can be stored only in a tensor file");
    EXPECT_EQ(judged("scores", [&](Scene& s) { set(s).file = "gone.npy"; }), "nothing is wrong");
    EXPECT_EQ(
        judged("scores", [](Scene& s) { std::get<ScoresInputs>(s.inputs).scores.axes[2] = 3; }),
        "/inputs/scores|an array with more or fewer numbers than its axes say");
    EXPECT_EQ(judged("scores",
                     [&](Scene& s) {
                         s.variants[0].scale = {ScaleKind::number, infinite};
                     }),
              "/variants/0/scale|expected a finite number, got null");
}

TEST(CheckScene, ShowMayPointAtNothing) {
    EXPECT_EQ(judged("embedding", [](Scene& s) { s.show = focus(9, 9); }), "nothing is wrong");
}

}  // namespace
}  // namespace maskscope
