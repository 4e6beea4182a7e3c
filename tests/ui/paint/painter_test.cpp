#include "app/window/paint/painter.h"
#include "core/base/build.h"

#include <cairo.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>

#include "app/figure/layout/lay_out.h"
#include "app/figure/pen.h"
#include "app/window/paint/label_atlas.h"
#include "core/compute/plain.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

constexpr int window_width = 1000, window_height = 760;

struct Painted : testing::Test {
    Session session{std::make_unique<PlainBackend>()};
    std::unique_ptr<ui::Driver> driver;

    void SetUp() override {
        ASSERT_TRUE(
            session.open(source_folder() + "/assets/lessons/additive-or-multiplicative.json"));
        driver = std::make_unique<ui::Driver>(session, window_width, window_height);
    }

    // Calls `draw` on an empty frame.
    template <class Draw>
    ui::Pixels painted(Draw draw) {
        App& app = driver->app();
        app.labels->begin_frame();
        app.gui.theme = session.view().theme;
        ImGui::NewFrame();
        ImDrawList& list = *ImGui::GetForegroundDrawList();
        const Colour ground = colours(app.gui)[Role::ground];
        list.AddRectFilled({0, 0}, {window_width, window_height},
                           IM_COL32(ground.r, ground.g, ground.b, 255));
        draw(app, list);
        ui::render();
        return driver->pixels();
    }

    Figure bench_figure(double scale = 1) {
        LayoutOptions options;
        options.width = window_width;
        options.height = window_height;
        options.scale = scale;
        return lay_out(session.results().bench(), options);
    }
};

ui::Pixels by_cairo(const Figure& figure, const Theme& theme) {
    cairo_surface_t* surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, window_width, window_height);
    cairo_t* cairo = cairo_create(surface);
    const Colour ground = theme[Role::ground];
    cairo_set_source_rgb(cairo, ground.r / 255.0, ground.g / 255.0, ground.b / 255.0);
    cairo_paint(cairo);
    draw_figure(cairo, figure, theme, 1);
    cairo_surface_flush(surface);
    ui::Pixels pixels{window_width, window_height, {}};
    const unsigned char* data = cairo_image_surface_get_data(surface);
    for (int k = 0; k < window_width * window_height; ++k, data += 4)
        pixels.colours.push_back({data[2], data[1], data[0], 255});
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return pixels;
}

int ink_distance(Colour a, Colour b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

// Returns the share of pixels that differ clearly. Slight differences do not count, because the two
// renderers place letters at other fractions of a pixel, and smooth slanted lines differently.
double share_that_differs(const ui::Pixels& a, const ui::Pixels& b) {
    int different = 0;
    for (std::size_t k = 0; k < a.colours.size(); ++k)
        if (ink_distance(a.colours[k], b.colours[k]) > 48) ++different;
    return static_cast<double>(different) / static_cast<double>(a.colours.size());
}

TEST_F(Painted, TheWindowPaintsTheFigureThatFilesHave) {
    const Figure figure = bench_figure();
    ASSERT_FALSE(figure.heatmaps.empty());
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
        session.view().theme = kind;
        const ui::Pixels window = painted([&](App& app, ImDrawList& list) {
            paint(app.gui, list, figure, {0, 0});
        });
        const ui::Pixels file = by_cairo(figure, theme(kind));
        EXPECT_LT(share_that_differs(window, file), 0.03);
        // the measure must also distinguish different pictures
        EXPECT_GT(share_that_differs(window, by_cairo(figure, theme(ThemeKind::print))), 0.1);
    }
}

TEST_F(Painted, AtAnOffsetAndAScale) {
    const Figure small = bench_figure(0.5);
    const ui::Pixels here = painted([&](App& app, ImDrawList& list) {
        paint(app.gui, list, small, {0, 0});
    });
    const ui::Pixels there = painted([&](App& app, ImDrawList& list) {
        paint(app.gui, list, small, {40, 30});
    });
    constexpr int rounding = 2;  // of smoothed edges
    for (int y = 0; y < window_height - 30; ++y)
        for (int x = 0; x < window_width - 40; ++x)
            ASSERT_LE(ink_distance(here.at(x, y), there.at(x + 40, y + 30)), rounding)
                << x << ", " << y;
    const ui::Pixels half = painted([&](App& app, ImDrawList& list) {
        paint(app.gui, list, small, {0, 0}, 0.5);
    });
    const Heatmap& first = small.heatmaps.front();
    const Rect rect = on_screen(first, {0, 0}, 0.5).rect;
    EXPECT_DOUBLE_EQ(rect.w, first.rect.w / 2);
    EXPECT_NE(half.at(rect.x + 3, rect.y + 3), theme(ThemeKind::dark)[Role::ground]);
}

