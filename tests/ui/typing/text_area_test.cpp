#include "app/window/widgets/text_area.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/style/labels.h"

namespace maskscope {
namespace {

const TextStyle plain{};

const std::vector<std::string> paragraphs = {
    "",
    "one",
    "Multiplied, the row of “name” keeps {B.sum[0,0,2]:%} of its weight; added, all of it.",
    "  blanks   here and   there  ",
    "注意力機制就是加權平均而已沒有別的意思",
    "الانتباه هو متوسط مرجح للقيم فقط",
    "👩‍👩‍👧‍👦 👩‍👩‍👧‍👦",
    "naïve ध्यान",
    "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
};

bool is_caret_stop(const std::string& text, std::size_t byte) {
    const auto stops = caret_stops(text);
    return std::ranges::find(stops, byte) != stops.end();
}

// Lines follow each other without loss: only spaces are between them, and each begins and ends
// between two graphemes. None is wider than the field, except by spaces at the text's end, or if
// one grapheme is.
TEST(TextArea, LinesHoldTheWholeText) {
    for (const std::string& text : paragraphs)
        for (const double room : {20.0, 60.0, 240.0, 1e6}) {
            const auto lines = lines_of(text, plain, room);
            ASSERT_FALSE(lines.empty());
            EXPECT_EQ(lines.back().end, text.size()) << text;
            std::size_t at = 0;
            for (const TextLine& line : lines) {
                EXPECT_GE(text.find_first_not_of(' ', at), line.begin == at ? at : line.begin);
                EXPECT_TRUE(is_caret_stop(text, line.begin)) << text;
                EXPECT_TRUE(is_caret_stop(text, line.end)) << text;
                EXPECT_LE(at, line.begin);
                EXPECT_LE(line.begin, line.end);
                std::string part = text.substr(line.begin, line.end - line.begin);
                while (part.ends_with(' ')) part.pop_back();
                const bool one_grapheme = caret_stops(part).size() <= 2;
                EXPECT_TRUE(one_grapheme || measure(part, plain).width <= room) << text;
                at = line.end;
            }
        }
}

TEST(TextArea, AWideFieldHasOneLine) {
    for (const std::string& text : paragraphs) EXPECT_EQ(lines_of(text, plain, 1e6).size(), 1U);
}

TEST(TextArea, ALongTextWithoutBlanksIsBroken) {
    EXPECT_GT(lines_of(paragraphs[4], plain, 100).size(), 2U);
    EXPECT_GT(lines_of(paragraphs.back(), plain, 100).size(), 2U);
}

std::string many_words(std::size_t bytes) {
    std::string text;
    for (std::size_t k = 0; text.size() < bytes; ++k)
        text += std::string(1 + k * k % 11, char('a' + k % 26)) + ' ';
    return text;
}

TEST(TextArea, EveryLineHasAsManyWordsAsFit) {
    const std::string text = many_words(4000);
    for (const double room : {80.0, 200.0, 500.0}) {
        const auto lines = lines_of(text, plain, room);
        for (std::size_t k = 0; k + 1 < lines.size(); ++k) {
            const std::size_t next = std::min(text.find(' ', lines[k + 1].begin), text.size());
            const auto width = [&](std::size_t end) {
                return measure(text.substr(lines[k].begin, end - lines[k].begin), plain).width;
            };
            EXPECT_LE(width(lines[k].end), room) << k;
            EXPECT_GT(width(next), room) << k;
        }
    }
}

TEST(TextArea, ALongTextIsBrokenToItsEnd) {
    for (const std::string& text : {std::string(100'000, 'a'), many_words(20'000)})
        EXPECT_EQ(lines_of(text, plain, 250).back().end, text.size());
}

}  // namespace
}  // namespace maskscope
