#include "app/figure/write/png.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "app/figure/draw_cell.h"
#include "core/base/error.h"
#include "tests/support/folder.h"
#include "tests/unit/app/figure/sample_figure.h"

namespace maskscope {
namespace {

struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> argb;
    Colour at(int x, int y) const {
        const std::uint32_t p = argb[y * width + x];
        return {std::uint8_t(p >> 16), std::uint8_t(p >> 8), std::uint8_t(p),
                std::uint8_t(p >> 24)};
    }
};

struct Bytes {
    const std::string& bytes;
    std::size_t at = 0;
};

cairo_status_t read_bytes(void* closure, unsigned char* data, unsigned int length) {
    auto& from = *static_cast<Bytes*>(closure);
    if (from.at + length > from.bytes.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, from.bytes.data() + from.at, length);
    from.at += length;
    return CAIRO_STATUS_SUCCESS;
}

Picture decoded(const std::string& bytes) {
    Bytes from{bytes};
    cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(read_bytes, &from);
    EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    Picture picture;
    picture.width = cairo_image_surface_get_width(surface);
    picture.height = cairo_image_surface_get_height(surface);
    const bool opaque = cairo_image_surface_get_format(surface) == CAIRO_FORMAT_RGB24;
    for (int y = 0; y < picture.height; ++y) {
        const auto* row = reinterpret_cast<const std::uint32_t*>(
            cairo_image_surface_get_data(surface) +
            std::ptrdiff_t(y) * cairo_image_surface_get_stride(surface));
        for (int x = 0; x < picture.width; ++x)
            picture.argb.push_back(row[x] | (opaque ? 0xff000000U : 0));
    }
    cairo_surface_destroy(surface);
    return picture;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
        value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
}

Figure one_heatmap(SharedCells cells, double side, double number_size = 0) {
    Heatmap map;
    map.rect = {10, 10, side, side};
    map.cells = std::move(cells);
    map.number_size = number_size;
    Figure figure;
    figure.width = figure.height = side + 20;
    figure.heatmaps.push_back(map);
    return figure;
}

// Makes two by two cells: a fill, a blocked 0, a leak, NaN.
SharedCells four_cells() {
    auto cells = std::make_shared<Cells>();
    cells->rows = cells->columns = 2;
    cells->values = {0.6, 0, 0.4, sample::nan};
    cells->signs = {0, sign::blocked | sign::zero, sign::blocked | sign::leaks, sign::nan};
    return cells;
}

TEST(Png, SameFigureSameBytes) {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark, ThemeKind::print}) {
        const PngOptions options{.dpi = 96, .theme = kind};
        EXPECT_EQ(png_bytes(sample::figure(), options), png_bytes(sample::figure(), options));
    }
}

