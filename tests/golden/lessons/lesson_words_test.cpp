// Tests the words of the built-in lessons after an edit of the sentence: whatever is typed, no
// caption, question, fact or Try names a token that is not there.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/cpu/cpu_backend.h"
#include "core/edit/edit.h"
#include "core/lesson/caption.h"
#include "tests/golden/lessons/lesson_facts.h"
#include "tests/support/test_name.h"

namespace maskscope {
namespace {

// Tokens of the lessons that are also common words. A text that contains one of them does not name
// the token.
const std::set<std::string> english = {"is",  "the",  "and",   "in",  "It",
                                       "who", "what", "where", "why", "to"};

std::set<std::string> tokens_in(const Scene& scene) {
    std::set<std::string> tokens;
    for (Index b = 0; b < shape_of(scene).b; ++b)
        for (const TokenView& all : {query_tokens(scene, b), key_tokens(scene, b)})
            tokens.insert(all.begin(), all.end());
    return tokens;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool has_word(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])))
            return true;
    }
    return false;
}

bool names(const std::string& text, const std::string& token) {
    if (text.find("“" + token + "”") != std::string::npos) return true;
    const bool plain = std::ranges::all_of(token, is_letter);
    if (!plain) return token.size() > 1 && text.find(token) != std::string::npos;
    return !english.contains(token) && has_word(text, token);
}

// Returns the scene with other words: one more if `more` is positive, one fewer if it is negative,
// otherwise as many.
Scene retyped(const Scene& scene, int more) {
    Scene typed = scene;
    int next = 0;
    const auto retype = [&](Index b, Side side, std::size_t count) {
        for (Index k = 0; k < static_cast<Index>(count); ++k)
            rename_token(typed, b, side, k, "w" + std::to_string(next++));
        if (more > 0)
            insert_token(typed, b, side, static_cast<Index>(count), "w" + std::to_string(next++));
        if (more < 0 && count > 1) delete_token(typed, b, side, static_cast<Index>(count) - 1);
    };
    for (Index b = 0; b < std::ssize(scene.sequences); ++b) {
        const Sequence& sequence = scene.sequences[b];
        retype(b, Side::queries, sequence.queries.size());
        if (sequence.keys) retype(b, Side::keys, sequence.keys->size());
    }
    return typed;
}

std::vector<std::string> texts_of(const Step& step, const Result& result) {
    const StepWords words = fill_words(step, result);
    std::vector<std::string> texts = {words.caption, words.notes, words.ask, words.claim,
                                      words.try_this};
    for (const std::vector<std::string>& row : words.table)
        texts.insert(texts.end(), row.begin(), row.end());
    for (const Fact& fact : step.facts) texts.push_back(claim(fact, result));
    return texts;
}

class LessonWords : public testing::TestWithParam<std::string> {
protected:
    void expect_no_token_that_is_gone(int more) {
        const Lesson lesson = shipped_lesson(GetParam());
        if (more != 0 && model_of(lesson.steps.front().scene))
            GTEST_SKIP() << "a translator's sentence is typed whole, in its own view";
        CpuBackend backend(1);
        int retold = 0;
        for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
            const Step& step = lesson.steps[k];
            SCOPED_TRACE(testing::Message() << lesson.name << "/" << k + 1);
            const Scene typed = retyped(step.scene, more);
            Progress progress;
            const Result result = backend.compute(typed, {}, nullptr, progress);
            const std::set<std::string> left = tokens_in(typed);
            for (const std::string& token : tokens_in(step.scene)) {
                if (left.contains(token)) continue;
                for (const std::string& text : texts_of(step, result))
                    EXPECT_FALSE(names(text, token)) << token << " in: " << text;
            }
            const StepWords words = fill_words(step, result);
            EXPECT_EQ(words.caption.find('{'), std::string::npos) << words.caption;
            retold += words.caption != own_bench;
        }
        // Captions that need a pad token, or a token that was deleted, are replaced; the others are
        // not.
        EXPECT_GT(retold, 0);
    }
};

TEST_P(LessonWords, SpeakOfTheWordsThatWereTyped) { expect_no_token_that_is_gone(0); }
TEST_P(LessonWords, SpeakOfALongerSentence) { expect_no_token_that_is_gone(1); }
TEST_P(LessonWords, SpeakOfAShorterSentence) { expect_no_token_that_is_gone(-1); }

// While a step is unchanged, none of its texts is replaced.
TEST_P(LessonWords, AreWholeAsTheyAreShipped) {
    const Lesson lesson = shipped_lesson(GetParam());
    CpuBackend backend(1);
    for (const Step& step : lesson.steps) {
        SCOPED_TRACE(step.title);
        Progress progress;
        const Result result = backend.compute(step.scene, {}, nullptr, progress);
        const StepWords words = fill_words(step, result);
        EXPECT_NE(words.caption, own_bench);
        EXPECT_EQ(words.ask.empty(), step.ask.empty());
        EXPECT_EQ(words.try_this.empty(), step.try_this.empty());
        EXPECT_FALSE(words.claim.empty());
        for (const std::string& text : texts_of(step, result))
            EXPECT_EQ(text.find('{'), std::string::npos) << text;
    }
}

TEST(TranslatorWords, StepBackBeforeAnotherSentence) {
    const Lesson lesson = shipped_lesson("break-it");
    CpuBackend backend(1);
    for (const Step& step : lesson.steps) {
        SCOPED_TRACE(step.title);
        Scene other = step.scene;
        set_source(other, 0, {"casa", "rossa"});
        Progress progress;
        const Result result = backend.compute(other, {}, nullptr, progress);
        EXPECT_EQ(fill_words(step, result),
                  (StepWords{std::string(own_bench), std::string(own_bench), "", ""}));
    }
}

INSTANTIATE_TEST_SUITE_P(Lessons, LessonWords, testing::ValuesIn(shipped_lessons()), named_by_file);

}  // namespace
}  // namespace maskscope
