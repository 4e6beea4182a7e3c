#include "app/window/paint/heatmap.h"

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>

#include "app/figure/draw_cell.h"
#include "app/show/cells/cell_texels.h"
#include "tests/support/computed.h"
#include "tests/ui/harness.h"
#include "tests/ui/paint/drawn.h"

namespace maskscope {
namespace {

std::uint8_t sign_of(double value) {
    if (std::isnan(value)) return sign::nan;
    if (std::isinf(value)) return value > 0 ? sign::plus_infinity : sign::minus_infinity;
    return value == 0 ? sign::zero : 0;
}

// Returns cells with every kind of number and flag; without `with_signs`, only ordinary numbers.
SharedCells random_cells(Index rows, Index columns, StageKind stage, unsigned seed,
                         bool with_signs = true) {
    std::mt19937 random(seed);
    auto cells = std::make_shared<Cells>();
    cells->stage = stage;
    cells->rows = rows;
    cells->columns = columns;
    for (Index k = 0; k < rows * columns; ++k) {
        double value = static_cast<double>(random() % 10001) / 10000;
        if (with_signs && random() % 3 == 0) {
            const double others[] = {0, -value, 5, infinity, -infinity, std::nan("")};
            value = others[random() % 6];
        }
        std::uint8_t signs = sign_of(value);
        if (with_signs && random() % 3 == 0) signs |= sign::blocked;
        if (with_signs && random() % 5 == 0 && value > 0) signs |= sign::leaks;
        cells->values.push_back(value);
        cells->signs.push_back(signs);
    }
    return cells;
}

Heatmap heatmap_of(SharedCells cells, Rect rect) {
    Heatmap heatmap;
    heatmap.rect = rect;
    heatmap.cells = std::move(cells);
    heatmap.limits = {-1, 1};
    heatmap.map = ColourMap::diverging;
    return heatmap;
}

std::vector<Colour> read(const Picture& picture) {
    std::vector<Colour> colours(static_cast<std::size_t>(picture.width) *
                                static_cast<std::size_t>(picture.height));
    glBindTexture(GL_TEXTURE_2D, picture.texture);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours.data());
    return colours;
}

Colour colour_of(std::uint32_t argb) {
    const auto part = [argb](int shift) { return static_cast<std::uint8_t>(argb >> shift); };
    return {part(16), part(8), part(0), part(24)};
}

int distance(Colour a, Colour b) {
    if (a.a == 0 && b.a == 0) return 0;
    return std::max(
        {std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b), std::abs(a.a - b.a)});
}

struct Textures : testing::Test {
    ui::Context context;
    ui::Target target{64, 64};
    HeatmapTextures textures;
};

// Returns the largest difference between the shader's picture and that of files.
int difference_from_files(HeatmapTextures& textures, const Heatmap& heatmap, ThemeKind kind) {
    const Picture picture = drawn(textures, heatmap, theme(kind));
    const CellPixels expected = cell_pixels(heatmap, theme(kind), 1);
    EXPECT_EQ(picture.x, expected.x);
    EXPECT_EQ(picture.y, expected.y);
    EXPECT_EQ(picture.width, expected.width);
    EXPECT_EQ(picture.height, expected.height);
    if (picture.width != expected.width || picture.height != expected.height) return 255;
    const std::vector<Colour> colours = read(picture);
    int largest = 0;
    for (std::size_t k = 0; k < colours.size(); ++k)
        largest = std::max(largest, distance(colours[k], colour_of(expected.argb[k])));
    return largest;
}

// Allows for 8 bits a channel, a colour map of 1024 steps, and coverage in float instead of double.
constexpr int colour_tolerance = 4;

TEST_F(Textures, TheWindowShowsTheCellsThatFilesShow) {
    unsigned seed = 1;
    for (const StageKind stage : {StageKind::weights, StageKind::logits, StageKind::allowed})
        for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light, ThemeKind::print})
            for (const double side : {7.0, 23.5, 36.0, 61.3}) {
                const Heatmap heatmap =
                    heatmap_of(random_cells(7, 5, stage, ++seed), {13, 17, 5 * side, 7 * side});
                EXPECT_LE(difference_from_files(textures, heatmap, kind), colour_tolerance)
                    << "side " << side << " stage " << static_cast<int>(stage);
            }
}

