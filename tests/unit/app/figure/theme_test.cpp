#include "app/style/theme.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "app/figure/draw_cell.h"
#include "app/figure/style.h"

namespace maskscope {
namespace {

constexpr ThemeKind kinds[] = {ThemeKind::light, ThemeKind::dark, ThemeKind::high_contrast,
                               ThemeKind::print};
constexpr ColourMap maps[] = {ColourMap::viridis, ColourMap::cividis, ColourMap::magma,
                              ColourMap::grey, ColourMap::diverging};
constexpr int steps = 1024;  // of a map: finer than the 256 levels of a colour's channels

double lightness(ColourMap map, int step) {
    return contrast(map_colour(map, step / double(steps)), {0, 0, 0});
}

TEST(Theme, TheDesignsColours) {
    EXPECT_EQ(theme(ThemeKind::dark)[Role::ground], (Colour{0x14, 0x16, 0x1a}));
    EXPECT_EQ(theme(ThemeKind::dark)[Role::wrong], (Colour{0xff, 0x9a, 0x90}));
    EXPECT_EQ(theme(ThemeKind::dark)[Role::variant_d], (Colour{0xe8, 0xea, 0xee}));
    EXPECT_EQ(theme(ThemeKind::light)[Role::dim], (Colour{0x41, 0x4a, 0x58}));
    EXPECT_EQ(theme(ThemeKind::light)[Role::variant_a], (Colour{0x07, 0x55, 0x66}));
    EXPECT_EQ(theme(ThemeKind::high_contrast)[Role::hatch], (Colour{0xb0, 0xb0, 0xb0}));
    for (const ThemeKind kind : kinds) EXPECT_EQ(theme(kind).kind, kind);
}

TEST(Theme, EveryTextHasSevenToOneOnEveryBackground) {
    for (const ThemeKind kind : kinds)
        for (const Role text : {Role::ink, Role::dim, Role::right, Role::odd, Role::wrong,
                                Role::variant_a, Role::variant_b, Role::variant_c, Role::variant_d})
            for (const Role ground : {Role::ground, Role::panel, Role::raised})
                EXPECT_GE(contrast(theme(kind)[text], theme(kind)[ground]), 7)
                    << "theme " << int(kind) << ", role " << int(text) << " on " << int(ground);
}

TEST(Theme, FillsOfStatusesHaveThreeToOneAndAreNoDarkerThanNeeded) {
    for (const ThemeKind kind : kinds)
        for (const Role status : {Role::right, Role::odd}) {
            const Colour fill = style::fill_of(status, theme(kind));
            EXPECT_GE(contrast(fill, theme(kind)[Role::ground]), 3) << int(kind);
            EXPECT_LE(contrast(fill, {255, 255, 255}), 3.5) << "not nearly black: " << int(kind);
        }
}

TEST(Theme, AWordOverNanHasSevenToOne) {
    for (const ThemeKind kind : kinds)
        EXPECT_GE(contrast(theme(kind)[Role::wrong], nan_background(theme(kind))), 7);
}

TEST(Theme, EveryHatchHasThreeToOne) {
    for (const ThemeKind kind : kinds) {
        const Theme& shown = theme(kind);
        for (const Role ground : {Role::ground, Role::panel, Role::raised})
            EXPECT_GE(contrast(shown[Role::hatch], shown[ground]), 3) << int(kind);
        EXPECT_GE(contrast(nan_lines(shown), nan_background(shown)), 3) << int(kind);
        EXPECT_GE(contrast(shown[Role::hatch], nan_background(shown)), 3) << int(kind);
        EXPECT_GE(contrast(shown[Role::wrong], ink_on(shown[Role::wrong])), 3) << int(kind);
    }
    for (const ColourMap map : maps)
        for (int k = 0; k <= steps; ++k) {
            const Colour fill = map_colour(map, k / double(steps));
            ASSERT_GE(contrast(fill, hatch_on(fill)), 3) << int(map) << " at " << k;
        }
}

TEST(Theme, NumbersReadOnEveryColourOfEveryMap) {
    for (const ColourMap map : maps)
        for (int k = 0; k <= steps; ++k) {
            const Colour fill = map_colour(map, k / double(steps));
            ASSERT_GE(contrast(fill, ink_on(fill)), 4.5) << int(map) << " at " << k;
        }
}

TEST(Theme, VariantsRepeatFromE) {
    EXPECT_EQ(variant_role(0), Role::variant_a);
    EXPECT_EQ(variant_role(3), Role::variant_d);
    EXPECT_EQ(variant_role(4), Role::variant_a);
    EXPECT_EQ(variant_role(25), Role::variant_b);
}

TEST(Theme, ContrastIsThatOfWcag) {
    // Black on white is 21:1 by definition; #777777 on white is the well-known 4.48:1.
    EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 1e-9);
    EXPECT_NEAR(contrast({255, 255, 255}, {0x77, 0x77, 0x77}), 4.48, 0.005);  // two decimals
    EXPECT_DOUBLE_EQ(contrast({9, 8, 7}, {1, 2, 3}), contrast({1, 2, 3}, {9, 8, 7}));
    EXPECT_DOUBLE_EQ(contrast({9, 8, 7}, {9, 8, 7}), 1);
}

TEST(Maps, MoreIsAlwaysLighter) {
    for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis, ColourMap::magma}) {
        // Channels are rounded to 1/255, so a step back of that size does not count.
        const double rounding = 0.05;
        for (int k = 0; k < steps; ++k)
            ASSERT_LE(lightness(map, k), lightness(map, k + 1) + rounding) << int(map) << " " << k;
        EXPECT_GT(lightness(map, steps), 5 * lightness(map, 0));
    }
}

