#include "app/window/typing/token_field.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/style/labels.h"

namespace maskscope {
namespace {

using Move = TokenField::Move;
using TypingOutcome = TokenField::Outcome;

const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467";  // one grapheme
const std::string combined = "e\u0301";                                   // one grapheme
const TextStyle style{.size = 13};

// Texts of many scripts, with no, one or several graphemes.
const std::vector<std::string> texts = {"",
                                        "a",
                                        "name",
                                        "two words",
                                        "\u00e9t\u00e9",
                                        combined + "t" + combined,
                                        "\u65e5\u672c\u8a9e",
                                        "\u0645\u0631\u062d\u0628\u0627",
                                        "\u0645\u0631\u062d\u0628\u0627 abc",
                                        "\u0928\u092e\u0938\u094d\u0924\u0947",
                                        "a\U0001F600b",
                                        family,
                                        "x" + family + "y"};

Input keys(int key, int modifiers = 0) {
    Input input;
    input.pressed = {key};
    input.modifiers = modifiers;
    return input;
}

Input typing(const std::string& text) {
    Input input;
    input.text = text;
    return input;
}

bool is_stop(const std::string& text, std::size_t byte) {
    const auto stops = caret_stops(text);
    return std::binary_search(stops.begin(), stops.end(), byte);
}

TEST(TokenField, WhatIsNotEditedKeepsItsBytes) {
    for (const std::string& text : texts) {
        TokenField field(text);
        field.select_all();
        for (const int key : {GLFW_KEY_LEFT, GLFW_KEY_RIGHT, GLFW_KEY_HOME, GLFW_KEY_END})
            field.use(keys(key), {});
        field.press(3, style, false);
        field.drag(20, style);
        EXPECT_EQ(field.text(), text);
        EXPECT_FALSE(field.edited());
    }
}

TEST(TokenField, TheCaretStepsOverGraphemes) {
    EXPECT_EQ(caret_stops(family), (std::vector<std::size_t>{0, family.size()}));
    EXPECT_EQ(caret_stops(combined + "x"), (std::vector<std::size_t>{0, 3, 4}));
    for (const std::string& text : texts) {
        const auto stops = caret_stops(text);
        TokenField field(text);
        for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop) {
            EXPECT_EQ(field.caret(), *stop) << text;
            field.move(Move::left, false);
        }
        EXPECT_EQ(field.caret(), 0U);
        for (const std::size_t stop : stops) {
            EXPECT_EQ(field.caret(), stop) << text;
            field.move(Move::right, false);
        }
    }
}

TEST(TokenField, BackspaceAndDeleteTakeAGrapheme) {
    TokenField field("x" + family + "y");
    field.move(Move::left, false);
    field.erase_back();
    EXPECT_EQ(field.text(), "xy");
    field.erase_forward();
    EXPECT_EQ(field.text(), "x");
    field.erase_forward();
    EXPECT_EQ(field.text(), "x");
    field.erase_back();
    field.erase_back();
    EXPECT_EQ(field.text(), "");
}

TEST(TokenField, TypedTextReplacesTheSelection) {
    TokenField field("name");
    field.select_all();
    field.use(typing("\u65e5"), {});
    EXPECT_EQ(field.text(), "\u65e5");
    EXPECT_TRUE(field.edited());
    field.use(keys(GLFW_KEY_Z, GLFW_MOD_CONTROL), {});
    EXPECT_EQ(field.text(), "name");
    EXPECT_FALSE(field.edited());
}

TEST(TokenField, AnAccentJoinsItsLetterAndTheCaretIsBehindBoth) {
    TokenField field("e");
    field.use(typing("\u0301"), {});
    EXPECT_EQ(field.text(), combined);
    EXPECT_EQ(field.caret(), combined.size());
    field.erase_back();
    EXPECT_EQ(field.text(), "");
}

TEST(TokenField, WhatCannotStandOnALineIsReplaced) {
    TokenField field;
    field.insert("a\nb\tc\x7f");
    EXPECT_EQ(field.text(), "a b c ");
    field.set_text("");
    field.insert("a\xff\xc3(");
    EXPECT_EQ(field.text(), "a\uFFFD\uFFFD(");
    field.set_text("");
    for (const char* separated : {"a\u0085b", "a\u2028b", "a\u2029b"}) {
        field.set_text("");
        field.insert(separated);
        EXPECT_EQ(field.text(), "a b");
    }
}

TEST(TokenField, TheClipboardTakesAndGivesWholeGraphemes) {
    std::string board;
    const Clipboard clipboard{[&] { return board; },
                              [&](const std::string& text) { board = text; }};
    TokenField field("x" + family + "y");
    field.move(Move::home, false);
    field.use(keys(GLFW_KEY_RIGHT), clipboard);
    field.use(keys(GLFW_KEY_RIGHT, GLFW_MOD_SHIFT), clipboard);
    EXPECT_EQ(field.selected(), family);
    field.use(keys(GLFW_KEY_X, GLFW_MOD_CONTROL), clipboard);
    EXPECT_EQ(board, family);
    EXPECT_EQ(field.text(), "xy");
    field.use(keys(GLFW_KEY_V, GLFW_MOD_CONTROL), clipboard);
    field.use(keys(GLFW_KEY_V, GLFW_MOD_CONTROL), clipboard);
    EXPECT_EQ(field.text(), "x" + family + family + "y");
    field.use(keys(GLFW_KEY_A, GLFW_MOD_CONTROL), clipboard);
    EXPECT_EQ(field.selected(), field.text());
    field.use(keys(GLFW_KEY_C, GLFW_MOD_CONTROL), {});  // no clipboard: nothing happens
}

TEST(TokenField, SpacesSeparateWords) {
    TokenField field("one two  three");
    field.move(Move::home, false);
    field.move(Move::word_right, false);
    EXPECT_EQ(field.caret(), 4U);
    field.move(Move::word_right, true);
    EXPECT_EQ(field.selected(), "two  ");
    field.use(keys(GLFW_KEY_BACKSPACE), {});
    EXPECT_EQ(field.text(), "one three");
    field.move(Move::end, false);
    field.use(keys(GLFW_KEY_BACKSPACE, GLFW_MOD_CONTROL), {});
    EXPECT_EQ(field.text(), "one ");
    field.select_word_at(1);
    EXPECT_EQ(field.selected(), "one");
}

TEST(TokenField, EnterCommitsEscapeCancelsTabAsks) {
    TokenField field("a");
    EXPECT_EQ(field.use(keys(GLFW_KEY_ENTER), {}), TypingOutcome::commit);
    EXPECT_EQ(field.use(keys(GLFW_KEY_KP_ENTER), {}), TypingOutcome::commit);
    EXPECT_EQ(field.use(keys(GLFW_KEY_ESCAPE), {}), TypingOutcome::cancel);
    EXPECT_EQ(field.use(keys(GLFW_KEY_TAB), {}), TypingOutcome::tab);
    EXPECT_EQ(field.use(keys(GLFW_KEY_F1), {}), TypingOutcome::none);
}

// A click on a drawn caret finds it again. The tolerance is half a pixel in a font of 13: less than
// the distance between two graphemes.
TEST(TokenField, ThePointerFindsTheCaretThatWasDrawn) {
    for (const std::string& text : texts) {
        // where two directions meet, one place on the screen belongs to two bytes
        if (text.find("abc") != std::string::npos) continue;
        for (const std::size_t stop : caret_stops(text)) {
            const double x = caret_x(text, style, stop);
            const std::size_t found = caret_at(text, style, x);
            EXPECT_TRUE(is_stop(text, found)) << text;
            EXPECT_NEAR(caret_x(text, style, found), x, 0.5) << text;
        }
    }
    EXPECT_EQ(caret_at("abc", style, -50), 0U);
    EXPECT_EQ(caret_at("abc", style, 1e9), 3U);
}

// The caret is placed in the text that app/style/labels.cpp draws: the same fonts, the same widths.
// The tolerance is a unit of Pango, 1/1024 of a point, plus the rounding of doubles.
TEST(TokenField, TheCaretMeasuresAsLabelsDo) {
    for (const Weight weight : {Weight::regular, Weight::medium, Weight::semibold, Weight::bold})
        for (const bool mono : {false, true})
            for (const std::string text : {"name", "two words", "\u65e5\u672c", "1.234"}) {
                const TextStyle styled{.size = 17.5, .weight = weight, .mono = mono};
                EXPECT_NEAR(caret_x(text, styled, text.size()), measure(text, styled).width, 0.002)
                    << text;
            }
}

TEST(TokenField, APathNeedNotBeUtf8) {
    TokenField field("/tmp/\xff\xfe.json");
    for (int k = 0; k < 30; ++k) field.move(Move::left, false);
    field.use(typing("x"), {});
    EXPECT_EQ(field.text(), "x/tmp/\xff\xfe.json");
    field.press(10, style, false);
    field.erase_back();
}

// Any keys in any order leave valid text with the caret between two graphemes.
TEST(TokenField, RandomKeysLeaveTheCaretBetweenGraphemes) {
    std::mt19937 random(3);
    const std::vector<int> pool = {GLFW_KEY_LEFT,      GLFW_KEY_RIGHT,  GLFW_KEY_HOME,
                                   GLFW_KEY_END,       GLFW_KEY_DELETE, GLFW_KEY_A,
                                   GLFW_KEY_BACKSPACE, GLFW_KEY_X};
    const int modifiers[] = {0, GLFW_MOD_SHIFT, GLFW_MOD_CONTROL,
                             GLFW_MOD_CONTROL | GLFW_MOD_SHIFT};
    for (int round = 0; round < 60; ++round) {
        TokenField field(texts[random() % texts.size()]);
        for (int k = 0; k < 40; ++k) {
            if (random() % 3 == 0) field.use(typing(texts[random() % texts.size()]), {});
            field.use(keys(pool[random() % pool.size()], modifiers[random() % 4]), {});
            ASSERT_TRUE(is_stop(field.text(), field.caret())) << field.text();
            ASSERT_LE(field.anchor(), field.text().size());
        }
    }
}

}  // namespace
}  // namespace maskscope