TEST_F(Textures, ZoomedAsWell) {
    for (const Zoom zoom : {Zoom{0.1, 0.2, 0.55, 0.6}, Zoom{0.5, 0.5, 1, 1}}) {
        Heatmap heatmap =
            heatmap_of(random_cells(12, 12, StageKind::weights, 5), {10.4, 20.7, 300, 310});
        heatmap.zoom = zoom;
        EXPECT_LE(difference_from_files(textures, heatmap, ThemeKind::dark), colour_tolerance);
    }
}

// Uses sizes at which no edge lies halfway between two pixels, because float and double round those
// differently.
TEST_F(Textures, TinyCellsToo) {
    const Heatmap heatmap =
        heatmap_of(random_cells(150, 100, StageKind::scaled, 9, false), {0, 0, 231.7, 347.1});
    EXPECT_LE(difference_from_files(textures, heatmap, ThemeKind::dark), colour_tolerance);
    // Leaks, NaN and infinities, in cells of 2.3 and of 5.9 pixels.
    for (const double side : {2.317, 5.9})
        for (const StageKind stage : {StageKind::weights, StageKind::logits})
            for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light, ThemeKind::print})
                EXPECT_LE(difference_from_files(textures,
                                                heatmap_of(random_cells(30, 20, stage, 17),
                                                           {0, 0, 20 * side, 30 * side}),
                                                kind),
                          colour_tolerance)
                    << side;
}

// With more than one cell for each pixel, the cell of largest magnitude shows: at least the largest
// under the pixel, and at most the largest within a texel (less than a pixel) around it.
TEST_F(Textures, ManyCellsAPixelShowTheLargest) {
    constexpr Index n = 700;
    constexpr int side = 90;
    const auto cells = random_cells(n, n, StageKind::scaled, 11, false);
    Heatmap heatmap = heatmap_of(cells, {0, 0, side, side});
    heatmap.limits = {0, 1};
    heatmap.map = ColourMap::grey;  // more is darker
    const std::vector<Colour> colours = read(drawn(textures, heatmap, theme(ThemeKind::dark)));
    const double step = static_cast<double>(n) / side;
    const auto darkest = [&](double x0, double y0, double x1, double y1) {
        const auto low = [](double at) { return std::max<Index>(0, static_cast<Index>(at)); };
        double largest = 0;
        for (Index i = low(y0 * step); i < std::min<double>(n, std::ceil(y1 * step)); ++i)
            for (Index j = low(x0 * step); j < std::min<double>(n, std::ceil(x1 * step)); ++j)
                largest = std::max(largest, cells->values[i * n + j]);
        return static_cast<int>(map_colour(heatmap.map, largest).r);
    };
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const int shown = colours[y * side + x].r;
            EXPECT_LE(shown, darkest(x, y, x + 1, y + 1) + colour_tolerance);
            EXPECT_GE(shown, darkest(x - 1, y - 1, x + 2, y + 2) - colour_tolerance);
        }
}

// Returns n x n cells of 0.25, except for one.
SharedCells cells_with_one(Index n, Index i, Index j, double other) {
    VariantResult result;
    result.shape = {1, 1, n, n};
    result.allowed = std::vector<std::uint8_t>(static_cast<std::size_t>(n * n), 1);
    auto numbers = std::make_shared<LargeArray<float>>(static_cast<std::size_t>(n * n), 0.25F);
    (*numbers)[i * n + j] = static_cast<float>(other);
    result.stage(StageKind::logits) = Stage(1, 1, n, n, numbers);
    return cells_of(result, StageKind::logits, 0, 0);
}

