#include "core/lesson/answer.h"

#include <gtest/gtest.h>

#include "core/lesson/lesson.h"

namespace maskscope {
namespace {

TEST(Answer, IsHiddenOnlyBehindAQuestion) {
    Step step;
    step.covers = Cover{{{1}}, {}};
    EXPECT_EQ(hidden_by(step), std::nullopt);
    step.ask = "Which?";
    EXPECT_EQ(hidden_by(step), step.covers);
    step.covers.reset();
    EXPECT_EQ(hidden_by(step), Cover()) << "everything after the fork";
}

TEST(Answer, IsReadWithItsCountOfHands) {
    EXPECT_EQ(read_said("  columns "), (GivenAnswer{"columns", 0}));
    EXPECT_EQ(read_said("columns: 12"), (GivenAnswer{"columns", 12}));
    EXPECT_EQ(read_said("ratio 1:2 :7"), (GivenAnswer{"ratio 1:2", 7}));
    for (const char* no_count : {"a: b", "a: -3", "a: 0", ": 12", "a:", "a: 3.5", "a: 99999999999"})
        EXPECT_EQ(read_said(no_count), (GivenAnswer{no_count, 0})) << no_count;
    for (const char* blank : {"", "   "}) EXPECT_FALSE(read_said(blank));
}

TEST(Answer, OnePersonChangesItAClassIsCounted) {
    std::vector<GivenAnswer> all;
    say(all, {"A", 0});
    say(all, {"B", 0});
    EXPECT_EQ(all, (std::vector<GivenAnswer>{{"B", 0}}));
    say(all, {"A", 12});
    say(all, {"C", 5});
    say(all, {"lane a", 13});
    EXPECT_EQ(all, (std::vector<GivenAnswer>{{"B", 0}, {"C", 5}, {"lane a", 13}}));
}

TEST(Answer, WordsAreComparedByWhatTheySay) {
    for (const char* said : {"Columns", "“columns”", "the columns.", " columns ", "\"Columns!\""})
        EXPECT_TRUE(is_answer(said, "columns")) << said;
    EXPECT_FALSE(is_answer("column", "columns"));
    EXPECT_TRUE(is_answer("lane b", "B"));
    EXPECT_TRUE(is_answer("Variant B", "B"));
    EXPECT_TRUE(is_answer("in B", "B"));
    EXPECT_TRUE(is_answer("nan", "NaN"));
    for (const char* said : {"-inf", "−∞", "-∞", "-Infinity"}) EXPECT_TRUE(is_answer(said, "−∞"));
    EXPECT_FALSE(is_answer("inf", "−∞"));
    EXPECT_FALSE(is_answer("?", "columns")) << "punctuation alone says nothing";
}

TEST(Answer, ANumberIsRightAsItIsShown) {
    for (const char* said : {"35 %", "35%", "35", "0.35", ".35", "0,35", "34.6 %"})
        EXPECT_TRUE(is_answer(said, "35 %")) << said;
    for (const char* said : {"36 %", "34.4 %", "0.36", "3.5"})
        EXPECT_FALSE(is_answer(said, "35 %")) << said;
    for (const char* said : {"0.62", "0.62 %", "0.0062"})
        EXPECT_TRUE(is_answer(said, "0.62 %")) << said;
    EXPECT_TRUE(is_answer("1", "1 %"));
    EXPECT_TRUE(is_answer("35 %", "0.35"));
    EXPECT_FALSE(is_answer("35", "0.35")) << "a share is not a per cent";
    EXPECT_TRUE(is_answer("-4", "−4.00"));
    EXPECT_TRUE(is_answer("-1e9", "−1e9"));
    EXPECT_TRUE(is_answer("0", "<.01"));
    EXPECT_FALSE(is_answer("0.02", "<.01"));
    EXPECT_TRUE(is_answer("100 %", ">99 %"));
    EXPECT_FALSE(is_answer("nan", "0.35"));
    EXPECT_FALSE(is_answer("1e999", "0.35"));
}

TEST(Answer, StandsBesideTheTruth) {
    const auto words = [](const std::vector<GivenAnswer>& said,
                          const std::vector<std::string>& answers) {
        return judge_answers(said, answers).words;
    };
    EXPECT_EQ(words({{"35", 0}}, {"35 %"}), "You said 35: right.");
    EXPECT_EQ(words({{"50 %", 0}}, {"35 %"}),
              "You said 50 %, 15 points too much. The answer is 35 %.");
    EXPECT_EQ(words({{"0.5", 0}}, {"0.6 %"}),
              "You said 0.5, 0.1 points too little. The answer is 0.6 %.");
    EXPECT_EQ(words({{"-5", 0}}, {"−4.00"}), "You said -5, 1 too little. The answer is −4.00.");
    EXPECT_EQ(words({{"40%", 0}}, {"39%"}), "You said 40%: close. The answer is 39%.");
    EXPECT_EQ(words({{"less than 1%", 0}}, {"0.11%"}),
              "You said less than 1%: close. The answer is 0.11%.");
    EXPECT_EQ(words({{"over 90", 0}}, {"99%"}), "You said over 90: close. The answer is 99%.");
    EXPECT_EQ(words({{">0", 0}}, {"39%"}), "You said >0, 39 points too little. The answer is 39%.");
    EXPECT_FALSE(judge_answers({{"40%", 0}}, {"39%"}).right);
    EXPECT_EQ(words({{"rows", 0}}, {"columns"}), "You said “rows”. The answer is columns.");
    EXPECT_EQ(words({{"the keys", 0}}, {"columns", "keys"}), "You said “the keys”: right.");
    EXPECT_EQ(words({{"rows", 0}}, {}), "You said “rows”.");
    EXPECT_EQ(words({{"A", 12}, {"B", 23}}, {"B"}), "A 12, B 23. The answer is B.");
    EXPECT_TRUE(judge_answers({{"A", 12}, {"B", 23}}, {"B"}).right) << "most hands are for B";
    EXPECT_FALSE(judge_answers({{"A", 24}, {"B", 23}}, {"B"}).right);
    EXPECT_FALSE(judge_answers({{"A", 0}}, {}).right);
}

}  // namespace
}  // namespace maskscope
