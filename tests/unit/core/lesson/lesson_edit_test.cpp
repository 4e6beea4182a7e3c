#include "core/lesson/lesson_edit.h"

#include <gtest/gtest.h>

#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_proposal.h"
#include "core/lesson/fact_words.h"
#include "tests/unit/core/lesson/lesson_sample.h"

namespace maskscope {
namespace {

std::string titles(const Lesson& lesson) {
    std::string text;
    for (const Step& step : lesson.steps) text += step.title;
    return text;
}

Lesson abc() {
    Lesson lesson;
    for (const char* title : {"a", "b", "c"}) {
        lesson.steps.emplace_back();
        lesson.steps.back().title = title;
    }
    return lesson;
}

TEST(LessonEdit, StepsComeAndGo) {
    Lesson lesson = abc();
    Step step;
    step.title = "x";
    EXPECT_EQ(insert_step(lesson, 1, step), 2);
    EXPECT_EQ(titles(lesson), "abxc");
    EXPECT_EQ(duplicate_step(lesson, 0), 1);
    EXPECT_EQ(titles(lesson), "aabxc");
    EXPECT_EQ(remove_step(lesson, 4), 3);
    EXPECT_EQ(remove_step(lesson, 0), 0);
    EXPECT_EQ(titles(lesson), "abx");
    remove_step(lesson, 0);
    remove_step(lesson, 0);
    EXPECT_THROW(remove_step(lesson, 0), EditError);
    EXPECT_EQ(titles(lesson), "x");
}

// Makes every move and undoes it: no step is lost, and the moved one is at the right place.
TEST(LessonEdit, StepsMove) {
    for (int from = 0; from < 3; ++from)
        for (int to = -1; to <= 3; ++to) {
            Lesson lesson = abc();
            const std::string moved = lesson.steps[from].title;
            const int at = move_step(lesson, from, to);
            EXPECT_EQ(lesson.steps[at].title, moved);
            move_step(lesson, at, from);
            EXPECT_EQ(titles(lesson), "abc");
        }
}

TEST(LessonEdit, NamesAreOfLettersDigitsAndDashes) {
    EXPECT_EQ(lesson_name_of("Rows, or columns?"), "rows-or-columns");
    EXPECT_EQ(lesson_name_of("  Why √d  "), "why-d");
    EXPECT_EQ(lesson_name_of("注意"), "lesson");
    EXPECT_EQ(lesson_name_of(""), "lesson");
}

TEST(LessonEdit, WordsAreCountedAndAnAddressIsOne) {
    EXPECT_EQ(count_words(""), 0);
    EXPECT_EQ(count_words("  one  two "), 2);
    EXPECT_EQ(count_words("keeps {B.weights[0,0,2,sum 3-5]:%} of it"), 4);
}

// An inserted address is read back as the same address.
TEST(LessonEdit, AnAddressInACaptionIsReadBack) {
    Address address{1,
                    0,
                    "weights",
                    {AddressEntry{}, AddressEntry{}, AddressEntry{AddressEntry::Kind::index, 2, {}},
                     AddressEntry{}},
                    {},
                    {}};
    for (const bool percent : {false, true}) {
        const auto parts = parse_caption("keeps " + caption_part(address, percent) + ".");
        ASSERT_EQ(parts.size(), 3U);
        EXPECT_EQ(parts[1], CaptionPart(NumberPart{address, percent}));
    }
}

std::string problem(const Lesson& lesson) {
    const auto found = problem_of(lesson, ".");
    return found ? found->text : "";
}

TEST(LessonEdit, WhatALessonLacksIsSaid) {
    Lesson lesson = two_variant_lesson();
    EXPECT_EQ(problem(lesson), "");
    lesson.steps.push_back(step_of(two_variant_scene()));
    EXPECT_EQ(problem(lesson), "Step 2 needs a title.");
    lesson.steps[1].title = "Two";
    EXPECT_EQ(problem(lesson), "Step 2 needs a caption.");
    lesson.steps[1].caption = "Look.";
    EXPECT_TRUE(problem(lesson).starts_with("Step 2 needs a fact"));
    lesson.steps[1].facts = lesson.steps[0].facts;
    EXPECT_EQ(problem(lesson), "");
    lesson.steps[1].caption = "Half {B.su";
    EXPECT_TRUE(problem(lesson).starts_with("Step 2, the caption: ")) << problem(lesson);
    lesson.steps[1].caption = "{B.sum[0,0,99]}";
    EXPECT_TRUE(problem(lesson).starts_with("Step 2, the caption: ")) << problem(lesson);
    lesson.steps[1].caption = "Look.";
    lesson.steps[1].facts[0].fails_with = {{"/variants/7/dtype", "\"float16\""}};
    EXPECT_TRUE(problem(lesson).starts_with("Step 2, fact 1: ")) << problem(lesson);
    lesson.title.clear();
    EXPECT_EQ(problem(lesson), "The lesson needs a title.");
}

TEST(LessonEdit, AnUnsoundFactIsFound) {
    PlainBackend backend;
    Lesson lesson = two_variant_lesson();
    EXPECT_FALSE(unsound_fact(lesson, backend, "."));
    lesson.steps[0].facts[0].fails_with = {{"/variants/1/dtype", "\"float16\""}};
    ASSERT_TRUE(unsound_fact(lesson, backend, "."));
    EXPECT_TRUE(unsound_fact(lesson, backend, ".")->text.starts_with("step 1, fact 1 cannot fail"));
    lesson.steps[0].facts[0].than = Comparand{-1.0, {}, {}};
    EXPECT_TRUE(
        unsound_fact(lesson, backend, ".")->text.starts_with("step 1, fact 1 does not hold"));
}

// The file's text about a Try is kept when the bench changes, and is then reported as wrong.
TEST(LessonEdit, ATryThatIsWrongIsFound) {
    PlainBackend backend;
    Lesson lesson = two_variant_lesson();
    Step& step = lesson.steps[0];
    step.try_this = "Add it instead.";
    step.try_sets = {{"/variants/1/mask/apply", "\"additive\""}};
    step.try_shows = row_keeps_less();
    step.try_shows->fails_with.clear();
    EXPECT_EQ(problem(lesson), "");
    EXPECT_EQ(unsound_fact(lesson, backend, ".")->text.substr(0, 29),
              "step 1, the Try does not show");
    step.try_shows->is = Relation::greater;
    EXPECT_FALSE(unsound_fact(lesson, backend, "."));
    step.try_shows->than = Comparand{-1.0, {}, {}};
    EXPECT_EQ(unsound_fact(lesson, backend, ".")->text.substr(0, 52),
              "step 1, the Try shows something that is already true");
    step.scene.variants.pop_back();
    step.facts[0].address.variant = 0;
    step.facts[0].fails_with.clear();
    step.caption = "One.";
    EXPECT_TRUE(problem(lesson).starts_with("Step 1, try_sets: ")) << problem(lesson);
    step.try_sets.clear();
    step.try_shows.reset();
    step.covers = Cover{{{1}}, {}};
    EXPECT_EQ(problem(lesson), "Step 1, covers: the scene has only variant A.");
}

// --- what is proposed

class Proposed : public testing::Test {
protected:
    Proposed() : scene(two_variant_scene()) {}
    Fact of(const std::string& text, const std::vector<int>& others = {}) {
        Progress progress;
        result = backend.compute(scene, {}, nullptr, progress);
        return propose_fact(result, parse(text), others);
    }
    static Address parse(const std::string& text) {
        return std::get<NumberPart>(parse_caption("{" + text + "}")[0]).address;
    }
    Scene scene;
    PlainBackend backend;
    Result result;
};

TEST_F(Proposed, FromWhatStandsThere) {
    EXPECT_EQ(claim(of("A.weights[0,0,0,2]")), "A.weights[0,0,0,2] == 0");
    EXPECT_EQ(claim(of("A.sum[0,0,1]")), "A.sum[0,0,1] near 1");
    EXPECT_EQ(claim(of("A.allowed[0,0,1,0]")), "A.allowed[0,0,1,0] == 1");
    EXPECT_EQ(claim(of("A.logits[0,0,0,2]")), "A.logits[0,0,0,2] < -1e6");
    MaskLayer& layer = scene.variants[0].mask.layers[0];
    layer.kind = LayerKind::blocked;
    layer.rows = std::vector<Index>{0};
    EXPECT_EQ(claim(of("A.weights[0,0,0,2]")), "A.weights[0,0,0,2] nan");
}

TEST_F(Proposed, AgainstAnotherVariantWhereTheyDiffer) {
    const Fact fact = of("B.sum[0,0,0]", {0, 1});
    ASSERT_TRUE(std::holds_alternative<Address>(fact.than->value));
    EXPECT_EQ(std::get<Address>(fact.than->value), parse("A.sum[0,0,0]"));
    EXPECT_EQ(fact.is, Relation::less);
    EXPECT_LT(std::get<double>(*fact.than->plus), 0);  // clearly less
    EXPECT_TRUE(std::holds_alternative<double>(of("B.sum[0,0,0]").than->value));
}

TEST_F(Proposed, ARelationMayBeChanged) {
    Fact fact = of("A.weights[0,0,0,2]");
    fact = with_relation(fact, Relation::nan);
    EXPECT_FALSE(fact.than);
    fact = with_relation(fact, Relation::near);
    ASSERT_TRUE(fact.than);
    fact.within = 0.5;
    EXPECT_FALSE(with_relation(fact, Relation::less).within);
}

TEST_F(Proposed, InWords) {
    const Fact fact = of("B.sum[0,0,0]", {0, 1});
    EXPECT_TRUE(words_of(fact, scene)
                    .starts_with("in B, the sum of “{q[0]}” is below that in A by more than 0."))
        << words_of(fact, scene);
    EXPECT_EQ(words_of(of("A.weights[0,0,0,2]"), scene),
              "in A, the weight of “{q[0]}” on “{k[2]}” is exactly 0");
    EXPECT_EQ(words_of(parse_address("A.weights[0,0,0,2]"), scene),
              "in A, the weight of “a” on “c”");
    EXPECT_EQ(words_of(Fields{{"/variants/1/mask/apply", "\"additive\""}}),
              "B: mask added before the softmax");
    EXPECT_EQ(words_of(Fields{{"/variants/0/mask/layers", "[]"}}), "A: no mask");
    EXPECT_EQ(words_of(Fields{{"/inputs/seed", "7"}}), "another seed, 7");
    EXPECT_EQ(words_of(Fields{{"/sequences/0/queries/1", "\"x\""}}), "sequences 0 queries 1 x");
}

}  // namespace
}  // namespace maskscope