TEST(Maps, GreyIsDarkerWhereThereIsMore) {
    for (int k = 0; k < steps; ++k)
        ASSERT_GE(lightness(ColourMap::grey, k), lightness(ColourMap::grey, k + 1)) << k;
}

TEST(Maps, DivergingIsBlueBelowAndRedAboveAndAsDarkOnBothSides) {
    // Up to a ratio of 1.35, equal distances from 0 look equally strong.
    const double even = 1.35;
    for (int k = 0; k < steps / 2; ++k) {
        const Colour below = map_colour(ColourMap::diverging, k / double(steps));
        const Colour above = map_colour(ColourMap::diverging, 1 - k / double(steps));
        ASSERT_LE(contrast(below, above), even) << k;
        ASSERT_GE(below.b, below.r) << k;
        ASSERT_GE(above.r, above.b) << k;
        ASSERT_LE(lightness(ColourMap::diverging, k),
                  lightness(ColourMap::diverging, k + 1) + 0.05);  // rounding of channels, as above
    }
    EXPECT_GT(lightness(ColourMap::diverging, steps / 2), 18);  // nearly white at 0
}

// In print the sign is seen without colour, too: darkness grows away from 0, faster above it.
TEST(ColourMaps, PrintKeepsTheSign) {
    const auto lightness_at = [](double t) {
        return contrast(map_colour(ColourMap::print_diverging, t), {0, 0, 0});
    };
    for (int k = 1; k <= 5; ++k) {
        const double below = lightness_at(0.5 - 0.1 * k), above = lightness_at(0.5 + 0.1 * k);
        EXPECT_LT(below, lightness_at(0.5 - 0.1 * (k - 1))) << k;
        EXPECT_LT(above, lightness_at(0.5 + 0.1 * (k - 1))) << k;
        EXPECT_GT(below, (k == 1 ? 1.1 : 1.3) * above) << k << ": both are nearly white at 0";
    }
}

TEST(Maps, BeyondTheEndsTheEndColour) {
    for (const ColourMap map : maps) {
        EXPECT_EQ(map_colour(map, -3), map_colour(map, 0));
        EXPECT_EQ(map_colour(map, INFINITY), map_colour(map, 1));
        EXPECT_EQ(map_colour(map, -INFINITY), map_colour(map, 0));
        EXPECT_EQ(map_colour(map, NAN), map_colour(map, 0));  // never asked for; still a colour
        EXPECT_EQ(map_colour(map, 0.3).a, 255);
    }
}

}  // namespace
}  // namespace maskscope
