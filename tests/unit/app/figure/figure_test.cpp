#include "app/figure/figure.h"

#include <gtest/gtest.h>

#include "app/figure/layout/place.h"
#include "tests/unit/app/figure/sample_figure.h"

namespace maskscope {
namespace {

Figure with_every_part() {
    Figure figure = sample::figure();
    figure.hidden.push_back(figure.heatmaps.front());
    figure.areas.push_back({.points = {{10, 10}, {20, 10}, {15, 20}}});
    figure.strokes.push_back({.points = {{1, 2}, {3, 4}}, .width = 1.5});
    figure.dots.push_back({.at = {5, 6}, .radius = 4, .width = 2});
    figure.spots.push_back({.rect = {7, 8, 9, 10}});
    figure.pinned.push_back({.rect = {1, 2, 3, 4}, .within = {1, 2, 30, 40}});
    visit([](const auto& parts) { EXPECT_FALSE(parts.empty()); }, figure);
    return figure;
}

// The results are exact, because all numbers are small and the factor 2 is a power of two.
TEST(Figure, MovesAndScalesEveryPart) {
    const Figure before = with_every_part();
    Figure figure = before;
    move_by(figure, {100, -50}, 2);
    const auto moved = [](const Rect& r) {
        return Rect{100 + 2 * r.x, -50 + 2 * r.y, 2 * r.w, 2 * r.h};
    };
    const auto compare = [&](const auto& now, const auto& old) {
        ASSERT_EQ(now.size(), old.size());
        for (std::size_t k = 0; k < now.size(); ++k) {
            if constexpr (requires { now[k].rect; }) {
                EXPECT_EQ(now[k].rect, moved(old[k].rect));
            } else if constexpr (requires { now[k].points; }) {
                for (std::size_t p = 0; p < now[k].points.size(); ++p)
                    EXPECT_EQ(now[k].points[p].x, 100 + 2 * old[k].points[p].x);
            } else {
                EXPECT_EQ(now[k].at.y, -50 + 2 * old[k].at.y);
            }
        }
    };
    visit(compare, figure, before);
    EXPECT_EQ(figure.unit, 2 * before.unit);
    EXPECT_EQ(figure.texts.front().style.size, 2 * before.texts.front().style.size);
    EXPECT_EQ(figure.texts[4].max_width, 180);
    EXPECT_EQ(figure.sums.front().text_size, 19);
    EXPECT_EQ(figure.heatmaps.front().number_size, 19);
    EXPECT_EQ(figure.boxes.front().radius, 16);
    EXPECT_EQ(figure.boxes.front().line_width, 2);
    EXPECT_EQ(figure.strokes.front().width, 3);
    EXPECT_EQ(figure.dots.front().radius, 8);
    EXPECT_EQ(figure.dots.front().width, 4);
}

TEST(Figure, ItsExtentMovesWithIt) {
    Figure figure = with_every_part();
    const Rect before = extent_of(figure);
    move_by(figure, {100, -50});
    const Rect after = extent_of(figure);
    EXPECT_DOUBLE_EQ(after.x, before.x + 100);
    EXPECT_DOUBLE_EQ(after.y, before.y - 50);
    EXPECT_DOUBLE_EQ(after.w, before.w);
    EXPECT_DOUBLE_EQ(after.h, before.h);
}

}  // namespace
}  // namespace maskscope
