// Tests that an error is one line of at most 300 bytes, whatever it quotes.

#include "core/base/error.h"

#include <gtest/gtest.h>

#include "core/base/utf8.h"

namespace maskscope {
namespace {

TEST(Errors, AreShortLinesOfUtf8WithBothEndsOfWhatTheyQuote) {
    for (const std::string letter : {"x", "é", "语", "🙂", "\n", "\xff", "\xe8\xaf"})
        for (const std::size_t times : {1, 10, 100, 1000, 100000}) {
            std::string text = "begin";
            for (std::size_t k = 0; k < times; ++k) text += letter;
            text += "end";
            for (const Error& error :
                 {Error(InputError(text, text)), Error(InputError("/a", text)),
                  Error(InputError(text, "a")), Error(WorkError(text)), Error(1, text)}) {
                const std::string line = at_file(text, error).what();
                EXPECT_LE(line.size(), longest_error);
                EXPECT_TRUE(is_utf8(line)) << line;
                EXPECT_EQ(line.find('\n'), line.npos);
                EXPECT_TRUE(line.starts_with("begin"));
            }
        }
}

TEST(Errors, WhatFollowsANulIsThere) {
    const std::string quoted("de\0scr\n", 7);
    EXPECT_STREQ(InputError("", "unknown key \"" + quoted + "\"").what(),
                 "unknown key \"de\\u0000scr\\u000a\"");
}

TEST(Errors, BytesThatAreNoCharacterAreWrittenOut) {
    EXPECT_EQ(printable("caf\xe9.json"), "caf\\xe9.json");
    EXPECT_EQ(printable("\xf0\x9f\x99, \xc2\x85, é"), "\\xf0\\x9f\\x99, \\u0085, é");
}

TEST(Errors, AShortOneIsWhole) {
    EXPECT_STREQ(at_file("scene.json", InputError("/seed", "expected 1")).what(),
                 "scene.json: /seed: expected 1");
    EXPECT_STREQ(at_file("out.png", WorkError("No space left on device")).what(),
                 "out.png: No space left on device");
}

TEST(Errors, WithoutMiddleKeepsHalfOfEachEnd) {
    EXPECT_EQ(without_middle("0123456789", 10), "0123456789");
    EXPECT_EQ(without_middle("0123456789a", 10), "012…789a");
    EXPECT_EQ(without_middle("ééééééé", 10), "é…éé") << "no character is halved";
}

}  // namespace
}  // namespace maskscope
