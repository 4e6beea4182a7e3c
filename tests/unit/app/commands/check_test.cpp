
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "app/commands/commands.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/lesson/lesson_check.h"
#include "tests/support/folder.h"

namespace maskscope {
namespace {

constexpr const char* lesson_text = R"({
  "maskscope_lesson": 1, "name": "small", "title": "Small",
  "steps": [{"title": "One", "caption": "CAPTION",MORE
    "scene": {"maskscope": 1, "sequences": [{"queries": ["a", "b"]}],
              "inputs": {"kind": "scores", "scores": [[0, 0], [0, 0]]},
              "variants": [{"name": "A", "mask": {"layers": [{"kind": "causal"}]}}]},
    "facts": [FACTS]}]})";

constexpr const char* holds =
    R"({"lane": "A", "of": "weights", "at": [0, 0, 1, 0], "is": "==", "than": 0.5,
        "fails_with": {"/inputs/scores/1/0": 1}})";
constexpr const char* fails =
    R"({"lane": "A", "of": "weights", "at": [0, 0, 0, "all"], "is": ">", "than": 0.5,
        "says": "the first row is even", "fails_with": {}})";
constexpr const char* cannot_fail =
    R"({"lane": "A", "of": "logits", "at": [0, 0, 0, 1], "is": "<", "than": 0,
        "fails_with": {"/variants/0/mask/value": -1}})";

class Check : public testing::Test {
protected:
    std::string lesson_with(const std::string& facts) {
        std::string text = lesson_text;
        text.replace(text.find("FACTS"), 5, facts);
        text.replace(text.find("MORE"), 4, more_);
        text.replace(text.find("CAPTION"), 7, caption_);
        const std::filesystem::path path = folder_ / "small.json";
        std::ofstream(path) << text;
        return path.string();
    }

    int checked(const std::string& facts) {
        std::ostringstream out, warnings;
        const int status = check(lesson_with(facts), out, warnings);
        lines_ = out.str();
        warnings_ = warnings.str();
        return status;
    }

    // Returns the lines after the fact's line, and the status.
    std::string tried(const std::string& shows) {
        more_ = R"("try": "Raise it.", "try_sets": {"/inputs/scores/1/0": 1},)";
        if (!shows.empty()) more_ += R"("try_shows": {"lane": "A", )" + shows + "},";
        const int status = checked(holds);
        const std::string fact = "1\tA.weights[0,0,1,0] == 0.5\t0.5\tholds\n";
        EXPECT_TRUE(lines_.starts_with(fact)) << lines_;
        return lines_.substr(fact.size()) + std::to_string(status);
    }

    Folder folder_;
    std::string lines_, warnings_, more_, caption_ = "One.";
};

TEST_F(Check, AFactThatHoldsAndCanFailIsSound) {
    EXPECT_EQ(checked(holds), 0);
    EXPECT_EQ(lines_, "1\tA.weights[0,0,1,0] == 0.5\t0.5\tholds\n");
}

TEST_F(Check, AFactThatDoesNotHoldIsStatusOne) {
    EXPECT_EQ(checked(fails), 1);
    EXPECT_EQ(lines_, "1\tthe first row is even\t0\tfails\n");
}

TEST_F(Check, AFactThatCannotFailIsStatusOne) {
    EXPECT_EQ(checked(std::string(holds) + "," + cannot_fail + "," + holds), 1);
    EXPECT_EQ(lines_,
              "1\tA.weights[0,0,1,0] == 0.5\t0.5\tholds\n"
              "1\tA.logits[0,0,0,1] < 0\t-inf\tcannot fail\n"
              "1\tA.weights[0,0,1,0] == 0.5\t0.5\tholds\n");
}

TEST_F(Check, WhatATryShowsHoldsThenAndNotBefore) {
    EXPECT_EQ(tried(R"("of": "weights", "at": [0, 0, 1, 0], "is": ">", "than": 0.7,
                       "says": "“{q[1]}” turns to “{k[0]}”")"),
              "1\ttry: “b” turns to “a”\t0.7310586\tholds\n0");
    EXPECT_EQ(tried(R"("of": "weights", "at": [0, 0, 1, 0], "is": ">", "than": 0.8)"),
              "1\ttry: A.weights[0,0,1,0] > 0.8\t0.7310586\tfails\n1");
    EXPECT_EQ(tried(R"("of": "weights", "at": [0, 0, 0, 0], "is": "==", "than": 1)"),
              "1\ttry: A.weights[0,0,0,0] == 1\t1\talready true\n1");
    EXPECT_EQ(tried(""), "1\ttry: inputs scores 1 0 1\t\tvalid\n0");
}

