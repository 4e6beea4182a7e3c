// Compares frames of which the window paints only the changed parts with whole frames, to the
// pixel.

#include "app/window/paint/canvas.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <random>

#include "core/base/build.h"
#include "core/compute/plain.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

constexpr int canvas_width = 1100, canvas_height = 760;
constexpr long all_pixels = long{canvas_width} * canvas_height;

class OnCanvas : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_TRUE(session.open(source_folder() + "/assets/" + GetParam()));
        driver = std::make_unique<ui::Driver>(session, canvas_width, canvas_height);
        driver->paints = true;
        session.wait();  // results that are computed in the background change the frame
        driver->settle();
    }
    Canvas& canvas() { return *driver->app().canvas; }

    // Does something random in the window, but opens and saves no file.
    void act(std::mt19937& random) {
        const auto any = [&](int n) { return double(random() % static_cast<unsigned>(n)); };
        const Point at{any(canvas_width), any(canvas_height)};
        switch (random() % 8) {
            case 0:
                return driver->wheel(at, random() % 2 == 0 ? 1 : -1);
            case 1:
                return driver->click(at);
            case 2:
                return driver->drag(at, {any(canvas_width), any(canvas_height)}, 2);
            case 3: {
                const int keys[] = {GLFW_KEY_TAB,  GLFW_KEY_PAGE_DOWN, GLFW_KEY_ESCAPE,
                                    GLFW_KEY_DOWN, GLFW_KEY_SPACE,     GLFW_KEY_F1,
                                    GLFW_KEY_T,    GLFW_KEY_F5};
                return driver->key(keys[random() % std::size(keys)]);
            }
            default:
                return driver->move(at);
        }
    }

    Session session{std::make_unique<PlainBackend>()};
    std::unique_ptr<ui::Driver> driver;
};

TEST_P(OnCanvas, AFrameIsTheSameAsIfItWerePaintedWhole) {
    std::mt19937 random(7);
    long least = all_pixels;
    for (int k = 0; k < 30; ++k) {
        const long before = canvas().pixels_painted();
        act(random);
        least = std::min(least, canvas().pixels_painted() - before);
        const ui::Pixels shown = driver->pixels();
        canvas().forget();
        const ui::Pixels whole = driver->pixels();
        ASSERT_EQ(shown.colours, whole.colours) << "after action " << k;
    }
    EXPECT_LT(least, all_pixels / 8) << "not every frame is painted whole";
}

TEST_P(OnCanvas, AFrameWithoutNewsPaintsNothing) {
    driver->move({400, 300});
    const long before = canvas().pixels_painted();
    for (int k = 0; k < 3; ++k) driver->settle();
    EXPECT_EQ(canvas().pixels_painted(), before);
}

TEST_P(OnCanvas, AnotherThemeOrSizeIsPaintedWhole) {
    long before = canvas().pixels_painted();
    session.view().theme = ThemeKind::light;
    driver->settle();
    EXPECT_GE(canvas().pixels_painted() - before, all_pixels);
    before = canvas().pixels_painted();
    driver->push({.kind = InputEvent::Kind::resize, .at = {canvas_width - 100, canvas_height}});
    driver->settle();
    EXPECT_GE(canvas().pixels_painted() - before, all_pixels - 100 * canvas_height);
}

INSTANTIATE_TEST_SUITE_P(Documents, OnCanvas,
                         ::testing::Values("lessons/additive-or-multiplicative.json",
                                           "lessons/heads.json", "scenes/padded-batch.json",
                                           "scenes/transformer-heads.json"),
                         [](const auto& info) { return "Document" + std::to_string(info.index); });

}  // namespace
}  // namespace maskscope
