#include "app/web/calls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace {

using Json = nlohmann::ordered_json;

Json parse(const std::string& text) { return Json::parse(text); }
Json asked(const char* answer) { return parse(answer); }

// A lesson of one step that asks a question, with a mask that is multiplied after the softmax.
const char* const lesson = R"({
"maskscope_lesson": 1, "name": "one", "title": "One", "steps": [{
  "title": "Loses", "caption": "The row keeps {B.sum[0,0,1]:%}.", "ask": "How much is left?",
  "answer": "{B.sum[0,0,1]:%}",
  "try": "Click the cell.",
  "try_sets": {"/variants/1/mask/layers/0": {"kind": "blocked", "cells": [[0, 1], [0, 2]]}},
  "try_shows": {"lane": "B", "of": "sum", "at": [0, 0, 1], "is": "near", "than": 1, "says": "it is 1"},
  "scene": {"maskscope": 1, "title": "Loses", "sequences": [{"queries": ["a", "b", "</script>"]}],
    "inputs": {"kind": "embedding", "seed": 3, "heads": 1, "d_k": 4, "d_v": 4},
    "variants": [{"name": "Added", "mask": {"layers": [{"kind": "causal"}]}},
      {"name": "Multiplied", "mask": {"layers": [{"kind": "causal"}], "apply": "multiply_weights"}}],
    "show": {"stages": ["logits", "softmax", "weights"]}},
  "facts": [{"lane": "B", "of": "sum", "at": [0, 0, 1], "is": "<", "than": 0.999,
    "says": "the row loses weight", "fails_with": {"/variants/1/mask/apply": "additive"}}]}]})";

class Calls : public testing::Test {
protected:
    Calls() {
        const Json opened = asked(ms_load(lesson));
        handle = opened.value("handle", 0);
        EXPECT_GT(handle, 0) << opened.dump();
    }
    ~Calls() override { ms_close(handle); }
    Json edit(const Json& op) const { return asked(ms_edit(handle, op.dump().c_str())); }
    std::string scene() const { return ms_scene(handle); }

    int handle = 0;
};

TEST_F(Calls, LoadTellsTheSteps) {
    const Json opened = asked(ms_load(lesson));
    EXPECT_EQ(opened["lesson"], "one");
    ASSERT_EQ(opened["steps"].size(), 1U);
    EXPECT_EQ(opened["steps"][0]["asks"], true);
    ms_close(opened["handle"].get<int>());
}

TEST_F(Calls, TextThatIsWrongIsRefusedWithItsPlace) {
    const Json failed = asked(ms_load(R"({"maskscope": 1, "title": 7})"));
    EXPECT_EQ(failed["kind"], "input");
    EXPECT_EQ(failed["place"], "/title");
    EXPECT_FALSE(failed["error"].get<std::string>().empty());
}

TEST_F(Calls, WhatIsClosedIsRefused) {
    const int gone = asked(ms_load(lesson))["handle"].get<int>();
    ms_close(gone);
    EXPECT_TRUE(asked(ms_compute(gone)).contains("error"));
    EXPECT_TRUE(asked(ms_step(handle, 1)).contains("error"));
}

TEST_F(Calls, ACellIsTurnedOverAndUndone) {
    const std::string before = scene();
    const Json edited = edit({{"op", "cell"}, {"i", 0}, {"j", 1}});
    EXPECT_EQ(edited["changed"], true);
    EXPECT_EQ(edited["restorable"], true);
    EXPECT_NE(scene(), before);
    EXPECT_EQ(edit({{"op", "undo"}})["redo"], 1);
    EXPECT_EQ(scene(), before);
    edit({{"op", "redo"}});
    EXPECT_NE(scene(), before);
    EXPECT_EQ(edit({{"op", "restore"}})["restorable"], false);
    EXPECT_EQ(scene(), before);
}

TEST_F(Calls, AnEditThatIsRefusedChangesNothing) {
    const std::string before = scene();
    for (const Json& op :
         {Json{{"op", "none"}}, Json{{"op", "cell"}, {"i", 3}, {"j", 0}}, Json{{"op", "cell"}},
          Json{{"op", "sentence"}, {"side", "queries"}, {"text", " "}},
          Json{{"op", "choose"}, {"lane", 2}, {"setting", "mask.apply"}, {"choice", 0}},
          Json{{"op", "choose"}, {"lane", 0}, {"setting", "mask.apply"}, {"choice", 9}},
          Json{{"op", "choose"}, {"lane", 0}, {"setting", "colour"}, {"choice", 0}},
          Json{{"op", "type"}, {"lane", 0}, {"setting", "dtype"}, {"text", "float16"}},
          Json{{"op", "fields"}, {"fields", {{"/variants/0/mask/value", "minus"}}}},
          Json{{"op", "layer"}, {"kind", 3}, {"on", true}}, Json::array()}) {
        const Json refused = edit(op);
        EXPECT_TRUE(refused.contains("error")) << op.dump() << refused.dump();
        EXPECT_EQ(scene(), before) << op.dump();
    }
    EXPECT_EQ(edit({{"op", "fields"}, {"fields", {{"/variants/0/mask/value", "minus"}}}})["error"],
              R"(expected "-inf", "lowest" or a number, got "minus")");
}

