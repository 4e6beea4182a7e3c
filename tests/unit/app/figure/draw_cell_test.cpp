// Tests how a cell shows its number.

#include "app/figure/draw_cell.h"

#include <gtest/gtest.h>

#include "app/figure/write/cell_areas.h"
#include "app/style/labels.h"
#include "app/style/theme.h"
#include "tests/support/computed.h"
#include "tests/unit/app/show/sentence.h"

namespace maskscope {
namespace {

Heatmap weights_in(const Zoom& zoom) {
    static const Result result = computed(sentence({causal("added", Apply::additive)}));
    Heatmap map;
    map.cells = cells_of(result.variants[0], StageKind::weights, 0, 0);
    map.rect = {10, 20, 300, 240};
    map.zoom = zoom;
    map.number_size = 13;
    return map;
}

std::vector<Text> number_at(const Heatmap& map, Index i, Index j) {
    const CellLook look = look_of(map, i, j, theme(ThemeKind::light));
    return number_of(map, i, j, look, inner_rect(map, i, j, 1)).lines;
}

// Numbers are never cut, because a part of a number would read as another number.
TEST(CellNumbers, AreWholeOrNotThere) {
    int whole = 0, gone = 0;
    for (double from = 0; from < 0.3; from += 0.01) {
        const Heatmap map = weights_in({from, from, from + 0.6, from + 0.6});
        const SeenCells seen = seen_cells(map);
        for (Index i = seen.begin.i; i < seen.end.i; ++i)
            for (Index j = seen.begin.j; j <= std::min(i, seen.end.j - 1); ++j) {
                const std::vector<Text> lines = number_at(map, i, j);
                ++(lines.empty() ? gone : whole);
                if (lines.empty()) continue;
                const Text& number = lines.front();
                const double half = figure_text_width(number) / 2;
                EXPECT_GE(number.at.x - half, map.rect.x - 0.6) << number.text << " at " << from;
                EXPECT_LE(number.at.x + half, map.rect.right() + 0.6) << number.text;
                EXPECT_GE(number.at.y, map.rect.y) << number.text << " at " << from;
                EXPECT_LE(number.at.y, map.rect.bottom()) << number.text << " at " << from;
            }
    }
    EXPECT_GT(whole, 100);
    EXPECT_GT(gone, 20);
}

// If large numbers of a row would look the same, each shows its difference from the largest, unless
// there is too little space for it.
TEST(CellNumbers, ThatWouldReadAlikeSayTheirDifference) {
    auto cells = std::make_shared<Cells>();
    cells->stage = StageKind::logits;
    cells->rows = 2;
    cells->columns = 3;
    for (const double x : {-1e9, -1e9 + 3, -1e9 - 0.5, -1e9, -1e9, 7.0}) {
        cells->values.push_back(x);
        cells->signs.push_back(0);
    }
    Heatmap map;
    map.cells = cells;
    EXPECT_EQ(text_of(map, 0, 0), "−1e9+0");
    EXPECT_EQ(text_of(map, 0, 1), "−1e9+3");
    EXPECT_EQ(text_of(map, 0, 2), "−1e9−0.50");
    EXPECT_EQ(text_of(map, 1, 0), "−1e9") << "its neighbour is the same";
    EXPECT_EQ(text_of(map, 1, 2), "7.00");
    map.number_form = NumberForm::one_decimal;
    EXPECT_EQ(text_of(map, 0, 1), "−1\ne9");
}

// Both lines of a number fit in the cell.
TEST(CellNumbers, HaveTheirExponentOnASecondLineInTheShortestForm) {
    auto cells = std::make_shared<Cells>();
    cells->stage = StageKind::logits;
    cells->rows = 1;
    cells->columns = 3;
    for (const double x : {-110001.0, -1e5, 3.0}) {
        cells->values.push_back(x);
        cells->signs.push_back(0);
    }
    Heatmap map;
    map.cells = cells;
    map.number_form = NumberForm::one_decimal;
    map.number_size = 12;
    for (const double side : {30.0, 18.0}) {
        map.rect = {0, 0, 3 * side, side};
        const std::vector<Text> lines = number_at(map, 0, 0);
        if (side < 24) {
            EXPECT_TRUE(lines.empty()) << "no part of a number";
            continue;
        }
        ASSERT_EQ(lines.size(), 2U);
        EXPECT_EQ(lines[0].text, "−1.1");
        EXPECT_EQ(lines[1].text, "e5");
        for (const Text& line : lines) {
            EXPECT_GE(line.at.y - 0.37 * line.style.size, 0);
            EXPECT_LE(line.at.y + 0.37 * line.style.size, side);
        }
        ASSERT_EQ(number_at(map, 0, 1).size(), 2U);
        EXPECT_EQ(number_at(map, 0, 1).front().text, "−1");
    }
}

TEST(CellNumbers, AreAllThereWhereNothingIsCut) {
    const Heatmap map = weights_in({});
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j <= i; ++j) EXPECT_FALSE(number_at(map, i, j).empty()) << i << j;
}

// Returns 41 × 41 zeros, but with the number `other` and these flags in the middle. `side` is the
// size of a cell.
Heatmap heatmap_with_one(StageKind stage, double side, double other, std::uint8_t signs) {
    constexpr Index n = 41;
    auto cells = std::make_shared<Cells>();
    cells->stage = stage;
    cells->rows = cells->columns = n;
    cells->values.assign(n * n, 0.0);
    cells->signs.assign(n * n, sign::zero);
    cells->values[n * n / 2] = other;
    cells->signs[n * n / 2] = signs;
    Heatmap map;
    map.cells = cells;
    map.rect = {0, 0, n * side, n * side};
    map.limits = {-1, 1};
    map.map = ColourMap::diverging;
    return map;
}

int distance(Colour a, Colour b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

constexpr ThemeKind themes[] = {ThemeKind::light, ThemeKind::dark, ThemeKind::print,
                                ThemeKind::high_contrast};
// The smallest difference between two greys that a projector still shows.
constexpr int seen = 30;

// One such cell is drawn among zeros, in a figure of pixels and in one of shapes.
TEST(CellLooks, LeaksNanAndInfinitiesAreSeenInCellsOfAnySize) {
    struct One {
        double number;
        std::uint8_t signs;
    };
    for (const auto& [number, signs] :
         {One{0, sign::zero | sign::leaks}, One{std::nan(""), sign::nan},
          One{infinity, sign::plus_infinity}, One{-infinity, sign::minus_infinity}})
        for (const ThemeKind kind : themes)
            for (const double side : {0.3, 1.0, 2.0, 5.9, 10.0, 50.0}) {
                const Heatmap with = heatmap_with_one(StageKind::scores, side, number, signs);
                const auto all = cell_pixels(with, theme(kind), 1).argb;
                const auto colour = [](std::uint32_t argb) {
                    const auto part = [argb](int shift) { return std::uint8_t(argb >> shift); };
                    return Colour{part(16), part(8), part(0), part(24)};
                };
                int changed = 0;
                for (const std::uint32_t pixel : all)
                    changed += pixel >> 24 != 0 && distance(colour(pixel), colour(all[3])) > seen;
                EXPECT_GT(changed, 0) << number << " " << int(signs) << " at " << side;
                const CellAreas areas = cell_areas(with, theme(kind));
                EXPECT_EQ(areas.fills.size(), areas.framed.empty() ? 2U : 1U) << side;
            }
}

TEST(CellLooks, AnInfinityIsReadableOnItsBackground) {
    for (const ThemeKind kind : themes)
        for (const std::uint8_t signs : {sign::plus_infinity, sign::minus_infinity}) {
            const double number = signs == sign::plus_infinity ? infinity : -infinity;
            const CellLook look = look_of(heatmap_with_one(StageKind::scores, 20, number, signs),
                                          20, 20, theme(kind));
            EXPECT_GE(contrast(look.ink, look.background), 4.5);
        }
}

// The hatch already shows that the cell is blocked.
TEST(CellLooks, ABlockedMinusInfinityStaysPlain) {
    const auto signs = static_cast<std::uint8_t>(sign::minus_infinity | sign::blocked);
    const CellLook look = look_of(heatmap_with_one(StageKind::logits, 20, -infinity, signs), 20, 20,
                                  theme(ThemeKind::dark));
    EXPECT_EQ(rgb(look.background), rgb(theme(ThemeKind::dark)[Role::panel]));
    EXPECT_NE(look.hatch.a, 0);
}

}  // namespace
}  // namespace maskscope
