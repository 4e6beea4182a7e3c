// Tests which commands the palette still lists when words are typed.

#include "app/window/context/ui_state.h"

#include <gtest/gtest.h>

namespace maskscope {
namespace {

const std::vector<PaletteEntry> entries = {
    {"Undo", {}, "Ctrl+Z", "nothing to undo"},
    {"Redo", {}, "Ctrl+Shift+Z, Ctrl+Y"},
    {"A: dtype float16"},
    {"A: dtype bfloat16"},
    {"Theme: light"},
    {"Lesson: Masks of an encoder, a decoder, and between them"},
    {"Show or hide the output", {}, "Alt+6"},
    {"A: mask value −∞"},
    {.words = "Lesson: Break it", .about = "A translator, and what each wrong mask does to it"},
};

std::vector<std::string> found(const std::string& typed) {
    std::vector<std::string> words;
    for (const std::size_t k : matching(entries, typed)) words.push_back(entries[k].words);
    return words;
}

using Words = std::vector<std::string>;

TEST(Palette, NothingTypedLeavesAllAndWhatCannotActLast) {
    EXPECT_EQ(found("").size(), entries.size());
    EXPECT_EQ(found("  "), found(""));
    EXPECT_EQ(found("").front(), "Redo");
    EXPECT_EQ(found("").back(), "Undo");
}

TEST(Palette, EachWordMustOccurInAnyOrderAndEitherCase) {
    EXPECT_EQ(found("LIGHT theme"), Words{"Theme: light"});
    EXPECT_EQ(found("hide output"), Words{"Show or hide the output"});
    EXPECT_EQ(found("theme dark"), Words{});
    EXPECT_EQ(found("value −∞"), Words{"A: mask value −∞"});
}

TEST(Palette, TheBeginningOfAWordComesBeforeItsInside) {
    EXPECT_EQ(found("float16"), (Words{"A: dtype float16", "A: dtype bfloat16"}));
    EXPECT_EQ(found("them").front(), "Theme: light");
}

TEST(Palette, RanksKeysAfterCommandsWithTheWord) {
    EXPECT_EQ(found("alt+6"), Words{"Show or hide the output"});
    EXPECT_EQ(found("ctrl"), (Words{"Redo", "Undo"}));
}

TEST(Palette, WhatALessonIsAboutIsFoundBehindAllThatSayTheWord) {
    EXPECT_EQ(found("translat"), Words{"Lesson: Break it"});
    EXPECT_EQ(found("lesson translator"), Words{"Lesson: Break it"});
    EXPECT_EQ(found("mask"), (Words{"A: mask value −∞", entries[5].words, "Lesson: Break it"}));
}

TEST(Palette, ALetterMoreNeverFindsMore) {
    const std::string typed = "the dtype float";
    for (std::size_t k = 0; k < typed.size(); ++k)
        EXPECT_LE(found(typed.substr(0, k + 1)).size(), found(typed.substr(0, k)).size())
            << typed.substr(0, k + 1);
}

}  // namespace
}  // namespace maskscope
