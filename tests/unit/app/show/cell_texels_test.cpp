#include "app/show/cells/cell_texels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/figure/draw_cell.h"
#include "core/base/matrix.h"
#include "core/threads/pool.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

constexpr std::uint8_t kept = sign::nan | sign::leaks;  // shown if any cell of a span has one

// Returns weights with every kind of number, under a mask that blocks a third, with a pad token as
// the last key.
VariantResult random_result(Index rows, Index columns, unsigned seed, bool float64 = false) {
    std::mt19937 random(seed);
    VariantResult r;
    r.shape = {1, 1, rows, columns};
    std::vector<std::uint8_t> allowed;
    Matrix numbers(rows, columns);
    for (Index k = 0; k < rows * columns; ++k) {
        const double value = static_cast<double>(random() % 10001) / 10000 - 0.3;
        const double rare[] = {0, -0.0, infinity, -infinity, std::nan(""), 5};
        numbers.data()[k] = random() % 4 == 0 ? rare[random() % 6] : value;
        allowed.push_back(random() % 3 == 0 ? 0 : 1);
    }
    r.allowed = allowed;
    r.pads.assign(static_cast<std::size_t>(columns), 0);
    r.pads.back() = 1;
    for (const StageKind stage : {StageKind::weights, StageKind::logits}) {
        r.stage(stage) = Stage(1, 1, rows, columns, float64);
        r.stage(stage).set_head(0, 0, numbers);
    }
    return r;
}

bool shows_none(double value, std::uint8_t signs) {
    return (signs & sign::blocked) != 0 && (value == 0 || value == -infinity);
}

std::vector<CellSpan> spans(Index cells, Index places, int level) {
    const double step = static_cast<double>(cells) / static_cast<double>(places);
    std::vector<CellSpan> all;
    for (Index k = 0; k < places; ++k)
        all.push_back(span_of(static_cast<double>(k) * step, static_cast<double>(k + 1) * step,
                              cells, level));
    return all;
}

// Compares each texel with all cells of its span: the texel shows the largest number, and a NaN or
// leak if any cell has one.
void expect_largest(const Cells& cells, const CellPlaces& places) {
    const double scale = scale_of(cells);
    const auto words = texels_of(cells, places);
    std::size_t at = 0;
    for (const CellSpan rows : places.rows)
        for (const CellSpan columns : places.columns) {
            double largest = -1;
            std::uint8_t any = 0;
            for (Index i = rows.begin; i < rows.end; ++i)
                for (Index j = columns.begin; j < columns.end; ++j) {
                    const double value = value_at(cells, i, j);
                    const std::uint8_t signs = signs_at(cells, i, j);
                    any |= signs & kept;
                    if (!std::isnan(value) && !shows_none(value, signs))
                        largest = std::max(largest, std::abs(value));
                }
            const ShownCell shown = shown_cell(words[at++], scale);
            ASSERT_EQ(shown.signs & kept, any);
            if (std::isnan(shown.value)) continue;
            if (largest < 0)
                EXPECT_TRUE(shows_none(shown.value, shown.signs));
            else if (largest == infinity)
                EXPECT_EQ(std::abs(shown.value), infinity);
            else  // 19 bits of a float's significand
                EXPECT_NEAR(std::abs(shown.value), largest, largest * std::ldexp(1.0, -18));
        }
}

TEST(CellTexels, ACellAloneIsItself) {
    for (const bool float64 : {true, false})
        for (const StageKind stage : {StageKind::weights, StageKind::logits, StageKind::allowed}) {
            const SharedCells cells = cells_of(random_result(13, 9, 1, float64), stage, 0, 0);
            const CellPlaces each{0, spans(13, 13, 0), spans(9, 9, 0)};
            const auto words = texels_of(*cells, each);
            for (Index i = 0; i < 13; ++i)
                for (Index j = 0; j < 9; ++j) {
                    const ShownCell shown = shown_cell(words[i * 9 + j], scale_of(*cells));
                    EXPECT_EQ(shown.signs, signs_at(*cells, i, j)) << i << ' ' << j;
                }
            expect_largest(*cells, each);
        }
}

TEST(CellTexels, APlaceShowsTheLargestOfItsCellsAtAnySize) {
    unsigned seed = 2;
    for (const auto& [rows, columns, down, across] : {std::array<Index, 4>{37, 50, 9, 11},
                                                      {64, 64, 3, 3},
                                                      {1, 300, 1, 17},
                                                      {300, 1, 20, 1},
                                                      {129, 257, 10, 12},
                                                      {100, 100, 70, 33},
                                                      {513, 511, 5, 4}})
        for (const bool float64 : {true, false}) {
            const SharedCells cells =
                cells_of(random_result(rows, columns, ++seed, float64), StageKind::weights, 0, 0);
            const int level =
                level_of(std::min(double(rows) / double(down), double(columns) / double(across)));
            expect_largest(*cells,
                           {level, spans(rows, down, level), spans(columns, across, level)});
            expect_largest(*cells, {0, spans(rows, down, 0), spans(columns, across, 0)});
        }
}

