// The README's pictures show the window as it is. MASKSCOPE_NEW_PICTURES=1 draws them again.

#include <cstdlib>

#include "core/files/file.h"
#include "tests/ui/paint/pictures.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope::ui {
namespace {

// The means of blocks of pixels are compared. A word, a number or a colour may change without a new
// picture; a panel, a stage or a caption that is added, removed or moved needs one.
constexpr int block = 8;
constexpr double block_tolerance = 24;   // of 255, for one channel
constexpr double share_tolerance = .03;  // of the blocks

struct Mean {
    double r = 0, g = 0, b = 0;
};

Mean mean_of(const Pixels& pixels, int left, int top) {
    Mean mean;
    for (int y = top; y < top + block; ++y)
        for (int x = left; x < left + block; ++x) {
            const Colour colour = pixels.at(x + .5, y + .5);
            mean.r += colour.r;
            mean.g += colour.g;
            mean.b += colour.b;
        }
    return {mean.r / (block * block), mean.g / (block * block), mean.b / (block * block)};
}

double share_of_other_blocks(const Pixels& a, const Pixels& b) {
    const auto apart = [](double x, double y) { return std::abs(x - y) > block_tolerance; };
    int others = 0, all = 0;
    for (int y = 0; y + block <= a.height; y += block)
        for (int x = 0; x + block <= a.width; x += block) {
            const Mean one = mean_of(a, x, y), two = mean_of(b, x, y);
            ++all;
            others += apart(one.r, two.r) || apart(one.g, two.g) || apart(one.b, two.b) ? 1 : 0;
        }
    return double(others) / all;
}

// Compares the window with a picture of the README, but only above lower_end (pixels), because the
// lower edge shows the time that computing took.
void expect_in_readme(Driver& driver, const std::string& file, double lower_end) {
    const fs::path path = fs::path(source_folder()) / "assets/pictures" / file;
    if (std::getenv("MASKSCOPE_NEW_PICTURES")) save_png(driver.pixels(), path);
    const Pixels shown = driver.pixels(), kept = pixels_of_png(read_file(path));
    ASSERT_EQ(kept.width, shown.width) << file;
    ASSERT_EQ(kept.height, shown.height) << file;
    const Rect compared{0, 0, double(shown.width), lower_end};
    EXPECT_LE(share_of_other_blocks(cut(shown, compared), cut(kept, compared)), share_tolerance)
        << file << " is out of date; tests/README.md says how to draw it again";
}

class ReadmePictures : public ::testing::Test {
protected:
    ReadmePictures() : session(std::make_unique<PlainBackend>()) {
        session.open(fs::path(source_folder()) / "assets/lessons/additive-or-multiplicative.json");
        session.wait();
    }
    // Pins a cell, so that the inspector shows its arithmetic.
    void begin(Driver& driver) {
        driver.app().gui.reduced_motion = true;
        driver.settle();
        if (session.view().asks()) driver.key(GLFW_KEY_PAGE_DOWN);
        session.view().pinned = CellRef{.variant = 0, .i = 2, .j = 1};
        session.view().show.focus = Cell{2, 1};
        driver.settle();
    }
    Session session;
};

TEST_F(ReadmePictures, ShowTheWindowAsItIs) {
    Driver driver(session, 1800, 1020);
    using enum StageKind;
    session.view().show.stages = {scaled, logits, softmax, weights};
    begin(driver);
    expect_in_readme(driver, "opening.png", driver.app().panels.status.y);
}

TEST_F(ReadmePictures, ShowPresentingAsItIs) {
    Driver driver(session, 1600, 900);
    begin(driver);
    driver.key(GLFW_KEY_F5);
    driver.settle();
    expect_in_readme(driver, "presenting.png", 900);
}

}  // namespace
}  // namespace maskscope::ui
