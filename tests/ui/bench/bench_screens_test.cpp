// Every step of every lesson on the bench, on the screens that people have: whole, with numbers.
// With MASKSCOPE_PICTURES=FOLDER each is saved there for a person to look at.

#include <fmt/format.h>

#include "app/session/files/load.h"
#include "app/show/views/view_entry.h"
#include "core/base/build.h"
#include "core/scene/names.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

struct Screen {
    int width, height;
    double scale = 1;
};

void PrintTo(const Screen& screen, std::ostream* out) {
    *out << screen.width << "x" << screen.height << " at " << screen.scale;
}

constexpr Screen screens[] = {{1024, 768},       {1280, 720},     {1280, 800},
                              {1366, 768},       {1440, 900},     {1600, 1000},
                              {1920, 1080},      {2560, 1440},    {1600, 1000, 1.5},
                              {1920, 1080, 1.5}, {1600, 1000, 2}, {3840, 2160, 2}};

class OnScreens : public testing::TestWithParam<std::tuple<Screen, std::string>> {
protected:
    OnScreens() : screen(std::get<0>(GetParam())), session(std::make_unique<PlainBackend>()) {
        session.open(fs::path(source_folder()) / "assets/lessons" /
                     (std::get<1>(GetParam()) + ".json"));
        driver.emplace(session, screen.width, screen.height);
        driver->app().gui.scale = screen.scale;
        driver->app().ui.sidebar.folded = driver->app().ui.inspector_folded = true;
        driver->settle();
    }

    const Figure& figure() { return driver->app().ui.bench.figure; }
    Rect on_screen(const Rect& r) {
        const Point at = driver->app().ui.bench.figure_at;
        return {r.x + at.x, r.y + at.y, r.w, r.h};
    }

    void save() {
        save_if_asked(*driver,
                      fmt::format("{}-{:02}-{}x{}@{}", std::get<1>(GetParam()), session.step() + 1,
                                  screen.width, screen.height, screen.scale));
    }

    // Whether the room in points is one for which the bench promises numbers in a pipeline.
    bool shows_pipeline() const {
        const View& view = session.view();
        const Shape shape = shape_of(session.shown().scene);
        const ViewKind kind = shown_view(view, session.shown().scene);
        return (kind == ViewKind::pipeline || kind == ViewKind::translator) &&
               shown_sequences(view, shape).size() == 1 && shown_heads(view, shape).size() == 1;
    }

    bool is_tiny() const { return screen.height / screen.scale < 600; }

    // A translator's field takes the room of one.
    Index most_rows() const {
        Index most = 0;
        for (const VariantResult& lane : session.shown().variants)
            most = std::max(most, lane.shape.n_q);
        return most + (model_of(session.shown().scene) ? 1 : 0);
    }

    Screen screen;
    Session session;
    std::optional<ui::Driver> driver;
};

INSTANTIATE_TEST_SUITE_P(Screens, OnScreens,
                         testing::Combine(testing::ValuesIn(screens),
                                          testing::ValuesIn(lesson_names())));

// Of less room than a small projector has, only the opening scene is promised; of little more, not
// eight tokens in lanes with masks of their own, nor what two models say beside a table.
TEST_P(OnScreens, EveryStepIsWhole) {
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k) {
        session.go_to_step(static_cast<int>(k));
        if (session.covered()) session.next();
        session.wait();
        driver->settle();
        SCOPED_TRACE(fmt::format("step {}", k + 1));
        save();
        const bool opening = std::get<1>(GetParam()) == lesson_names().front() && k == 0;
        const bool has_masks = most_rows() > 7 && !session.bench().blocks.front().mask;
        const bool has_table = model_of(session.shown().scene) && !session.table().empty();
        const bool crowded = screen.height / screen.scale < 700 && (has_masks || has_table);
        if (!shows_pipeline() || crowded || (is_tiny() && !opening)) continue;
        const Rect& bench = driver->app().panels.bench;
        for (const Heatmap& map : figure().heatmaps) {
            const Rect at = on_screen(map.rect);
            EXPECT_GE(at.x, bench.x);
            EXPECT_LE(at.right(), bench.right());
            EXPECT_LE(at.bottom(), bench.bottom()) << "under the caption";
            if (map.cells->stage == StageKind::allowed || map.lane == earlier_lane) continue;
            EXPECT_GE(map.number_size, 12 * screen.scale) << maskscope::label(map.cells->stage);
        }
    }
}