TEST_F(Painted, TheFrameOfACellShowsOnAnyColour) {
    const Figure figure = bench_figure();
    for (const Heatmap& heatmap : figure.heatmaps) {
        const Cell cell{1, 1};
        const ui::Pixels pixels = painted([&](App& app, ImDrawList& list) {
            paint(app.gui, list, figure, {0, 0});
            frame_cell(app.gui, list, heatmap, cell);
        });
        const Rect rect = cell_rect(heatmap, cell.i, cell.j);
        int white = 0, black = 0;
        for (double x = rect.x - 6; x < rect.x + 6; ++x) {
            const Colour colour = pixels.at(x, rect.y + rect.h / 2);
            white += ink_distance(colour, {255, 255, 255}) < 8 ? 1 : 0;
            black += ink_distance(colour, {0, 0, 0}) < 8 ? 1 : 0;
        }
        EXPECT_GE(white, 1);
        EXPECT_GE(black, 1);
    }
}

TEST_F(Painted, CellsThatAreNotThereHaveNoFrame) {
    const Figure figure = bench_figure();
    const auto without = painted([&](App& app, ImDrawList& list) {
        paint(app.gui, list, figure, {0, 0});
    });
    const auto with = painted([&](App& app, ImDrawList& list) {
        paint(app.gui, list, figure, {0, 0});
        for (const Cell cell : {Cell{-1, 0}, Cell{0, 1000}, Cell{1000, 0}}) {
            frame_cell(app.gui, list, figure.heatmaps.front(), cell);
            ring_cell(app.gui, list, figure.heatmaps.front(), cell);
        }
        for (const Index beyond : {Index{-1}, Index{1000}}) {
            frame_row(app.gui, list, figure.heatmaps.front(), beyond);
            frame_column(app.gui, list, figure.heatmaps.front(), beyond);
        }
    });
    EXPECT_EQ(without.colours, with.colours);
}

// --- labels

TEST_F(Painted, LabelsAreMadeOnceAndPagesGivenBack) {
    LabelAtlas atlas;
    const auto frame_of = [&](int from, int to) {
        atlas.begin_frame();
        ImGui::NewFrame();
        for (int k = from; k < to; ++k)
            atlas.draw(*ImGui::GetForegroundDrawList(),
                       {.at = {0, 0}, .text = "label " + std::to_string(k), .style = {.size = 40}},
                       {});
        ImGui::EndFrame();
    };
    frame_of(0, 10);
    frame_of(0, 10);
    EXPECT_EQ(atlas.labels(), 10U);
    EXPECT_EQ(atlas.pages(), 1U);
    for (int k = 0; k < 40; ++k) frame_of(100 * k, 100 * k + 100);
    EXPECT_LE(atlas.pages(), 6U);  // four, and what one frame may add
}

TEST_F(Painted, ALabelOfAnyLengthIsDrawn) {
    const std::string longest(3000, 'm');
    const ui::Pixels pixels = painted([&](App& app, ImDrawList& list) {
        app.labels->draw(list, {.at = {0, 100}, .text = longest, .style = {.size = 20}},
                         {255, 255, 255});
        app.labels->draw(list, {.at = {0, 200}, .text = "", .style = {.size = 20}}, {});
        app.labels->draw(list, {.at = {0, 300}, .text = "\xff\xfe", .style = {.size = 20}}, {});
        app.labels->draw(list, {.at = {0, 300}, .text = "x", .style = {.size = 0}}, {});
    });
    int white = 0;
    for (int x = 0; x < window_width; ++x) white += pixels.at(x, 102).r > 200 ? 1 : 0;
    EXPECT_GT(white, 100);
}

TEST_F(Painted, AnEmojiKeepsItsColoursAndALetterTakesTheInk) {
    const auto colour_count = [&](const std::string& text) {
        const ui::Pixels pixels = painted([&](App& app, ImDrawList& list) {
            app.labels->draw(list, {.at = {100, 100}, .text = text, .style = {.size = 40}},
                             {0, 255, 0});
        });
        int yellow = 0;
        for (int y = 80; y < 120; ++y)
            for (int x = 100; x < 150; ++x)
                yellow += pixels.at(x, y).r > 180 && pixels.at(x, y).g > 120 ? 1 : 0;
        return yellow;
    };
    EXPECT_GT(colour_count("\U0001F600"), 100);
    EXPECT_EQ(colour_count("m"), 0);
    // letters beside an emoji have the ink, too
    const ui::Pixels mixed = painted([&](App& app, ImDrawList& list) {
        app.labels->draw(list, {.at = {100, 100}, .text = "mm\U0001F600", .style = {.size = 40}},
                         {0, 0, 255});
    });
    int blue = 0, white = 0;
    for (int y = 80; y < 120; ++y)
        for (int x = 100; x < 160; ++x) {
            blue += mixed.at(x, y) == Colour{0, 0, 255} ? 1 : 0;
            white += mixed.at(x, y) == Colour{255, 255, 255} ? 1 : 0;
        }
    EXPECT_GT(blue, 50);
    EXPECT_EQ(white, 0);
}

}  // namespace
}  // namespace maskscope
