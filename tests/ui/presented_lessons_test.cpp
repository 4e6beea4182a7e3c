// Every step of every lesson as a hall sees it, at the sizes of the projectors that halls have.
// With MASKSCOPE_PICTURES=FOLDER each is saved there for a person to look at.

#include <fmt/format.h>

#include <cstdlib>

#include "tests/ui/panels_fixture.h"

namespace maskscope {
namespace {

struct Screen {
    int width, height;
};

void PrintTo(const Screen& screen, std::ostream* out) {
    *out << screen.width << "x" << screen.height;
}

const std::vector<std::string> lessons = {"additive-or-multiplicative", "padding-and-nan-rows",
                                          "convex-combination",         "encoder-decoder-masks",
                                          "scoring-functions",          "why-root-d",
                                          "heads"};

class PresentedLessons : public testing::TestWithParam<std::tuple<Screen, std::string>> {
protected:
    PresentedLessons()
        : screen(std::get<0>(GetParam())), session(std::make_unique<PlainBackend>()) {
        session.open(fs::path(MASKSCOPE_SOURCE "/assets/lessons") /
                     (std::get<1>(GetParam()) + ".json"));
        driver.emplace(session, screen.width, screen.height);
        driver->key(GLFW_KEY_F5);
    }

    void save(const std::string& suffix) {
        const char* folder = std::getenv("MASKSCOPE_PICTURES");
        if (folder == nullptr) return;
        save_png(driver->pixels(), fs::path(folder) / fmt::format("{}-{:02}{}-{}.png",
                                                                  std::get<1>(GetParam()),
                                                                  session.step() + 1, suffix,
                                                                  screen.width));
    }

    Screen screen;
    Session session;
    std::optional<ui::Driver> driver;
};

INSTANTIATE_TEST_SUITE_P(Screens, PresentedLessons,
                         testing::Combine(testing::Values(Screen{1920, 1080}, Screen{1024, 768},
                                                          Screen{1280, 720}, Screen{3840, 2160}),
                                          testing::ValuesIn(lessons)));

TEST_P(PresentedLessons, Look) {
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k) {
        session.go_to_step(static_cast<int>(k));
        session.view().theme = static_cast<ThemeKind>(k % 3);
        for (;;) {
            session.wait();
            driver->settle();
            save(session.covered() ? "-asks" : "");
            if (!session.covered()) break;
            session.next();
        }
    }
}

}  // namespace
}  // namespace maskscope