TEST(Png, IsWrittenAndReadBack) {
    const Folder folder;
    const std::string bytes = png_bytes(sample::figure(), {});
    std::ofstream(folder / "sample.png", std::ios::binary) << bytes;
    std::ifstream file(folder / "sample.png", std::ios::binary);
    const std::string read{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(decoded(read).width, int(std::ceil(640 * 150 / 72.0)));
}

TEST(Png, SizeAndResolutionFollowTheDpi) {
    for (const double dpi : {10.0, 72.0, 150.0, 300.0, 600.0}) {
        const std::string bytes = png_bytes(one_heatmap(four_cells(), 40), {.dpi = dpi});
        const auto pixels = std::uint32_t(std::ceil(60 * dpi / 72));
        EXPECT_EQ(big_endian(bytes, 16), pixels);
        EXPECT_EQ(big_endian(bytes, 20), pixels);
        const std::size_t resolution = bytes.find("pHYs");
        ASSERT_NE(resolution, std::string::npos);
        EXPECT_EQ(big_endian(bytes, resolution + 4), std::uint32_t(std::lround(dpi / 0.0254)));
        EXPECT_EQ(bytes[resolution + 12], 1) << "in metres";
    }
}

TEST(Png, CellsHaveSharpEdges) {
    for (const double dpi : {72.0, 100.0, 150.0, 300.0}) {
        const double scale = dpi / 72;
        const Picture picture = decoded(png_bytes(one_heatmap(four_cells(), 80), {.dpi = dpi}));
        const Colour fill = map_colour(ColourMap::viridis, 0.6);
        const int low = int(std::lround(10 * scale)), high = int(std::lround(50 * scale));
        const int gap = std::max(1, int(std::lround(scale)));
        for (int x = low; x < high - gap; ++x) {
            ASSERT_EQ(picture.at(x, low), fill) << dpi;
            ASSERT_EQ(picture.at(low, x), fill) << dpi;
        }
        EXPECT_EQ(picture.at(low - 1, low), theme(ThemeKind::light)[Role::ground]) << dpi;
        EXPECT_EQ(picture.at(high - 1, low), theme(ThemeKind::light)[Role::line])
            << dpi << ": a line between a fill and a plain cell";
    }
}

// True if the pixel is nearer to the line's colour than to the background's.
bool is_line(Colour pixel, Colour line, Colour ground) {
    return contrast(pixel, line) < contrast(pixel, ground);
}

TEST(Png, SignsAreThere) {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark, ThemeKind::high_contrast}) {
        const Theme& shown = theme(kind);
        const Picture picture =
            decoded(png_bytes(one_heatmap(four_cells(), 80), {.dpi = 72, .theme = kind}));
        EXPECT_EQ(picture.at(11, 51), shown[Role::wrong]) << "the frame";
        EXPECT_EQ(picture.at(12, 52), ink_on(shown[Role::wrong])) << "its edge towards the fill";
        int hatched = 0, crossed = 0, leaking = 0;
        const Colour over_fill = hatch_on(map_colour(ColourMap::viridis, 0.4));
        for (int y = 14; y < 46; ++y)
            for (int x = 14; x < 46; ++x) {
                hatched += is_line(picture.at(x + 40, y), shown[Role::hatch], shown[Role::panel]);
                crossed +=
                    is_line(picture.at(x + 40, y + 40), nan_lines(shown), nan_background(shown));
                leaking += contrast(picture.at(x, y + 40), over_fill) < 1.2;
            }
        EXPECT_GT(hatched, 32 * 32 / 20);
        EXPECT_LT(hatched, 32 * 32 / 2);
        EXPECT_GT(crossed, hatched);
        EXPECT_GT(leaking, 0);
    }
}

TEST(Png, NumbersAreDrawnOverAndTheHatchStopsBeforeThem) {
    const Figure without = one_heatmap(four_cells(), 80), with = one_heatmap(four_cells(), 80, 12);
    const Picture plain = decoded(png_bytes(without, {.dpi = 72}));
    const Picture numbered = decoded(png_bytes(with, {.dpi = 72}));
    const auto differs = [&](int x0, int y0) {
        int count = 0;
        for (int y = y0; y < y0 + 40; ++y)
            for (int x = x0; x < x0 + 40; ++x) count += !(plain.at(x, y) == numbered.at(x, y));
        return count;
    };
    EXPECT_GT(differs(10, 10), 0);
    EXPECT_EQ(differs(50, 10), 0) << "a blocked 0 is hatch alone";
    EXPECT_GT(differs(10, 50), 0);
    EXPECT_GT(differs(50, 50), 0);
    const Colour fill = map_colour(ColourMap::viridis, 0.4);
    for (int y = 65; y < 76; ++y)
        EXPECT_EQ(numbered.at(15, y), fill) << "clear of hatch beside the number";
}

TEST(Png, TransparentHasNoBackground) {
    const Picture picture =
        decoded(png_bytes(one_heatmap(four_cells(), 40), {.dpi = 72, .transparent = true}));
    EXPECT_EQ(picture.at(0, 0).a, 0);
    EXPECT_EQ(picture.at(12, 12), map_colour(ColourMap::viridis, 0.6));
    const Picture opaque = decoded(png_bytes(one_heatmap(four_cells(), 40), {.dpi = 72}));
    EXPECT_EQ(opaque.at(0, 0), theme(ThemeKind::light)[Role::ground]);
}

TEST(Png, EveryCellOfALargeHeatmapHasItsPixel) {
    const Index n = 300;
    auto cells = std::make_shared<Cells>();
    cells->rows = cells->columns = n;
    for (Index k = 0; k < n * n; ++k) {
        cells->values.push_back(double(k % 97) / 96);
        cells->signs.push_back(0);
    }
    const Picture picture = decoded(png_bytes(one_heatmap(cells, 300), {.dpi = 72}));
    for (Index i = 0; i < n; i += 7)
        for (Index j = 0; j < n; ++j)
            ASSERT_EQ(picture.at(int(10 + j), int(10 + i)),
                      map_colour(ColourMap::viridis, cells->values[std::size_t(i * n + j)]));
}