TEST(CellTexels, LevelsAreTakenOverButForRowsThatChanged) {
    constexpr Index n = 203, places = 9;
    const int level = level_of(double(n) / places);
    const CellPlaces where{level, spans(n, places, level), spans(n, places, level)};
    VariantResult r = random_result(n, n, 77);
    Stage even(1, 1, n, n, false);  // without a NaN, which would hide every change
    even.set_head(0, 0, Matrix::Constant(n, n, 0.5));
    r.stage(StageKind::weights) = even;
    const SharedCells before = cells_of(r, StageKind::weights, 0, 0);
    const auto was = texels_of(*before, where);
    auto numbers = std::make_shared<LargeArray<float>>(2 * n, 9.0F);
    r.stage(StageKind::weights) = r.stage(StageKind::weights).with_rows({3, 202}, numbers);
    const SharedCells after = cells_of(r, StageKind::weights, 0, 0);
    const SharedCells anew = cells_of(r, StageKind::weights, 0, 0);
    prepare_levels(*after, *before);
    EXPECT_TRUE(after->levels.slot->made);
    EXPECT_EQ(texels_of(*after, where), texels_of(*anew, where));
    EXPECT_NE(texels_of(*after, where), was);
    EXPECT_EQ(texels_of(*before, where), was) << "what both share is not written to";
}

TEST(CellTexels, AndSummariesAreTheSameFromAnyNumberOfThreads) {
    constexpr Index rows = 1100, columns = 300, places = 50;
    const VariantResult r = random_result(rows, columns, 5);
    const int level = level_of(double(columns) / places);
    const CellPlaces where{level, spans(rows, places, level), spans(columns, places, level)};
    for (const StageKind stage : {StageKind::weights, StageKind::logits, StageKind::allowed}) {
        const SharedCells alone = cells_of(r, stage, 0, 0);
        alone->source->looks(0, 0);  // else looks are made with the levels, as below
        for (const int threads : {1, 2, 5}) {
            Pool pool(threads);
            const SharedSource source = source_of(r, stage, {}, &pool);
            const SharedCells cells = cells_of(source, 0, 0);
            prepare_levels(*cells, &pool);
            EXPECT_TRUE(cells->levels.slot->made);
            EXPECT_EQ(texels_of(*cells, where), texels_of(*alone, where));
            EXPECT_EQ(source->looks(0, 0, &pool), alone->source->looks(0, 0));
        }
    }
}

TEST(CellTexels, WhatIsNotZeroStaysSo) {
    auto cells = std::make_shared<Cells>();
    cells->rows = 1;
    cells->columns = 3;
    cells->values = {1e-300, 1e300, -1e-300};
    cells->signs = {0, 0, 0};
    const auto words = texels_of(*cells, {0, {{0, 1}}, spans(3, 3, 0)});
    EXPECT_EQ(shown_cell(words[0], scale_of(*cells)).signs, 0);
    EXPECT_LT(shown_cell(words[2], scale_of(*cells)).value, 0);
}

// A file also shows a single NaN or large number among millions, whole or zoomed, at odd sizes.
TEST(CellTexels, FilesLoseNoNanAndNoPeak) {
    const Theme& light = theme(ThemeKind::light);
    for (const Index n : {Index{301}, Index{1023}, Index{4096}})
        for (const bool is_nan : {true, false}) {
            VariantResult r;
            r.shape = {1, 1, n, n};
            r.allowed = std::vector<std::uint8_t>(static_cast<std::size_t>(n * n), 1);
            r.stage(StageKind::logits) = Stage(1, 1, n, n, false);
            const Index i = n - 2, j = n / 3;
            Matrix row = Matrix::Constant(1, n, 0.25);
            for (Index k = 0; k < n; ++k) r.stage(StageKind::logits).set_rows(0, 0, k, row);
            row(0, j) = is_nan ? std::nan("") : -1;
            r.stage(StageKind::logits).set_rows(0, 0, i, row);
            Heatmap heatmap;
            heatmap.cells = cells_of(r, StageKind::logits, 0, 0);
            heatmap.limits = {-1, 1};
            heatmap.map = ColourMap::diverging;
            heatmap.rect = {3, 5, 97, 101};
            for (const Zoom zoom : {Zoom{}, Zoom{0.2, 0.3, 0.9, 1}}) {
                heatmap.zoom = zoom;
                const auto at = [n](Index cell, double from, double to, double length) {
                    const double share = (double(cell) + 0.5) / double(n);
                    return static_cast<int>((share - from) / (to - from) * length);
                };
                const CellPixels image = cell_pixels(heatmap, light, 1);
                const int x = at(j, zoom.x0, zoom.x1, 97), y = at(i, zoom.y0, zoom.y1, 101);
                const auto pixel = [&](int px, int py) {
                    return image.argb[py * image.width + px];
                };
                EXPECT_NE(pixel(x, y), pixel(x, 10)) << n << ' ' << is_nan;
            }
        }
}

}  // namespace
}  // namespace maskscope