// What it says to click can be clicked: at its place, a press changes the mask. In a tiny window,
// one may have to scroll to it.
TEST_P(OnScreens, TheRingIsFree) {
    const auto ring = session.view().show.ring;
    if (!ring || session.covered()) return;
    const auto ringed = [&] {
        const auto mask = std::ranges::find_if(figure().heatmaps, [](const Heatmap& map) {
            return map.cells->stage == StageKind::allowed;
        });
        return mask == figure().heatmaps.end() ? Rect{}
                                               : on_screen(cell_rect(*mask, ring->i, ring->j));
    };
    ASSERT_GT(ringed().w, 0);
    const Rect& bench = driver->app().panels.bench;
    const Point beside{bench.x + 2, bench.y + bench.h / 2};
    for (int k = 0; k < 20 && is_tiny() && ringed().bottom() > bench.bottom(); ++k)
        driver->wheel(beside, -1);
    const Rect cell = ringed();
    const Scene before = session.scene();
    driver->click({cell.x + cell.w / 2, cell.y + cell.h / 2});
    EXPECT_NE(session.scene(), before);
}

class Folds : public InPanels {
protected:
    Folds() {
        session.open_scene(Scene(session.scene()), ".", "a scene");
        driver->settle();
    }
    void resize(double width, double height) {
        driver->push({.kind = InputEvent::Kind::resize, .at = {width, height}});
        driver->settle();
    }
    Ui& ui() { return driver->app().ui; }
};

TEST_F(Folds, TheInspectorFirstThenTheSidebarAndBothComeBack) {
    EXPECT_FALSE(ui().inspector_folded);
    resize(1366, 768);
    EXPECT_TRUE(ui().inspector_folded);
    EXPECT_FALSE(ui().sidebar.folded);
    resize(1024, 768);
    EXPECT_TRUE(ui().inspector_folded);
    EXPECT_TRUE(ui().sidebar.folded);
    resize(1600, 1000);
    EXPECT_FALSE(ui().inspector_folded);
    EXPECT_FALSE(ui().sidebar.folded);
}

TEST_F(Folds, WhatSomebodyUnfoldedStays) {
    resize(1366, 768);
    driver->key(GLFW_KEY_2, GLFW_MOD_CONTROL);
    EXPECT_FALSE(ui().inspector_folded);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(ui().inspector_folded);
    resize(1280, 720);
    EXPECT_FALSE(ui().inspector_folded);
}

TEST_F(Folds, NoEditFoldsTheSidebarAndNoneOfNumbersMovesAnything) {
    resize(1366, 768);
    const auto rects = [&] {
        std::vector<Rect> all;
        for (const Heatmap& map : ui().bench.figure.heatmaps) all.push_back(map.rect);
        return all;
    };
    const std::vector<Rect> before = rects();
    for (const double value : {-1e9, -1234.5, -0.5}) {
        session.edit("value", [&](Scene& scene) {
            scene.variants[0].mask.value.kind = ValueKind::number;
            scene.variants[0].mask.value.number = value;
        });
        session.wait();
        driver->settle();
        EXPECT_EQ(rects(), before) << value;
    }
    session.edit("tokens", [](Scene& scene) {
        for (int k = 0; k < 4; ++k) insert_token(scene, 0, Side::queries, 0, "another");
    });
    session.wait();
    driver->settle();
    EXPECT_FALSE(ui().sidebar.folded);
}

}  // namespace
}  // namespace maskscope