TEST(Png, MoreCellsThanPixelsAndFewerPixelsThanPoints) {
    for (const Index n : {Index{1}, Index{40}, Index{2048}})
        for (const double dpi : {10.0, 33.0, 72.0}) {
            auto cells = std::make_shared<Cells>();
            cells->rows = cells->columns = n;
            cells->values.assign(std::size_t(n * n), 0.5);
            cells->signs.assign(std::size_t(n * n), sign::blocked | sign::leaks);
            EXPECT_FALSE(png_bytes(one_heatmap(cells, 100), {.dpi = dpi}).empty());
        }
}

TEST(Png, OfAThousandTokensIsQuick) {
    const Index n = 1024;
    auto cells = std::make_shared<Cells>();
    cells->rows = cells->columns = n;
    for (Index k = 0; k < n * n; ++k) {
        cells->values.push_back(std::abs(std::sin(double(k))));
        cells->signs.push_back(k % n > k / n ? sign::blocked : 0);
    }
    const Figure figure = one_heatmap(cells, n);
    const auto start = std::chrono::steady_clock::now();
    png_bytes(figure, {.dpi = 72});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    // The goal is 0.3 s on an idle machine; sanitizers and busy machines take several times as
    // long.
    EXPECT_LT(taken.count(), 5);
    RecordProperty("milliseconds", int(taken.count() * 1000));
}

TEST(Png, TooLargeIsRefusedWithTheDpiThatFits) {
    Figure figure = one_heatmap(four_cells(), 40);
    figure.width = 20000;
    figure.height = 1000;
    try {
        png_bytes(figure, {.dpi = 1200});
        FAIL() << "333334 pixels are too many";
    } catch (const WorkError& error) {
        const std::string line = error.what();
        EXPECT_NE(line.find("333334 × 16667"), std::string::npos) << line;
        EXPECT_NE(line.find("use --dpi 117 or less"), std::string::npos) << line;
    }
    EXPECT_FALSE(png_bytes(figure, {.dpi = 40}).empty());
    figure.width = 1e9;
    EXPECT_THROW(png_bytes(figure, {.dpi = 10}), WorkError);
}

TEST(Png, AFigureWithoutASizeIsRefused) {
    EXPECT_THROW(png_bytes(Figure{}, {}), WorkError);
    Figure figure = one_heatmap(four_cells(), 40);
    for (const double bad : {-1.0, double(NAN), double(INFINITY)}) {
        figure.width = bad;
        EXPECT_THROW(png_bytes(figure, {}), WorkError);
        EXPECT_THROW(png_bytes(one_heatmap(four_cells(), 40), {.dpi = bad}), WorkError);
    }
}

TEST(Png, DegeneratePartsAreLeftOut) {
    Figure figure = one_heatmap(nullptr, 40);
    figure.heatmaps.push_back(one_heatmap(four_cells(), 0).heatmaps.front());
    figure.heatmaps.push_back(one_heatmap(std::make_shared<Cells>(), 40).heatmaps.front());
    figure.connectors.push_back({});
    figure.connectors.push_back({{{3, 3}, {3, 3}}});
    figure.boxes.push_back({{5, 5, 0, 0}, 4, true, true});
    figure.hatches.push_back({});
    figure.sums.push_back({});
    figure.colour_bars.push_back({});
    figure.texts.push_back({});
    EXPECT_FALSE(png_bytes(figure, {.dpi = 72}).empty());
}

TEST(CellPixels, AZoomedHeatmapShowsItsPartAtWholePixels) {
    Heatmap map = one_heatmap(four_cells(), 80).heatmaps.front();
    map.zoom = {0, 0, 0.5, 0.5};  // only the first cell
    const CellPixels pixels = cell_pixels(map, theme(ThemeKind::dark), 1);
    std::set<std::uint32_t> colours(pixels.argb.begin(), pixels.argb.end());
    const Colour fill = map_colour(ColourMap::viridis, 0.6);
    const std::uint32_t argb =
        0xff000000U | std::uint32_t(fill.r) << 16 | std::uint32_t(fill.g) << 8 | fill.b;
    EXPECT_TRUE(colours.contains(argb));
    EXPECT_FALSE(colours.contains(0xffff9a90U)) << "the leak is outside";
}

}  // namespace
}  // namespace maskscope