TEST_F(Textures, NoNanAndNoPeakIsLostAmongThousandsOfCells) {
    std::mt19937 random(13);
    constexpr double width = 120, height = 117;
    for (const Index n : {300, 777, 2048, 4096})
        for (const double other : {std::nan(""), 1.0, -infinity}) {
            const Index i = n / 2 + static_cast<Index>(random()) % (n / 4);
            const Index j = n / 2 + static_cast<Index>(random()) % (n / 4);
            Heatmap with = heatmap_of(cells_with_one(n, i, j, other), {0, 0, width, height});
            Heatmap without = heatmap_of(cells_with_one(n, i, j, 0.25), {0, 0, width, height});
            for (const Zoom zoom :
                 {Zoom{}, Zoom{0.31, 0.17, 0.93, 0.99}, Zoom{0.45, 0.45, 0.8, 0.8}}) {
                with.zoom = without.zoom = zoom;
                const auto calm = read(drawn(textures, without, theme(ThemeKind::dark)));
                const auto loud = read(drawn(textures, with, theme(ThemeKind::dark)));
                const auto at = [n](Index cell, double from, double to, double length) {
                    const double share = (static_cast<double>(cell) + 0.5) / static_cast<double>(n);
                    return static_cast<std::size_t>((share - from) / (to - from) * length);
                };
                const std::size_t pixel =
                    at(i, zoom.y0, zoom.y1, height) * 120 + at(j, zoom.x0, zoom.x1, width);
                EXPECT_GT(distance(calm[pixel], loud[pixel]), 40) << n << ' ' << other;
                std::size_t changed = 0;
                for (std::size_t k = 0; k < calm.size(); ++k)
                    changed += distance(calm[k], loud[k]) > 0 ? 1 : 0;
                // at most the texel around it: three pixels, or the cell itself if it is larger
                EXPECT_LE(changed, 25U) << n << ' ' << other;
            }
        }
}

TEST_F(Textures, ALeakIsSeenInCellsOfAnySize) {
    for (const double side : {0.3, 2.0, 10.0, 50.0}) {
        auto cells = std::make_shared<Cells>();
        cells->stage = StageKind::weights;
        cells->rows = cells->columns = 40;
        cells->values.assign(1600, 0.2);
        cells->signs.assign(1600, sign::blocked);
        auto leaking = std::make_shared<Cells>(*cells);
        leaking->signs.assign(1600, sign::blocked | sign::leaks);
        const Rect rect{0, 0, 40 * side, 40 * side};
        const auto calm = read(drawn(textures, heatmap_of(cells, rect), theme(ThemeKind::dark)));
        const auto loud = read(drawn(textures, heatmap_of(leaking, rect), theme(ThemeKind::dark)));
        int changed = 0;
        for (std::size_t k = 0; k < calm.size(); ++k)
            if (distance(calm[k], loud[k]) > 30) ++changed;
        EXPECT_GT(changed, 0) << side;
    }
}

TEST_F(Textures, NothingIsDrawnAgainThatStaysTheSame) {
    const Heatmap heatmap = heatmap_of(random_cells(6, 6, StageKind::weights, 3), {0, 0, 100, 100});
    for (int k = 0; k < 5; ++k) {
        drawn(textures, heatmap, theme(ThemeKind::dark));
        next_frame(textures);
    }
    EXPECT_EQ(textures.pictures_drawn(), 1);
    drawn(textures, heatmap, theme(ThemeKind::light));
    EXPECT_EQ(textures.pictures_drawn(), 2);
}

// Changes a few cells at a time, so that parts of a picture are drawn again. Compares the result
// with a picture that is drawn as a whole, to the pixel, and checks that nothing changed outside of
// the places that are said to be redrawn.
TEST_F(Textures, APictureThatIsRedrawnInPartIsTheSameAsAWholeOne) {
    std::mt19937 random(5);
    const Zoom zooms[] = {{}, {0.1, 0.2, 0.55, 0.6}};
    for (const double side : {2.3, 5.9, 23.5, 61.3})
        for (const StageKind stage : {StageKind::weights, StageKind::allowed})
            for (const Zoom& zoom : zooms)
                for (const bool with_signs : {true, false}) {
                    const Theme& dark = theme(ThemeKind::dark);
                    Cells cells = *random_cells(9, 7, stage, random(), with_signs);
                    const auto picture_of = [&](HeatmapTextures& by) {
                        Heatmap heatmap = heatmap_of(std::make_shared<Cells>(cells),
                                                     {13, 17, 7 * side, 9 * side});
                        heatmap.zoom = zoom;
                        return drawn(by, heatmap, dark);
                    };
                    Picture before = picture_of(textures);
                    std::vector<Colour> old = read(before);
                    for (int k = 0; k < 4; ++k) {
                        next_frame(textures);
                        const auto at = random() % cells.values.size();
                        cells.values[at] = 1 - cells.values[at];
                        cells.signs[at] ^= k % 2 == 0 ? sign::leaks : sign::blocked;
                        const Picture part = picture_of(textures);
                        EXPECT_EQ(part.texture, before.texture);
                        const std::vector<Colour> now = read(part);
                        HeatmapTextures others;
                        const std::vector<Colour> whole = read(picture_of(others));
                        ASSERT_EQ(now.size(), whole.size());
                        for (std::size_t p = 0; p < now.size(); ++p)
                            ASSERT_EQ(distance(now[p], whole[p]), 0)
                                << "side " << side << " pixel " << p;
                        const auto is_redrawn = [&](int x, int y) {
                            for (const auto& place : textures.redrawn())
                                if (x >= place.x0 && x < place.x1 && y >= place.y0 && y < place.y1)
                                    return true;
                            return false;
                        };
                        for (int y = 0; y < part.height; ++y)
                            for (int x = 0; x < part.width; ++x) {
                                const auto p = static_cast<std::size_t>(y * part.width + x);
                                if (distance(now[p], old[p]) == 0) continue;
                                ASSERT_TRUE(is_redrawn(part.x + x, part.y + y));
                            }
                        old = now;
                    }
                    next_frame(textures);
                }
}

