#include "app/figure/write/svg.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/unit/app/figure/sample_figure.h"

namespace maskscope {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Svg, TheSameFigureHasTheSameText) {
    const std::string svg = svg_text(sample::figure(), {});
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_EQ(svg_text(sample::figure(), {}), svg);
    EXPECT_NE(svg_text(sample::figure(), {.theme = ThemeKind::dark}), svg);
}

TEST(Svg, LettersAreTextInEveryScript) {
    const std::string svg = svg_text(sample::figure(), {.title = "a < b & c"});
    EXPECT_NE(svg.find("<title id=\"title\">a &lt; b &amp; c</title>"), std::string::npos);
    EXPECT_NE(svg.find(">Ein Satz, العربية, 日本語, 🙂 123</text>"), std::string::npos);
    EXPECT_NE(svg.find("…</text>"), std::string::npos) << "the long token is cut";
    EXPECT_NE(svg.find("rotate(-90"), std::string::npos) << "one reads upwards";
    EXPECT_NE(svg.find(">NaN</text>"), std::string::npos);
}

TEST(Svg, IsAPictureWithAName) {
    const std::string svg = svg_text(sample::figure(), {.title = "T", .description = "what < it"});
    EXPECT_NE(svg.find("role=\"img\" aria-labelledby=\"title desc\""), std::string::npos);
    EXPECT_NE(svg.find("<desc id=\"desc\">what &lt; it</desc>"), std::string::npos);
    EXPECT_EQ(svg_text(sample::figure(), {}).find("aria-labelledby"), std::string::npos);
}

TEST(Svg, SignsAreDrawnApart) {
    Figure figure = sample::figure();
    figure.hatches.clear();
    figure.sums.clear();
    const std::string svg = svg_text(figure, {});
    EXPECT_GE(count(svg, "<pattern "), 3U) << "blocked, and NaN in both directions";
    EXPECT_NE(svg.find("fill=\"none\" stroke=\"" + std::string("#8f1a14")), std::string::npos)
        << "a leak has a frame in the colour of wrong";
}

TEST(Svg, ControlCharactersAreLeftOut) {
    Figure figure;
    figure.width = figure.height = 100;
    figure.texts.push_back({.at = {10, 10}, .text = "a\x01\tb", .style = {}});
    EXPECT_NE(svg_text(figure, {}).find(">ab</text>"), std::string::npos);
}

TEST(Svg, ManyCellsAreOnePicture) {
    Figure figure;
    figure.width = figure.height = 600;
    Heatmap map;
    map.rect = {0, 0, 600, 600};
    map.cells = sample::cells(StageKind::weights, 300, true,
                              [](Index, Index j) { return 1.0 / double(j + 1); });
    figure.heatmaps.push_back(map);
    const std::string svg = svg_text(figure, {});
    EXPECT_EQ(count(svg, "<image "), 1U);
    EXPECT_LT(svg.size(), 1'000'000U);
}

TEST(Svg, ScriptsLeaveTheLineAndComeBack) {
    Figure figure;
    figure.width = figure.height = 100;
    figure.texts.push_back({.at = {10, 10}, .text = "x W_q <", .style = {.size = 10}});
    EXPECT_NE(svg_text(figure, {})
                  .find("<tspan dy=\"0\">x W</tspan><tspan dy=\"1.6\" font-size=\"7.2\">q</tspan>"
                        "<tspan dy=\"-1.6\"> &lt;</tspan>"),
              std::string::npos);
}

TEST(Svg, AnEmptyFigureIsRefused) { EXPECT_THROW(svg_text(Figure(), {}), WorkError); }

}  // namespace
}  // namespace maskscope