// Warnings do not change the lines or the status.
TEST_F(Check, WarnsOfCaptionsThatAreHardToReadOnASlide) {
    const std::string place = (folder_ / "small.json").string() + ": /steps/0/caption: ";
    caption_ = "Scores give an output.";
    EXPECT_EQ(checked(holds), 0);
    EXPECT_EQ(lines_, "1\tA.weights[0,0,1,0] == 0.5\t0.5\tholds\n");
    EXPECT_EQ(warnings_, place + "\"output\": the step does not show it\n");
    // A name is one word, however it is written in braces; 1/√d is a formula.
    caption_ = "a b c d e f g h i j k l m n o 1/√d {q[0]} {A.weights[0,0,1,0]:%}";
    EXPECT_EQ(checked(holds), 0);
    EXPECT_EQ(warnings_, "");
    caption_ = "a b c d e f g h i j k l m n o p q {A.mask.apply}, 7 or {A.sum[0,0,0]}.";
    EXPECT_EQ(checked(holds), 0);
    EXPECT_EQ(warnings_, place + "24 words (at most 18)\n" + place + "2 numbers (at most 1)\n");
}

// The course explains padding in a later lesson than this one.
TEST_F(Check, WarnsOfATermThatIsExplainedLater) {
    const auto warnings_of = [&](const char* name, const char* caption) {
        std::string text = lesson_text;
        text.replace(text.find("small"), 5, name);
        for (const auto& [from, to] :
             {std::pair{"FACTS", holds}, {"MORE", ""}, {"CAPTION", caption}})
            text.replace(text.find(from), std::string(from).size(), to);
        std::ofstream(folder_ / "terms.json") << text;
        std::ostringstream out, warnings;
        EXPECT_EQ(check((folder_ / "terms.json").string(), out, warnings), 0);
        return warnings.str();
    };
    const std::string place = (folder_ / "terms.json").string() + ": /steps/0/caption: ";
    const std::string pad = "\"pad\": only explained in lesson:padding-and-nan-rows/1\n";
    EXPECT_EQ(warnings_of("one-row", "A query reads the Pads."), place + pad);
    EXPECT_EQ(warnings_of("one-row", "Padlocks, a keypad, and “{q[0]}”."), "");
    EXPECT_EQ(warnings_of("padding-and-nan-rows", "A query reads the pads."), "");
    EXPECT_EQ(warnings_of("heads", "A query reads the pads."), "");
    EXPECT_EQ(warnings_of("my-own", "A query reads the pads."), "") << "it comes after the course";
}

// Each term occurs in the step that the course says explains it.
TEST(Terms, AreInTheStepThatExplainsThem) {
    for (const Term& term : course_terms()) {
        const auto loaded = load_lesson("lesson:" + std::string(term.lesson));
        ASSERT_LT(term.step, std::ssize(loaded.lesson.steps)) << term.word;
        const Step& step = loaded.lesson.steps[term.step];
        bool said = false;
        std::vector<std::string> texts = {step.title, step.caption, step.ask, step.notes,
                                          step.try_this};
        for (const std::vector<std::string>& row : step.table)
            texts.insert(texts.end(), row.begin(), row.end());
        for (const std::string& text : texts)
            for (const Term& found : terms_in(text)) said = said || found.word == term.word;
        EXPECT_TRUE(said) << term.word << " in " << term.lesson << "/" << term.step + 1;
    }
}

// Every fact holds and can fail, and there are no warnings.
TEST(Lessons, PassTheirCheckWithoutAWarning) {
    for (const std::string& name : lesson_names()) {
        std::ostringstream out, warnings;
        EXPECT_EQ(check("lesson:" + name, out, warnings), 0) << out.str();
        EXPECT_EQ(warnings.str(), "");
    }
}

TEST(Lessons, StepsThatMovedKeepTheirAddress) {
    const auto step_at = [](const char* address) {
        return std::get<LoadedLesson>(load(address)).step + 1;
    };
    EXPECT_EQ(step_at("lesson:casebook/9"), 9);
    EXPECT_EQ(step_at("lesson:casebook/14"), 7);
    EXPECT_EQ(step_at("lesson:casebook/15"), 9);
    EXPECT_EQ(load_scene("lesson:casebook/13").scene.title, "Two formulas, said to differ");
    EXPECT_THROW(load("lesson:casebook/12"), Error);
    EXPECT_THROW(load("lesson:heads/10"), Error);
}

TEST_F(Check, BadInputNamesFileAndPlace) {
    std::string gone = holds;
    gone.replace(gone.find("\"A\""), 3, "\"B\"");
    const std::string file = lesson_with(gone);
    std::ostringstream out, warnings;
    try {
        check(file, out, warnings);
        FAIL() << "there is no variant B";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), 2);
        EXPECT_EQ(error.what(), file + ": /steps/0/facts/0/lane: the scene has only variant A");
    }
    EXPECT_THROW(check((folder_ / "missing.json").string(), out, warnings), Error);
    EXPECT_THROW(check("lesson:no-such-lesson", out, warnings), Error);
    EXPECT_EQ(out.str(), "");
}

TEST(Lessons, EachIsALine) {
    std::ostringstream out;
    EXPECT_EQ(lessons(out), 0);
    EXPECT_TRUE(out.str().starts_with("one-row\t9\tOne row, from question to answer\n"))
        << out.str();
}

TEST(Value, ReadsBackTheSame) {
    EXPECT_EQ(value_text(0.1F), "0.1");
    EXPECT_EQ(value_text(0.1), "0.1");
    EXPECT_EQ(value_text(1), "1");
    EXPECT_EQ(std::stod(value_text(1.0 / 3)), 1.0 / 3);
    EXPECT_EQ(value_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(value_text(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace maskscope
