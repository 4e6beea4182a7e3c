// What a cell shows of its number.

#include "app/figure/draw_cell.h"

#include <gtest/gtest.h>

#include "app/figure/cell_pixels.h"
#include "app/figure/style/text_rect.h"
#include "app/figure/style/theme.h"
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

Text number_at(const Heatmap& map, Index i, Index j) {
    const CellLook look = look_of(map, i, j, theme(ThemeKind::light));
    return number_of(map, i, j, look, inner_rect(map, i, j, 1)).text;
}

// A part of a number reads as another number.
TEST(CellNumbers, AreWholeOrNotThere) {
    int whole = 0, gone = 0;
    for (double from = 0; from < 0.3; from += 0.01) {
        const Heatmap map = weights_in({from, from, from + 0.6, from + 0.6});
        const SeenCells seen = seen_cells(map);
        for (Index i = seen.begin.i; i < seen.end.i; ++i)
            for (Index j = seen.begin.j; j <= std::min(i, seen.end.j - 1); ++j) {
                const Text number = number_at(map, i, j);
                ++(number.text.empty() ? gone : whole);
                if (number.text.empty()) continue;
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

TEST(CellNumbers, AreAllThereWhereNothingIsCut) {
    const Heatmap map = weights_in({});
    for (Index i = 0; i < 6; ++i)
        for (Index j = 0; j <= i; ++j) EXPECT_FALSE(number_at(map, i, j).text.empty()) << i << j;
}

}  // namespace
}  // namespace maskscope
