#include "app/figure/plots/plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/figure/style.h"

namespace maskscope {
namespace {

TEST(PlotAxis, ShareAndValueAreInverse) {
    for (const PlotAxis axis : {PlotAxis{-2, 6}, PlotAxis{1, 1024, true}})
        for (const double share : {0.0, 0.3, 1.0})
            EXPECT_NEAR(axis.share(axis.value(share)), share, 1e-12);
    EXPECT_NEAR((PlotAxis{1, 1024, true}.share(32)), 0.5, 1e-12);
    EXPECT_LT((PlotAxis{1, 1024, true}.share(0)), 0);  // is below a logarithmic axis
}

TEST(Ticks, AreRoundNumbersWithinTheAxis) {
    EXPECT_EQ(ticks_of({-0.3, 2.1}, 5), (std::vector{0.0, 0.5, 1.0, 1.5, 2.0}));
    for (const PlotAxis axis : {PlotAxis{-1e-9, 3e-9}, PlotAxis{-7e12, 1e13}, PlotAxis{0.1, 0.4}})
        for (const double tick : ticks_of(axis, 5)) {
            EXPECT_GE(axis.share(tick), -1e-9);
            EXPECT_LE(axis.share(tick), 1 + 1e-9);
        }
    EXPECT_EQ(ticks_of({0.5, 2048, true}, 6), (std::vector{1000.0, 100.0, 10.0, 1.0}));
}

TEST(CutBetween, LinesEndAtTheEdge) {
    const auto parts = cut_between({{0, 5}, {1, 15}, {2, 25}, {3, 5}, {4, NAN}}, 0, 10);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].back(), (Point{0.5, 10}));
    EXPECT_EQ(parts[1].front(), (Point{2.75, 10}));
    EXPECT_EQ(parts[1].back(), (Point{3, 5}));
}

TEST(PlotLabels, NoNameCoversAnother) {
    Figure figure;
    PlotLabels labels({0, 0, 300, 200}, 1);
    int placed = 0;
    for (int k = 0; k < 12; ++k)
        placed += labels.place(figure, {150.0 + k % 3, 100.0 + k % 4}, 4, {150, 100},
                               {.at = {}, .text = "token", .style = {12}});
    EXPECT_GE(placed, 8);
    for (std::size_t k = 0; k < figure.texts.size(); ++k)
        for (std::size_t other = 0; other < k; ++other) {
            const Point a = figure.texts[k].at, b = figure.texts[other].at;
            EXPECT_TRUE(std::abs(a.x - b.x) >= 30 || std::abs(a.y - b.y) >= 12);
        }
}

TEST(Dashes, RunOnAroundCorners) {
    const Stroke stroke{{{0, 0}, {10, 0}, {10, 10}}, Role::ink, 1, true};
    const auto dashes = style::dashes_of(stroke);
    double length = 0;
    for (const auto& [from, to] : dashes) length += std::hypot(to.x - from.x, to.y - from.y);
    EXPECT_NEAR(length, 12, 1e-9);  // 4 of each 7, and the last dash is cut
}

TEST(SpotAt, TheNearestMiddleCounts) {
    std::vector<Spot> spots(2);
    spots[0].rect = {0, 0, 20, 20};
    spots[1].rect = {8, 0, 20, 20};
    EXPECT_EQ(spot_at(spots, {11, 10}), spots.data());
    EXPECT_EQ(spot_at(spots, {16, 10}), spots.data() + 1);
    EXPECT_EQ(spot_at(spots, {40, 10}), nullptr);
}

}  // namespace
}  // namespace maskscope
