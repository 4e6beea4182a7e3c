// Tests what the built-in lessons contain: their steps, the stars of the short lecture, what is
// asked first, what a click is for, and what none of them may say. Whether facts hold is in
// golden/lessons/lessons_test.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/show/bench/bench.h"
#include "app/show/cells/view.h"
#include "core/base/build.h"
#include "core/files/file.h"
#include "core/lesson/lesson.h"
#include "tests/support/test_name.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(source_folder()) / "assets/lessons";

// Steps are counted from 1, as on the screen.
struct Plan {
    std::size_t steps = 0;
    std::set<std::size_t> stars, asks;
};

const std::map<std::string, Plan> plans = {
    {"one-row", {9, {1, 2, 4, 7}, {1, 2, 3, 5, 6, 7, 8, 9}}},
    {"why-root-d", {6, {1, 3}, {1, 3, 4, 5}}},
    {"additive-or-multiplicative", {11, {1, 3, 4, 10}, {2, 3, 4, 5, 6, 7, 8, 10}}},
    {"padding-and-nan-rows", {8, {2, 5}, {1, 2, 3, 5, 8}}},
    {"encoder-decoder-masks", {8, {3, 5}, {2, 3, 5, 6, 7, 8}}},
    {"decoding", {9, {2}, {1, 2, 3, 4, 5, 6, 7, 8}}},
    {"heads", {6, {3}, {1, 2, 3, 4}}},
    {"masks-of-models", {11, {}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}},
    {"empty-rows-in-numbers", {9, {1, 4}, {1, 3, 4, 5, 6, 7, 8}}},
    {"casebook", {9, {3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}},
    {"convex-combination", {9, {1, 5}, {2, 4, 5, 7, 8, 9}}},
    {"scoring-functions", {9, {}, {2, 3, 4, 5, 6, 8}}},
    {"break-it", {9, {1, 2, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}},
};

Lesson lesson_named(const std::string& name) {
    return read_lesson(read_file(folder / (name + ".json")), folder);
}

std::vector<std::string> texts_of(const Step& step) {
    std::vector<std::string> texts = {step.title, step.caption, step.notes, step.ask,
                                      step.try_this};
    for (const std::vector<std::string>& row : step.table)
        texts.insert(texts.end(), row.begin(), row.end());
    for (const Variant& variant : step.scene.variants) texts.push_back(variant.name);
    for (const Fact& fact : step.facts) texts.push_back(fact.says);
    return texts;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class LessonContent : public testing::TestWithParam<std::string> {
protected:
    const Lesson lesson_ = lesson_named(GetParam());
    const Plan& plan_ = plans.at(GetParam());
};

TEST_P(LessonContent, ThePlannedStepsAreThere) {
    EXPECT_EQ(lesson_.name, GetParam());
    EXPECT_EQ(lesson_.steps.size(), plan_.steps);
}

TEST_P(LessonContent, StarsMarkTheShortLecture) {
    std::set<std::size_t> stars;
    for (std::size_t k = 0; k < lesson_.steps.size(); ++k)
        if (lesson_.steps[k].star) stars.insert(k + 1);
    EXPECT_EQ(stars, plan_.stars);
}

TEST(LessonContents, TheLectureHasTwentyFiveSteps) {
    std::size_t stars = 0;
    for (const auto& [name, plan] : plans) stars += plan.stars.size();
    EXPECT_EQ(stars, 25U);
}

// --- the help page minutes.md

constexpr int minutes_that_ask = 4, minutes_that_show = 2;

int minutes_of(const Plan& plan, const std::set<std::size_t>& steps) {
    int minutes = 0;
    for (const std::size_t step : steps)
        minutes += plan.asks.contains(step) ? minutes_that_ask : minutes_that_show;
    return minutes;
}

int to_fives(int minutes) { return (minutes + 2) / 5 * 5; }

std::string minutes_page() { return read_file(folder.parent_path() / "help/minutes.md"); }

TEST(LessonContents, TheMinutesOfTheLectureAddUp) {
    int minutes = 0;
    for (const auto& [name, plan] : plans) minutes += minutes_of(plan, plan.stars);
    EXPECT_TRUE(
        has(minutes_page(), "## A lecture of " + std::to_string(to_fives(minutes)) + " minutes\n"))
        << minutes;
}

TEST(LessonContents, TheMinutesOfEachLessonAreThoseOfItsSteps) {
    for (const auto& [name, plan] : plans) {
        std::set<std::size_t> steps;
        for (std::size_t step = 1; step <= plan.steps; ++step) steps.insert(step);
        const std::string line = ": " + std::to_string(plan.steps) + " steps, " +
                                 std::to_string(to_fives(minutes_of(plan, steps))) + " minutes\n";
        EXPECT_TRUE(
            has(minutes_page(), "- `lesson:" + name + "/1`: " + lesson_named(name).title + line))
            << name << line;
    }
}

// Text that does not fit on a slide is in the notes: nothing of a step is lost.
TEST_P(LessonContent, MostStepsHaveNotes) {
    const auto without = std::ranges::count(lesson_.steps, "", &Step::notes);
    EXPECT_LE(without, 2);
}

TEST_P(LessonContent, StepsThatAskFirstDo) {
    std::set<std::size_t> asks;
    for (std::size_t k = 0; k < lesson_.steps.size(); ++k)
        if (!lesson_.steps[k].ask.empty()) asks.insert(k + 1);
    EXPECT_EQ(asks, plan_.asks);
    EXPECT_GE(2 * asks.size(), lesson_.steps.size()) << "every second step";
    EXPECT_LE(*asks.begin(), 2U) << "a question in its first minute";
}

// Answers are short enough for a student to type.
TEST_P(LessonContent, EveryQuestionHasAnAnswer) {
    for (const Step& step : lesson_.steps) {
        EXPECT_EQ(step.answers.empty(), step.ask.empty()) << step.title;
        for (const std::string& answer : step.answers)
            EXPECT_LE(std::ranges::count(answer, ' '), has(answer, "{") ? 9 : 3) << answer;
    }
}

TEST_P(LessonContent, TheListHasALineAboutIt) {
    EXPECT_NE(lesson_.about, "");
    EXPECT_LE(lesson_.about.size(), 60U) << "beside the title in the list";
}

TEST_P(LessonContent, TextsAreWholeSentences) {
    for (const Step& step : lesson_.steps) {
        EXPECT_TRUE(step.caption.ends_with(".")) << step.caption;
        EXPECT_TRUE(step.ask.empty() || step.ask.ends_with("?")) << step.ask;
        const std::string& exercise = step.try_this;  // "" if nothing on the bench breaks it
        EXPECT_TRUE(exercise.empty() || exercise.ends_with(".") || exercise.ends_with("?"))
            << exercise;
    }
}

// A figure of a step gets its title from the scene.
TEST_P(LessonContent, ScenesAreNamedAsTheirSteps) {
    for (const Step& step : lesson_.steps) EXPECT_EQ(step.scene.title, step.title);
}

TEST_P(LessonContent, TheFactUnderTheCaptionHasWords) {
    for (const Step& step : lesson_.steps) EXPECT_NE(step.facts.front().says, "") << step.title;
}

// A ring says "click me", so there is a ring if and only if the exercise is that click.
TEST_P(LessonContent, ARingIsTheExercise) {
    for (const Step& step : lesson_.steps)
        EXPECT_EQ(step.scene.show.value_or(Show()).ring.has_value(), has(step.try_this, "ringed"))
            << step.title;
}

// One click on the ring changes every variant that is shown.
TEST_P(LessonContent, ARingLiesOnAMaskForAllVariants) {
    for (const Step& step : lesson_.steps) {
        if (!step.scene.show || !step.scene.show->ring) continue;
        const Cell ring = *step.scene.show->ring;
        View view;
        view.show = *step.scene.show;
        EXPECT_TRUE(layers_are_shared(step.scene, shown_variants(view, step.scene))) << step.title;
        for (const Index b : shown_sequences(view, shape_of(step.scene))) {
            EXPECT_LT(ring.i, std::ssize(query_tokens(step.scene, b))) << step.title;
            EXPECT_LT(ring.j, std::ssize(key_tokens(step.scene, b))) << step.title;
        }
    }
}

// --- what no lesson may say: words that make a false statement if they are in one text

const std::vector<std::vector<std::string>> never = {
    {"zero", "are ignored"},
    {"zeros", "do not count"},
    {"−∞", "belongs in the rows"},
    {"block the rows of the pads, and all"},
    {"only a sequence", "NaN"},
    {"only a sentence", "pad", "NaN"},
    {"−1e9", "always"},
    {"−1e9", "is enough"},
    {"framework", "special"},
    {"outside", "vanish"},
    {"queries come from the encoder"},
    {"queries from the encoder"},
    {"element-wise"},
    {"elementwise"},
    {"fix", "after the softmax"},
    {"mend", "after the softmax"},
};

TEST_P(LessonContent, NothingFalseIsSaid) {
    for (const Step& step : lesson_.steps)
        for (const std::string& text : texts_of(step))
            for (const std::vector<std::string>& words : never)
                EXPECT_FALSE(std::ranges::all_of(words, [&](const std::string& word) {
                    return has(text, word);
                })) << text;
}

// No percentage in a caption is typed: an expression follows every edit, but a typed number does
// not.
TEST_P(LessonContent, SharesInCaptionsAreComputed) {
    for (const Step& step : lesson_.steps) EXPECT_FALSE(has(step.caption, " %")) << step.caption;
}

std::vector<std::string> planned() {
    std::vector<std::string> names;
    for (const auto& [name, plan] : plans) names.push_back(name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Lessons, LessonContent, testing::ValuesIn(planned()), named_by_file);

TEST(LessonContents, NoLessonIsUnplanned) {
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".json") {
            EXPECT_EQ(plans.count(entry.path().stem()), 1U) << entry.path();
        }
}

}  // namespace
}  // namespace maskscope