TEST_F(Textures, ACellAlteredIsFewPixelsDrawn) {
    Cells cells = *random_cells(16, 16, StageKind::weights, 3);
    const auto draw = [&] {
        drawn(textures, heatmap_of(std::make_shared<Cells>(cells), {0, 0, 576, 576}),
              theme(ThemeKind::dark));
    };
    draw();
    EXPECT_TRUE(textures.redrawn().empty());
    next_frame(textures);
    cells.signs[40] ^= sign::blocked;
    draw();
    ASSERT_EQ(textures.redrawn().size(), 1U);
    const Canvas::PixelRect& place = textures.redrawn().front();
    EXPECT_LE((place.x1 - place.x0) * (place.y1 - place.y0), 44 * 44);
    next_frame(textures);
    draw();  // other cells with the same numbers
    EXPECT_TRUE(textures.redrawn().empty());
}

TEST_F(Textures, WhatIsNoLongerUsedIsDropped) {
    for (unsigned k = 0; k < 5; ++k) {
        drawn(textures, heatmap_of(random_cells(3, 3, StageKind::weights, k), {0, 0, 30, 30}),
              theme(ThemeKind::dark));
        next_frame(textures);
        EXPECT_EQ(textures.pictures(), 1U);
    }
    next_frame(textures);
    EXPECT_EQ(textures.pictures(), 0U);
}

TEST_F(Textures, WhatCannotBeDrawnIsNothing) {
    const auto cells = random_cells(2, 2, StageKind::weights, 1);
    const Theme& dark = theme(ThemeKind::dark);
    EXPECT_EQ(drawn(textures, Heatmap{}, dark).texture, 0U);
    EXPECT_EQ(drawn(textures, heatmap_of(cells, {0, 0, 0, 10}), dark).texture, 0U);
    EXPECT_EQ(drawn(textures, heatmap_of(cells, {0, 0, std::nan(""), 10}), dark).texture, 0U);
    EXPECT_EQ(drawn(textures, heatmap_of(cells, {0, 0, 1e9, 10}), dark).texture, 0U);
    EXPECT_EQ(drawn(textures, heatmap_of(std::make_shared<Cells>(), {0, 0, 9, 9}), dark).texture,
              0U);
    Heatmap flat = heatmap_of(cells, {0, 0, 9, 9});
    flat.zoom = {0.5, 0, 0.5, 1};
    EXPECT_EQ(drawn(textures, flat, dark).texture, 0U);
}

// Numbers of any size under limits of any size take the same colours as in files.
TEST_F(Textures, HugeAndMinuteNumbersKeepTheirColours) {
    for (const double size : {1e-300, 1e-9, 1.0, 1e38, 1e300}) {
        auto cells = std::make_shared<Cells>();
        cells->stage = StageKind::scaled;
        cells->rows = 1;
        cells->columns = 4;
        cells->values = {-size, -0.5 * size, 0.25 * size, size};
        cells->signs = {0, 0, 0, 0};
        Heatmap heatmap = heatmap_of(cells, {0, 0, 80, 20});
        heatmap.limits = {-size, size};
        EXPECT_LE(difference_from_files(textures, heatmap, ThemeKind::dark), colour_tolerance)
            << size;
    }
}

}  // namespace
}  // namespace maskscope
