#include "app/figure/write/pdf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/unit/app/figure/sample_figure.h"

namespace maskscope {
namespace {

TEST(Pdf, TheSameFigureHasTheSameBytes) {
    const Figure figure = sample::figure();
    const std::string bytes = pdf_bytes(figure, {.title = "A title"});
    EXPECT_TRUE(bytes.starts_with("%PDF-1.4"));
    EXPECT_NE(bytes.find("%%EOF"), std::string::npos);
    EXPECT_EQ(pdf_bytes(figure, {.title = "A title"}), bytes);
    EXPECT_NE(pdf_bytes(figure, {.theme = ThemeKind::dark, .title = "A title"}), bytes);
    EXPECT_NE(pdf_bytes(figure, {.title = "Another"}), bytes);
}

TEST(Pdf, ATitleMayBeInAnyScript) {
    EXPECT_NE(pdf_bytes(sample::figure(), {.title = "Zażółć 注意 √d"}), "");
    EXPECT_NE(pdf_bytes(sample::figure(), PdfOptions{}), "");
}

TEST(Pdf, WhatIsNoCharacterIsReplaced) {
    Figure figure = sample::figure();
    figure.texts.push_back({.at = {20, 20}, .text = "a\uFFFE\uFFFF\uFDD0\U0001FFFF", .style = {}});
    EXPECT_NO_THROW(pdf_bytes(figure, {.title = "b\uFFFE"}));
}

TEST(Pdf, IsTaggedAsOneFigureWithAnAlternative) {
    const std::string bytes = pdf_bytes(sample::figure(), {.descriptions = {"aΣ"}});
    EXPECT_NE(bytes.find("/S /Figure"), std::string::npos);
    EXPECT_NE(bytes.find("/Alt <FEFF006103A3>"), std::string::npos);
    EXPECT_NE(bytes.find("/Lang (en)"), std::string::npos);
    EXPECT_NE(bytes.find("/Marked true"), std::string::npos);
    EXPECT_EQ(pdf_bytes(sample::figure(), {}).find("/Alt"), std::string::npos);
}

TEST(Pdf, EveryPageHasItsOwnAlternative) {
    const std::vector<Figure> pages(12, sample::figure());
    std::vector<std::string> words;
    for (int k = 0; k < 12; ++k) words.push_back(std::string(1, char('a' + k)));
    const std::string bytes = pdf_bytes(pages, {.descriptions = words});
    std::size_t before = 0;
    for (int k = 0; k < 12; ++k) {
        const std::size_t at = bytes.find(fmt::format("/Alt <FEFF{:04X}>", 'a' + k));
        ASSERT_NE(at, std::string::npos) << k;
        EXPECT_GT(at, before);
        before = at;
    }
}

TEST(Pdf, WhatHasNoPageIsRefused) {
    Figure figure = sample::figure();
    figure.width = 0;
    EXPECT_THROW(pdf_bytes(figure, {}), WorkError);
    figure = sample::figure();
    figure.height = 20000;
    EXPECT_THROW(pdf_bytes(figure, {}), WorkError);
}

}  // namespace
}  // namespace maskscope
