// Tests subscripts and superscripts that are typed in ASCII.

#include "app/style/scripts.h"

#include <gtest/gtest.h>

#include "app/style/labels.h"

namespace maskscope {
namespace {

// Marks scripts: W{q} for a subscript, e^{x} for a superscript.
std::string marked(const std::string& text) {
    std::string all;
    for (const ScriptRun& run : script_runs(text))
        all += run.level == ScriptRun::Level::base    ? run.text
               : run.level == ScriptRun::Level::super ? "^{" + run.text + "}"
                                                      : "{" + run.text + "}";
    return all;
}

TEST(Scripts, AreFoundWhereAFormulaHasThem) {
    EXPECT_EQ(marked("times W_q its query"), "times W{q} its query");
    EXPECT_EQ(marked("W_V and W_O act"), "W{V} and W{O} act");
    EXPECT_EQ(marked("Query: x · W_q"), "Query: x · W{q}");
    EXPECT_EQ(marked("(W_k x)"), "(W{k} x)");
    EXPECT_EQ(marked("adds e^s to"), "adds e^{s} to");
    EXPECT_EQ(marked("e^−½"), "e^{−½}");
    EXPECT_EQ(marked("e^0.518"), "e^{0.518}");
    EXPECT_EQ(marked("e^-2."), "e^{-2}.");
    EXPECT_EQ(marked("e^−∞ and e^+∞"), "e^{−∞} and e^{+∞}");
    EXPECT_EQ(marked("e^−3.7e-6, e^1e9"), "e^{−3.7e-6}, e^{1e9}");
    EXPECT_EQ(marked("e^2e"), "e^2e");
    EXPECT_EQ(marked("W_q"), "W{q}");
}

TEST(Scripts, LeaveNamesAndTokensAsTheyAreTyped) {
    for (const char* text :
         {"", "_", "e^", "W_", "d_k", "n_q × n_k", "attn_mask", "MAX_LEN", "MY_X1", "a^b", "the^x",
          "e^(S + M)", "e^xy", "Łe^s", "W_qk", "__init__", "A_é"})
        EXPECT_EQ(marked(text), text);
}

TEST(Scripts, AreSmallerThanTheirLine) {
    const TextStyle style{.size = 16};
    const double with = measure("W_q x", style).width;
    EXPECT_LT(with, measure("Wq x", style).width);
    EXPECT_GT(with, measure("W x", style).width);
}

}  // namespace
}  // namespace maskscope