// Every choice that is offered can be made, and is then the one that is chosen.
TEST_F(Calls, SettingsAreChosenOrTyped) {
    const auto settings = [&] { return asked(ms_words(handle))["settings"][1]; };
    int choices = 0;
    for (const Json& setting : settings())
        for (std::size_t k = 0; k < setting["choices"].size(); ++k) {
            const Json said = edit(
                {{"op", "choose"}, {"lane", 1}, {"setting", setting["setting"]}, {"choice", k}});
            ASSERT_FALSE(said.contains("error")) << setting.dump() << said.dump();
            for (const Json& now : settings()) {
                if (now["setting"] == setting["setting"]) {
                    EXPECT_EQ(now["chosen"], k) << now;
                }
            }
            edit({{"op", "restore"}});
            ++choices;
        }
    EXPECT_GT(choices, 20);
    const auto type = [&](const char* text) {
        return edit({{"op", "type"}, {"lane", 1}, {"setting", "scale"}, {"text", text}});
    };
    EXPECT_EQ(type("0.25")["changed"], true);
    EXPECT_EQ(parse(scene())["variants"][1]["scale"], 0.25);
    EXPECT_EQ(type("wide")["error"].get<std::string>().find(
                  "\"wide\" is not a scale: 1/√d, 1/√n, a number or a formula"),
              0U);
}

TEST_F(Calls, MoreTokensThanAPageShowsAreRefused) {
    const std::string before = scene();
    const auto tokens = [&](std::size_t count) {
        std::string text;
        for (std::size_t k = 0; k < count; ++k) text += "t ";
        return edit({{"op", "sentence"}, {"side", "queries"}, {"text", text}});
    };
    EXPECT_EQ(tokens(65)["error"], "A live page shows at most 64 tokens, but this scene has 65.");
    EXPECT_EQ(scene(), before);
    EXPECT_EQ(tokens(64)["changed"], true);
}

TEST_F(Calls, TheAnswerIsNotSaidBeforeItIsUncovered) {
    const Json covered = asked(ms_words(handle));
    EXPECT_EQ(covered["covered"], true);
    EXPECT_EQ(covered["ask"], "How much is left?");
    for (const char* hidden : {"caption", "claim", "try", "answer", "verdict"})
        EXPECT_EQ(covered[hidden], "") << hidden;
    EXPECT_TRUE(covered["facts"].empty());
    const Json answered = asked(ms_answer(handle, "1%"))["answered"];
    EXPECT_EQ(answered["right"], false);
    const Json words = asked(ms_words(handle));
    EXPECT_EQ(words["covered"], false);
    EXPECT_EQ(words["caption"], "The row keeps " + words["answer"].get<std::string>() + ".");
    EXPECT_EQ(words["facts"][0]["holds"], true);
    EXPECT_EQ(words["try_done"], false);
}

TEST_F(Calls, FollowingTheTryShowsIt) {
    ms_answer(handle, "");
    edit({{"op", "fields"},
          {"fields", {{"/variants/1/mask/layers/0", {{"kind", "blocked"}, {"cells", {{0, 2}}}}}}}});
    EXPECT_EQ(asked(ms_words(handle))["try_done"], true);
}

// Calls visit(heatmap) for each heatmap of an answer of ms_compute().
template <class Visit>
void each_heatmap(const Json& answer, const Visit& visit) {
    for (const auto& [key, value] : answer.items()) {
        if (value.is_object() && value.contains("hash")) visit(value);
        if (value.is_structured()) each_heatmap(value, visit);
    }
}

