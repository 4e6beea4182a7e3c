#include "core/dump/token_text.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace maskscope {
namespace {

using Texts = std::vector<std::string>;

TEST(TokenText, BytesBehindByteLevelTokens) {
    EXPECT_EQ(shown_tokens({"The", "Ġis", "Ċ", "cafÃ©", "Ġ", "<|endoftext|>"}),
              (Texts{"The", " is", "⏎", "café", "␣", "<|endoftext|>"}));
    EXPECT_EQ(shown_tokens({"ĠðŁ", "ĺĢ", "ĠðŁĺĢ", "ĉ", "č"}),
              (Texts{" <0xF0><0x9F>", "<0x98><0x80>", " 😀", "⇥", "␍"}))
        << "half a character is shown as its bytes";
    EXPECT_EQ(shown_tokens({"Ġ", "<｜begin▁of▁sentence｜>"}),
              (Texts{"␣", "<｜begin▁of▁sentence｜>"}));
}

TEST(TokenText, PiecesOfSentencePiece) {
    EXPECT_EQ(shown_tokens({"<s>", "▁The", "ory", "▁", "<0x0A>", "<0xC3>", "<0xZZ>"}),
              (Texts{"<s>", " The", "ory", "␣", "⏎", "<0xC3>", "<0xZZ>"}));
}

TEST(TokenText, PlainTokensStay) {
    EXPECT_EQ(shown_tokens({"café", "##ing", "naïve", "", "a\nb", "\x7f", "\xc2\x85"}),
              (Texts{"café", "##ing", "naïve", "∅", "a⏎b", "␡", "<0x85>"}));
}

// Byte-level BPE writes every byte as one character, which is read back as the same byte.
TEST(TokenText, EveryByteHasItsCharacter) {
    Texts raw{"Ġ"};
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        const bool prints = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
        std::string text;
        append_utf8(text, prints ? static_cast<char32_t>(byte) : next++);
        raw.push_back(text);
    }
    const Texts shown = shown_tokens(raw);
    EXPECT_EQ(shown[1 + 'a'], "a");
    EXPECT_EQ(shown[1 + ' '], "␣");
    EXPECT_EQ(shown[1], "␀");
    EXPECT_EQ(shown[1 + 0xe9], "<0xE9>");
    EXPECT_EQ(shown[1 + 0xad], "<0xAD>");
    for (const std::string& token : shown) {
        EXPECT_TRUE(is_utf8(token));
        EXPECT_EQ(token, printable(token)) << "no control characters";
        EXPECT_NE(token, "");
    }
}

TokenLists lists(const std::string& text) { return std::get<TokenLists>(read_tokens(text)); }

TEST(TokenText, FilesOfTokens) {
    EXPECT_EQ(lists("The cat  sat\n"), (TokenLists{{"The", "cat", "sat"}}));
    EXPECT_EQ(lists("The\n cat\r\n\nsat\n"), (TokenLists{{"The", " cat", "∅", "sat"}}));
    EXPECT_EQ(lists(R"(["The", "Ġcat"])"), (TokenLists{{"The", " cat"}}));
    EXPECT_EQ(lists(R"([["The"], ["Ġcat"]])"), (TokenLists{{"The"}, {" cat"}}));
    EXPECT_EQ(lists("[CLS] the cat [SEP]"), (TokenLists{{"[CLS]", "the", "cat", "[SEP]"}}));
    const auto unigram = R"({"model":{"type":"Unigram","vocab":[["<unk>",0],["▁The",-1.5]]}})";
    EXPECT_EQ(std::get<TokenNames>(read_tokens(unigram)), (TokenNames{{0, "<unk>"}, {1, " The"}}));
}

TEST(TokenText, WhatHoldsNoTokensIsRefused) {
    for (const char* text :
         {"", " \n", "{}", R"({"model":{"vocab":[]}})", R"({"model":{"vocab":7}})",
          R"({"model":{"vocab":{"a":"b"}}})", R"(["a", 1])", R"([["a"], "b"])", R"([["a"], []])",
          "[]", R"(["a")", "\xff", "{"})
        EXPECT_THROW(read_tokens(text), InputError) << text;
    EXPECT_THROW(id_lists("[1.5]"), InputError);
}

}  // namespace
}  // namespace maskscope
