// A cell that the last edit or step changed keeps a frame for 300 ms.

#include "app/window/context/changed_cells.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/session/files/load.h"
#include "app/window/context/window_choices.h"
#include "core/compute/plain.h"
#include "tests/support/folder.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

SharedCells cells_with(std::vector<double> values) {
    auto cells = std::make_shared<Cells>();
    cells->rows = cells->columns = 2;
    cells->values = std::move(values);
    for (const double value : cells->values) cells->signs.push_back(value == 0 ? sign::zero : 0);
    return cells;
}

Heatmap heatmap_of(SharedCells cells, int variant = 0) {
    Heatmap heatmap;
    heatmap.cells = std::move(cells);
    heatmap.variant = variant;
    return heatmap;
}

// Makes a different edit each time.
Scene edited() {
    static int count = 0;
    Scene scene;
    scene.variants.emplace_back().name = std::to_string(++count);
    return scene;
}

TEST(ChangedCells, AreThoseThatDifferFromWhatStoodThere) {
    ChangedCells changes;
    changes.see({heatmap_of(cells_with({1, 2, 3, 4}))}, edited(), 10);
    EXPECT_FALSE(changes.end()) << "nothing stood there before";
    const Heatmap now = heatmap_of(cells_with({1, 0, 3, 5}));
    const Scene last = edited();
    changes.see({now}, last, 11);
    EXPECT_EQ(changes.end(), 11 + seconds_of_change);
    EXPECT_EQ(changes.of(now, 11.1), (std::vector<Cell>{{0, 1}, {1, 1}}));
    changes.see({now}, last, 11.2);
    EXPECT_EQ(changes.end(), 11 + seconds_of_change) << "a frame without an edit";
    EXPECT_TRUE(changes.of(now, 11.31).empty());
    changes.see({now}, last, 11.31);
    EXPECT_FALSE(changes.end());
}

TEST(ChangedCells, AnotherBackendIsNoEdit) {
    ChangedCells changes;
    const Scene scene = edited();
    changes.see({heatmap_of(cells_with({1, 2, 3, 4}))}, scene, 0);
    changes.see({heatmap_of(cells_with({1, 2, 3, 4.0000001}))}, scene, 1);
    EXPECT_FALSE(changes.end());
}

TEST(ChangedCells, AStageMayMoveBetweenVariantsAndWhatTheyShare) {
    ChangedCells changes;
    changes.see({heatmap_of(cells_with({1, 2, 3, 4}), -1)}, edited(), 0);
    const Heatmap a = heatmap_of(cells_with({1, 2, 3, 4}), 0);
    const Heatmap b = heatmap_of(cells_with({9, 2, 3, 4}), 1);
    changes.see({a, b}, edited(), 1);
    EXPECT_TRUE(changes.of(a, 1).empty());
    EXPECT_EQ(changes.of(b, 1), (std::vector<Cell>{{0, 0}}));
}

TEST(ChangedCells, OtherShapesAndOtherHeadsAreNoChange) {
    ChangedCells changes;
    changes.see({heatmap_of(cells_with({1, 2, 3, 4}))}, edited(), 0);
    Heatmap other = heatmap_of(cells_with({5, 6, 7, 8}));
    other.h = 1;
    changes.see({other}, edited(), 1);
    EXPECT_FALSE(changes.end());
    auto wide = std::make_shared<Cells>(*other.cells);
    wide->rows = 1, wide->columns = 4;
    other.cells = wide;
    changes.see({other}, edited(), 2);
    EXPECT_FALSE(changes.end());
}

TEST(ChangedCells, TheDesktopMayAskForLessMotion) {
    const Folder folder;
    std::filesystem::create_directories(folder / "gtk-3.0");
    std::filesystem::create_directories(folder / "gtk-4.0");
    ASSERT_EQ(::mkfifo((folder / "gtk-4.0" / "settings.ini").c_str(), 0600), 0);
    unsetenv("MASKSCOPE_REDUCED_MOTION");
    setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    EXPECT_FALSE(wants_reduced_motion());
    std::ofstream(folder / "gtk-3.0" / "settings.ini") << "[Settings]\ngtk-enable-animations = 0\n";
    EXPECT_TRUE(wants_reduced_motion());
    setenv("MASKSCOPE_REDUCED_MOTION", "0", 1);
    EXPECT_FALSE(wants_reduced_motion());
    setenv("MASKSCOPE_REDUCED_MOTION", "1", 1);
    EXPECT_TRUE(wants_reduced_motion());
    unsetenv("MASKSCOPE_REDUCED_MOTION");
    unsetenv("XDG_CONFIG_HOME");
}

struct OpeningLesson : testing::Test {
    Session session{std::make_unique<PlainBackend>()};
    OpeningLesson() {
        const auto loaded = std::get<LoadedLesson>(load("lesson:additive-or-multiplicative"));
        session.open_lesson(loaded.lesson, loaded.folder, 0);
    }
    // Returns the middle of a cell of a heatmap on the screen.
    static Point middle_of(const App& app, const Heatmap& map, Cell cell) {
        const Rect r = cell_rect(map, cell.i, cell.j);
        return {app.ui.bench.figure_at.x + r.x + r.w / 2, app.ui.bench.figure_at.y + r.y + r.h / 2};
    }
    static const Heatmap& mask_of(const App& app) {
        for (const Heatmap& map : app.ui.bench.figure.heatmaps)
            if (map.cells->stage == StageKind::allowed) return map;
        throw std::runtime_error("no mask");
    }
    static std::size_t framed(const App& app) {
        std::size_t count = 0;
        for (const Heatmap& map : app.ui.bench.figure.heatmaps)
            count += app.ui.bench.changed_cells.of(map, app.clock()).size();
        return count;
    }
};

TEST_F(OpeningLesson, AClickFramesWhatItChangedAndTheFramesGo) {
    ui::Driver driver(session);
    App& app = driver.app();
    EXPECT_EQ(framed(app), 0U);
    EXPECT_FALSE(next_frame_in(app)) << "nothing moves unless something changed";
    const Cell ring = *session.view().show.ring;
    driver.click(middle_of(app, mask_of(app), ring));
    EXPECT_GT(framed(app), 1U) << "the mask's cell, and weights";
    ASSERT_TRUE(next_frame_in(app));
    EXPECT_LE(*next_frame_in(app), seconds_of_change);
    const ui::Pixels with = driver.pixels();
    for (int k = 0; k < 8; ++k) driver.settle();  // 24 frames, 0.4 s
    EXPECT_EQ(framed(app), 0U);
    EXPECT_FALSE(next_frame_in(app));
    EXPECT_NE(with.colours, driver.pixels().colours) << "the frames were seen";
}

TEST_F(OpeningLesson, WithReducedMotionNothingIsFramed) {
    ui::Driver driver(session);
    App& app = driver.app();
    app.gui.reduced_motion = true;
    driver.click(middle_of(app, mask_of(app), *session.view().show.ring));
    EXPECT_EQ(framed(app), 0U);
    EXPECT_FALSE(next_frame_in(app));
}

TEST_F(OpeningLesson, MovingThePointerAndHidingAStageChangesNoCell) {
    ui::Driver driver(session);
    App& app = driver.app();
    driver.move(middle_of(app, mask_of(app), {1, 1}));
    EXPECT_FALSE(next_frame_in(app));
    session.view().show.stages = std::vector<StageKind>{StageKind::weights};
    driver.settle();
    EXPECT_FALSE(next_frame_in(app));
}

}  // namespace
}  // namespace maskscope