TEST_F(Calls, HeatmapsHoldTheNumbersOfTheirStages) {
    const Json shown = asked(ms_compute(handle));
    int maps = 0;
    each_heatmap(shown, [&](const Json& map) {
        ++maps;
        if (map["lane"].is_null() || map["stage"] == "allowed") return;
        const auto* values = reinterpret_cast<const double*>(map["values"].get<std::size_t>());
        const Json stage = asked(
            ms_stage(handle, map["lane"].get<int>(), map["stage"].get<std::string>().c_str()));
        const auto* numbers = reinterpret_cast<const double*>(stage["at"].get<std::size_t>());
        const std::size_t count =
            map["rows"].get<std::size_t>() * map["columns"].get<std::size_t>();
        EXPECT_EQ(std::memcmp(values, numbers, count * sizeof(double)), 0) << map["key"];
        EXPECT_EQ(asked(ms_texts(handle, map["id"].get<int>(), 0)).size(), count);
    });
    EXPECT_GT(maps, 3);
}

TEST_F(Calls, OnlyWhatChangesHasAnotherHash) {
    const auto hashes = [&] {
        std::map<std::string, std::string> all;
        each_heatmap(asked(ms_compute(handle)), [&](const Json& map) {
            EXPECT_TRUE(
                all.emplace(map["key"].get<std::string>(), map["hash"].get<std::string>()).second)
                << map["key"];
        });
        return all;
    };
    const auto before = hashes();
    EXPECT_EQ(hashes(), before);
    edit({{"op", "cell"}, {"lanes", {1}}, {"i", 0}, {"j", 1}});
    const auto after = hashes();
    EXPECT_EQ(before.at("A.weights.0.0"), after.at("A.weights.0.0"));
    EXPECT_NE(before.at("B.weights.0.0"), after.at("B.weights.0.0"));
}

TEST_F(Calls, CoveredStagesSaySo) {
    std::set<bool> covered;
    each_heatmap(asked(ms_compute(handle)),
                 [&](const Json& map) { covered.insert(map["covered"].get<bool>()); });
    EXPECT_EQ(covered.size(), 2U);  // the weights are covered; the mask is not
    ms_answer(handle, "");
    each_heatmap(asked(ms_compute(handle)), [](const Json& map) { EXPECT_FALSE(map["covered"]); });
}

TEST_F(Calls, TheCardEndsWithTheWeight) {
    const Json card = asked(ms_card(handle, 0, 0, 2, 0));
    EXPECT_EQ(card["query"], "</script>");
    ASSERT_EQ(card["lanes"].size(), 2U);
    EXPECT_FALSE(card["lanes"][0]["lines"].empty());
}

TEST_F(Calls, TheViewReplacesWhatIsShown) {
    EXPECT_EQ(asked(ms_view(handle, R"({"show": {"stages": ["weights"], "vectors": true}})")),
              Json::object());
    std::set<std::string> stages;
    const Json shown = asked(ms_compute(handle));
    each_heatmap(shown, [&](const Json& map) { stages.insert(map["stage"].get<std::string>()); });
    EXPECT_FALSE(stages.contains("softmax"));
    const Json& vectors = shown["blocks"][0]["tensors"];
    ASSERT_EQ(vectors.size(), 3U);
    for (const Json& map : vectors)
        EXPECT_EQ(map["of"], map["title"] == "Q" ? "queries" : "keys") << map["title"];
    EXPECT_TRUE(asked(ms_view(handle, R"({"theme": "pink"})")).contains("error"));
}

TEST(CallsOfScenes, AreReadFromBytes) {
    const char header[] =
        "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    std::string bytes(header, sizeof(header) - 1);
    bytes.resize(10 + 0x46, ' ');
    bytes.back() = '\n';
    const float numbers[] = {1, 2, 3, 4};
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
    const char* const scene =
        R"({"maskscope": 1, "title": "t", "sequences": [{"queries": ["a", "b"]}],
        "inputs": {"kind": "scores", "scores": "s.npy"}, "variants": [{"name": "A"}]})";
    EXPECT_EQ(asked(ms_load(scene))["place"], "/inputs/scores");
    ms_source("s.npy", bytes.data(), bytes.size());
    const Json opened = asked(ms_load(scene));
    ASSERT_TRUE(opened.contains("handle")) << opened.dump();
    const int handle = opened["handle"].get<int>();
    const Json stage = asked(ms_stage(handle, 0, "scores"));
    const auto* scores = reinterpret_cast<const double*>(stage["at"].get<std::size_t>());
    EXPECT_EQ(std::vector<double>(scores, scores + 4), (std::vector<double>{1, 2, 3, 4}));
    ms_close(handle);
}

TEST(CallsOfScenes, TextsAreThoseOfCells) {
    EXPECT_STREQ(ms_text(0.354, 1, 0), "0.35");
    EXPECT_STREQ(ms_text(0.354, 1, 1), ".35");
    EXPECT_STREQ(ms_text(NAN, 0, 0), "NaN");
}

}  // namespace
