// Checks every built-in lesson: its facts hold, and fail with the fields that decide them; its
// captions can be read aloud; its steps can be read from the back row.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "core/lesson/caption.h"
#include "core/lesson/lesson.h"
#include "core/lesson/lesson_check.h"
#include "core/model/pass.h"
#include "tests/golden/lessons/lesson_facts.h"
#include "tests/support/computed.h"
#include "tests/support/test_name.h"

namespace maskscope {
namespace {

constexpr int most_sentences = 2;
constexpr std::size_t most_tokens = 8, most_shown_variants = 3, most_vectors = 4, most_stages = 3;

class ShippedLesson : public testing::TestWithParam<std::string> {
protected:
    Lesson lesson_ = shipped_lesson(GetParam());
};

TEST_P(ShippedLesson, IsNamedAsItsFile) { EXPECT_EQ(lesson_.name, GetParam()); }

TEST_P(ShippedLesson, ReadsBackAsItIsWritten) {
    EXPECT_EQ(read_lesson(write_lesson(lesson_), lessons_folder), lesson_);
}

TEST_P(ShippedLesson, FactsHoldAndFailWithTheFieldsThatDecideThem) {
    PlainBackend plain;
    expect_facts_hold_and_can_fail(lesson_, plain);
}

TEST_P(ShippedLesson, FactsAreTheSameOnTheFastBackend) {
    for (const int threads : {1, 2, 3}) {
        SCOPED_TRACE(testing::Message() << "threads " << threads);
        CpuBackend fast(threads);
        expect_facts_hold_and_can_fail(lesson_, fast);
    }
}

// --- captions

int sentences_in(const std::string& text) {
    int sentences = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool ends = k + 1 == text.size() || text[k + 1] == ' ';
        sentences += ends && (text[k] == '.' || text[k] == '?' || text[k] == '!');
    }
    return sentences;
}

TEST_P(ShippedLesson, CaptionsCanBeReadAloud) {
    for (const Step& step : lesson_.steps) {
        const std::string caption = fill_words(step, computed(step.scene)).caption;
        EXPECT_NE(caption, own_bench);
        EXPECT_LE(sentences_in(caption), most_sentences) << caption;
        for (const std::string& warning : caption_warnings(step, caption))
            ADD_FAILURE() << step.title << ": " << warning;
        EXPECT_EQ(caption.find("NaN%"), std::string::npos) << caption;
    }
}

// --- steps

TEST_P(ShippedLesson, StepsAreSmallEnoughToBeSeen) {
    for (const Step& step : lesson_.steps) {
        for (int variant = 0; variant < std::ssize(step.scene.variants); ++variant) {
            const Shape shape = shape_of_variant(step.scene, variant);
            EXPECT_LE(static_cast<std::size_t>(std::max(shape.n_q, shape.n_k)), most_tokens)
                << step.title;
        }
        ASSERT_TRUE(step.scene.show) << step.title;
        const Show& show = *step.scene.show;
        ASSERT_TRUE(show.stages) << step.title;
        // Outputs alone are drawn as small rows of vectors, in which no cell belongs to a query and
        // a key.
        const bool vectors = *show.stages == std::vector{StageKind::output};
        EXPECT_LE(show.variants ? show.variants->size() : step.scene.variants.size(),
                  vectors ? most_vectors : most_shown_variants)
            << step.title;
        // The mask does not count, nor do the scores, which the variants share.
        const auto in_variants = std::ranges::count_if(*show.stages, [](StageKind stage) {
            return stage != StageKind::allowed && stage != StageKind::scores &&
                   stage != StageKind::scaled;
        });
        EXPECT_LE(static_cast<std::size_t>(in_variants), most_stages) << step.title;
        EXPECT_TRUE(show.focus || vectors) << step.title;
    }
}

INSTANTIATE_TEST_SUITE_P(Lessons, ShippedLesson, testing::ValuesIn(shipped_lessons()),
                         named_by_file);

// --- what only lesson 1 promises

TEST(LessonOne, IsWhatTheProgramOpensOn) {
    const Step step = shipped_lesson("additive-or-multiplicative").steps.front();
    const std::vector<std::string> sentence = {"<sos>", "My", "name", "is", "Luke", "<eos>"};
    EXPECT_EQ(step.scene.sequences.at(0).queries, sentence);
    ASSERT_TRUE(step.scene.show && step.scene.show->ring);
    const Cell ring = *step.scene.show->ring;
    EXPECT_EQ(sentence.at(static_cast<std::size_t>(ring.i)), "name");
    EXPECT_GT(ring.j, ring.i) << "the ring is on a cell that causal blocks";
    EXPECT_EQ(step.scene.show->focus->i, ring.i);
    EXPECT_TRUE(step.star);
}

// Clicking the ring allows that cell for both variants: breaking the fact is the exercise.
TEST(LessonOne, TheRingBreaksTheFact) {
    const Step step = shipped_lesson("additive-or-multiplicative").steps.front();
    Scene clicked = step.scene;
    MaskLayer opened;
    opened.kind = LayerKind::allowed;
    opened.cells = {{*step.scene.show->ring}};
    for (Variant& variant : clicked.variants) variant.mask.layers.push_back(opened);
    PlainBackend backend;
    EXPECT_TRUE(judge(step.facts[0], computed(step.scene), backend, lessons_folder).holds);
    EXPECT_FALSE(judge(step.facts[0], computed(clicked), backend, lessons_folder).holds);
}

// The sums of the rows all differ clearly, because that is what the step shows.
TEST(LessonOne, EachRowLosesAnotherShare) {
    const Step step = shipped_lesson("additive-or-multiplicative").steps.front();
    const VariantResult variant = computed(step.scene).variants.at(1);
    constexpr double well_apart = 0.1;
    for (Index i = 0; i < 6; ++i)
        for (Index other = 0; other < i; ++other)
            EXPECT_GT(std::abs(variant.row(0, 0, i).sum - variant.row(0, 0, other).sum),
                      well_apart);
}

}  // namespace
}  // namespace maskscope
