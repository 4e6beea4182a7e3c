#include "core/scene/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/base/error.h"

namespace maskscope {
namespace {

// Evaluates for a query at position 5 of head 1 of 4, in sequence 2. The query is a pad token, and
// so is the last of its 3 keys.
double at(const std::string& text, std::size_t j = 0) {
    const double keys[] = {0, 1, 2}, pads[] = {0, 0, 1};
    double values[3];
    Expression(text).evaluate({5, 6, 3, 1, 4, 2, 1, keys, pads}, values);
    return values[j];
}

std::string error_of(const std::string& text) {
    try {
        (void)Expression(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Expression, BindsAsTheContractSays) {
    EXPECT_EQ(at("1 + 2 * 3"), 7);
    EXPECT_EQ(at("(1 + 2) * 3"), 9);
    EXPECT_EQ(at("8 - 3 - 2"), 3) << "equals from the left";
    EXPECT_EQ(at("7 // 2 * 2"), 6);
    EXPECT_EQ(at("-2 % 3"), 1) << "the sign binds tighter";
    EXPECT_EQ(at("--2"), 2);
    EXPECT_EQ(at("!0 + 1"), 2);
    EXPECT_EQ(at("1 || 0 && 0"), 1);
    EXPECT_EQ(at("1 + 1 == 2 && 3 > 2"), 1);
    EXPECT_EQ(at(" 1+1 "), 2);
    EXPECT_EQ(at("1.5e+2"), 150);
    EXPECT_EQ(at("0.5E-1"), 0.05);
    EXPECT_EQ(at("1e-400"), 0);
}

TEST(Expression, FollowsIeee754) {
    EXPECT_EQ(at("1 / 0"), infinity);
    EXPECT_EQ(at("-1 // 0"), -infinity);
    EXPECT_TRUE(std::isnan(at("0 / 0")));
    EXPECT_EQ(at("log(0)"), -infinity);
    EXPECT_TRUE(std::isnan(at("log(-1)")));
    EXPECT_EQ(at("0 / 0 == 0 / 0"), 0);
    EXPECT_EQ(at("0 / 0 != 0 / 0"), 1);
    EXPECT_EQ(at("!(0 / 0)"), 0) << "NaN is true";
    EXPECT_EQ(at("0 / 0 && 1"), 1);
    EXPECT_TRUE(std::isnan(at("min(0 / 0, 1)")));
    EXPECT_TRUE(std::isnan(at("max(1, 0 / 0)")));
    EXPECT_TRUE(std::isnan(at("1 % 0")));
}

TEST(Expression, KnowsTheRowAndTheKey) {
    const std::map<std::string, double> names = {{"i", 5},     {"n_q", 6}, {"n_k", 3},  {"h", 1},
                                                 {"heads", 4}, {"b", 2},   {"pad_i", 1}};
    for (const auto& [name, value] : names) EXPECT_EQ(at(name), value) << name;
    EXPECT_EQ(at("j", 2), 2);
    EXPECT_EQ(at("pad_j", 2), 1);
    EXPECT_EQ(at("i - j * 10", 2), -15);
    EXPECT_EQ(at("j * 10 - i", 2), 15);
    EXPECT_EQ(at("abs(j - i) + floor(exp(0) + j / 2)", 1), 5);
    EXPECT_TRUE(Expression("min(i, pad_j)").reads(Expression::Name::pad_j));
    EXPECT_FALSE(Expression("min(i, pad_j)").reads(Expression::Name::j));
}

TEST(Expression, SaysTheColumnOfWhatCannotStandThere) {
    EXPECT_EQ(error_of("i <= < j"), "column 6: expected a name, a number or \"(\", got \"<\"");
    EXPECT_TRUE(error_of("i < j < 3").starts_with("column 7: "));
    EXPECT_TRUE(error_of("1.").starts_with("column 2: "));
    EXPECT_TRUE(error_of(".5").starts_with("column 1: "));
    EXPECT_TRUE(error_of("007").starts_with("column 2: "));
    EXPECT_TRUE(error_of("1e999").starts_with("column 1: "));
    EXPECT_TRUE(error_of("i\tj").starts_with("column 2: ")) << "a tab is not a space";
    EXPECT_TRUE(error_of("1 é").starts_with("column 3: "));
    EXPECT_TRUE(error_of("(i").ends_with("got the end"));
    EXPECT_TRUE(error_of("min(i)").starts_with("column 6: "));
    EXPECT_TRUE(error_of("i j").starts_with("column 3: "));
    EXPECT_TRUE(error_of("I").starts_with("column 1: "));
}

TEST(Expression, OpensAtMost32BracketsCallsAndSigns) {
    for (const auto& [open, close] : {std::pair{"(", ")"}, {"abs(", ")"}, {"-", ""}, {"!", ""}}) {
        const auto nested = [&](int depth) {
            std::string text = "i";
            for (int k = 0; k < depth; ++k) text = open + text + close;
            return text;
        };
        EXPECT_EQ(error_of(nested(32)), "") << open;
        const std::size_t column = 32 * std::string(open).size() + 1;
        EXPECT_TRUE(error_of(nested(33)).starts_with("column " + std::to_string(column) + ": "))
            << error_of(nested(33));
    }
    std::string side_by_side = "-1";
    for (int k = 0; k < 40; ++k) side_by_side += " - -(1)";
    EXPECT_EQ(error_of(side_by_side), "") << "they are closed again";
}

}  // namespace
}  // namespace maskscope
