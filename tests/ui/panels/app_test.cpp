#include "app/window/context/app.h"
#include "core/base/build.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "app/window/actions/shortcuts.h"
#include "app/window/paint/heatmap.h"
#include "app/window/paint/label_atlas.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "tests/support/folder.h"
#include "tests/ui/harness.h"

namespace maskscope {
namespace {

struct Program : testing::Test {
    Session session{std::make_unique<PlainBackend>()};
    std::unique_ptr<ui::Driver> driver;

    std::filesystem::path before = std::filesystem::current_path();
    Folder folder;  // so that the program starts in it, and writes nothing unasked

    void SetUp() override {
        std::filesystem::current_path(folder.path());
        ASSERT_TRUE(
            session.open(source_folder() + "/assets/lessons/additive-or-multiplicative.json"));
        driver = std::make_unique<ui::Driver>(session);
    }

    void TearDown() override {
        EXPECT_TRUE(std::filesystem::is_empty(folder));
        std::filesystem::current_path(before);
    }

    App& app() { return driver->app(); }

    bool shows(const std::string& text) {
        const auto& drawn = app().labels->drawn();
        return std::any_of(drawn.begin(), drawn.end(),
                           [&](const auto& label) { return label.text == text; });
    }

    // Returns the middle of the first label with this text.
    std::optional<Point> find(const std::string& text) {
        for (const auto& label : app().labels->drawn())
            if (label.text == text)
                return Point{label.rect.x + label.rect.w / 2, label.rect.y + label.rect.h / 2};
        return std::nullopt;
    }

    // Returns where a cell of the mask is, found with the pointer as a user finds it.
    std::optional<Point> mask_cell(Cell cell) {
        constexpr double step = 14;        // less than a cell
        app().ui.inspector_folded = true;  // then nothing scrolls
        driver->settle();
        const Point title = find("Mask").value_or(Point{});
        for (double y = title.y; y < title.y + 300; y += step)
            for (double x = title.x - 20; x < title.x + 280; x += step) {
                driver->push({.kind = InputEvent::Kind::move, .at = {x, y}});
                frame(app());
                const auto& at = session.view().hovered;
                if (at && at->stage == StageKind::allowed && Cell{at->i, at->j} == cell)
                    return Point{x, y};
            }
        return std::nullopt;
    }

    bool allowed(Cell cell) { return is_allowed(session.scene(), 0, 0, 0, cell); }
};

// --- frames

// An exception in a frame is reported in one line, and the next frame continues.
TEST_F(Program, AFrameThatThrowsLeavesProgramAndDocumentAsTheyWere) {
    App& app = driver->app();
    const Scene scene = session.scene();
    const auto throws_when = [&](const std::function<void()>& happens) {
        happens();
        EXPECT_TRUE(guarded_frame(app)) << "another frame says why";
        ASSERT_TRUE(session.message());
        EXPECT_TRUE(session.message()->wrong);
        EXPECT_TRUE(session.message()->text.starts_with("Could not do this: "));
        EXPECT_EQ(session.message()->text.find('\n'), std::string::npos);
        EXPECT_EQ(session.scene(), scene);
        driver->settle();
    };
    throws_when(
        [&] { app.ui.commands = {[](App&) { throw std::out_of_range("no such\nlane"); }}; });
    throws_when([&] { app.ui.commands = {[](App&) { throw std::bad_alloc(); }}; });
    // This throws in the middle of a panel that ImGui has begun.
    const auto field = find("Type a sentence…");
    ASSERT_TRUE(field);
    driver->click(*field);
    driver->settle();
    ASSERT_TRUE(app.gui.editing);
    app.gui.clipboard.read = []() -> std::string { throw std::out_of_range("the clipboard"); };
    throws_when([&] {
        driver->push({.kind = InputEvent::Kind::key,
                      .code = GLFW_KEY_V,
                      .down = true,
                      .modifiers = GLFW_MOD_CONTROL});
    });
    EXPECT_FALSE(app.gui.editing);
    driver->key(GLFW_KEY_K, GLFW_MOD_CONTROL);
    driver->settle();
    EXPECT_EQ(session.scene(), scene);
}

// If the machine slept, or its clock is wrong, clicks still edit the scene, and drawing stops once
// nothing moves.
TEST_F(Program, AClockThatJumpsDoesNoHarm) {
    const auto at = mask_cell(session.view().show.ring.value_or(Cell{2, 4}));
    ASSERT_TRUE(at);
    double seconds = app().clock();
    app().clock = [&seconds] { return seconds; };
    const Scene first = session.scene();
    int edits = 0;
    for (const double jump : {1e6, -2e6, 1e-9, 0.0, 1e12, -1e12}) {
        seconds += jump;
        for (const bool down : {true, false})
            driver->push({.kind = InputEvent::Kind::button, .code = 0, .down = down});
        for (int k = 0; k < 5; ++k) guarded_frame(app());
        ++edits;
        EXPECT_EQ(session.scene() == first, edits % 2 == 0)
            << "a click still edits, after " << jump;
        EXPECT_FALSE(session.message() && session.message()->wrong) << session.message()->text;
        seconds += seconds_of_news + 1;
        guarded_frame(app());
        EXPECT_FALSE(next_frame_in(app())) << "nothing moves any more";
    }
}

TEST_F(Program, NothingFollowsWhereNothingHappens) {
    EXPECT_FALSE(frame(app()));
    const long drawn = app().textures->pictures_drawn();
    for (int k = 0; k < 5; ++k) EXPECT_FALSE(frame(app()));
    EXPECT_EQ(app().textures->pictures_drawn(), drawn);
}

TEST_F(Program, MovingThePointerDrawsNoHeatmapAgain) {
    ASSERT_TRUE(mask_cell({2, 1}));
    driver->settle();
    const long drawn = app().textures->pictures_drawn();
    const Rect bench = app().panels.bench;
    for (int k = 0; k < 50; ++k) driver->move({bench.x + 10.0 * k, bench.y + bench.h / 2});
    EXPECT_EQ(app().textures->pictures_drawn(), drawn);
}

TEST_F(Program, AClickOnTheMaskShowsInTheSameFrame) {
    const Cell ring = session.view().show.ring.value_or(Cell{2, 4});
    const auto at = mask_cell(ring);
    ASSERT_TRUE(at);
    const bool before = allowed(ring);
    const std::string caption = session.words().caption;
    const ui::Pixels old = driver->pixels();
    driver->push({.kind = InputEvent::Kind::button, .code = 0, .down = true});
    frame(app());  // exactly one
    EXPECT_NE(allowed(ring), before);
    EXPECT_TRUE(what_is_done(session)) << "that is the Try of the step";
    EXPECT_EQ(session.words().caption, caption);
    EXPECT_EQ(session.shown().scene, session.scene());
    const ui::Pixels now = driver->pixels();
    bool changed = false;  // beside the ring, which stays
    for (int dx = -6; dx <= 6; ++dx)
        changed |= now.at(at->x + dx, at->y) != old.at(at->x + dx, at->y);
    EXPECT_TRUE(changed);
    driver->release(*at);
}

TEST_F(Program, FortyFastClicksAreFortyClicks) {
    const Cell ring = session.view().show.ring.value_or(Cell{2, 4});
    const auto at = mask_cell(ring);
    ASSERT_TRUE(at);
    const bool before = allowed(ring);
    constexpr int clicks = 40;
    for (int k = 0; k < clicks; ++k)  // all of them before the next frame
        for (const bool down : {true, false})
            driver->push({.kind = InputEvent::Kind::button, .code = 0, .down = down});
    driver->settle();
    EXPECT_EQ(allowed(ring), before);
    int undone = 0;
    while (session.document().undo_name() && undone < 100) {
        session.undo();
        ++undone;
    }
    EXPECT_EQ(undone, clicks);
}

TEST_F(Program, TheWindowMayHaveAnySize) {
    for (const Point size : {Point{1, 1}, Point{100, 80}, Point{1024, 768}, Point{3840, 2160}}) {
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
        EXPECT_EQ(app().gui.width, static_cast<int>(size.x));
    }
    for (const double scale : {0.5, 1.5, 3.0}) {
        app().gui.scale = scale;
        driver->settle();
    }
}

// --- keys

TEST_F(Program, NoKeyIsThereTwice) {
    std::set<std::pair<int, int>> on_bench, presenting;
    for (const Shortcut& shortcut : shortcuts()) {
        const std::pair key{shortcut.key, shortcut.modifiers};
        if (shortcut.when != KeyScope::presenting) {
            EXPECT_TRUE(on_bench.insert(key).second) << shortcut.keys;
        }
        if (shortcut.when != KeyScope::bench) {
            EXPECT_TRUE(presenting.insert(key).second) << shortcut.keys;
        }
        EXPECT_FALSE(shortcut.what.empty());
        ASSERT_NE(shortcut.act, nullptr);
    }
}

TEST_F(Program, EveryKeyIsHarmlessAtAnyTime) {
    for (const Shortcut& shortcut : shortcuts()) {
        driver->key(shortcut.key, shortcut.modifiers);
        driver->key(GLFW_KEY_ESCAPE);
        driver->key(GLFW_KEY_ESCAPE);
    }
    session.new_scene();
    driver->settle();
    for (const Shortcut& shortcut : shortcuts()) driver->key(shortcut.key, shortcut.modifiers);
}

TEST_F(Program, CursorAndSpaceEditTheMaskAndUndoTakesItBack) {
    session.view().show.focus = Cell{0, 0};
    driver->key(GLFW_KEY_RIGHT);
    driver->key(GLFW_KEY_RIGHT);
    driver->key(GLFW_KEY_LEFT);
    driver->key(GLFW_KEY_UP);  // the cursor stays at the edge
    EXPECT_EQ(session.view().show.focus, (Cell{0, 1}));
    const bool before = allowed({0, 1});
    driver->key(GLFW_KEY_SPACE);
    EXPECT_NE(allowed({0, 1}), before);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(allowed({0, 1}), before);
    driver->key(GLFW_KEY_Y, GLFW_MOD_CONTROL);
    EXPECT_NE(allowed({0, 1}), before);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    EXPECT_NE(allowed({0, 1}), before);
    driver->key(GLFW_KEY_R);
    EXPECT_EQ(allowed({0, 1}), before);
}

TEST_F(Program, PagesStepAndPanelsFold) {
    driver->key(GLFW_KEY_PAGE_DOWN);
    if (session.document().step == 0) driver->key(GLFW_KEY_PAGE_DOWN);  // the answer came first
    EXPECT_EQ(session.document().step, 1);
    driver->key(GLFW_KEY_PAGE_UP);
    EXPECT_EQ(session.document().step, 0);
    const double width = app().panels.bench.w;
    driver->key(GLFW_KEY_1, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_2, GLFW_MOD_CONTROL);
    EXPECT_GT(app().panels.bench.w, width + 300);
    EXPECT_TRUE(app().ui.sidebar.folded);
}

TEST_F(Program, ASmallWindowNamesEveryTokenAndTheSigns) {
    driver->push({.kind = InputEvent::Kind::resize, .at = {1280, 800}});
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/masks-of-models.json"));
    if (session.view().asks()) session.next();
    driver->settle();
    EXPECT_FALSE(app().ui.bench.figure.skips_tokens);
    const auto& texts = app().ui.bench.whole.texts;  // the legend may be below the visible part
    EXPECT_EQ(std::ranges::count(texts, "blocked", &Text::text), 1);
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/scoring-functions.json"));
    session.go_to_step(7);
    if (session.view().asks()) session.next();
    driver->settle();
    EXPECT_GT(session.words().try_this.size(), 100u);
    const std::string end = session.words().try_this.substr(session.words().try_this.size() - 9);
    EXPECT_TRUE(std::ranges::any_of(app().labels->drawn(), [&](const auto& label) {
        return label.text.ends_with(end) && label.rect.right() <= app().panels.lesson_head.right();
    })) << "what to try is in several lines";
}

TEST_F(Program, TokenKeysActOnTheSelectedToken) {
    const auto tokens = session.scene().sequences.front().queries;
    driver->key(GLFW_KEY_P);  // nothing is selected
    EXPECT_EQ(session.scene().sequences.front().queries, tokens);
    app().ui.sidebar.selected = TokenRef{0, Side::queries, 1};
    driver->key(GLFW_KEY_P);
    EXPECT_EQ(session.scene().sequences.front().queries[1], session.scene().pad_token);
    driver->key(GLFW_KEY_INSERT);
    EXPECT_EQ(session.scene().sequences.front().queries.size(), tokens.size() + 1);
    EXPECT_EQ(app().ui.sidebar.selected->index, 2);
    driver->key(GLFW_KEY_ESCAPE);  // its name is open
    driver->key(GLFW_KEY_DELETE);
    EXPECT_EQ(session.scene().sequences.front().queries.size(), tokens.size());
    app().ui.sidebar.selected = TokenRef{0, Side::queries, 1000};
    driver->key(GLFW_KEY_DELETE);
    EXPECT_EQ(session.scene().sequences.front().queries.size(), tokens.size());
    for (std::size_t k = 0; k < tokens.size() + 3; ++k) {  // the last one stays
        app().ui.sidebar.selected = TokenRef{0, Side::queries, 0};
        driver->key(GLFW_KEY_DELETE);
    }
    EXPECT_EQ(session.scene().sequences.front().queries.size(), 1U);
}

// --- text

TEST_F(Program, ATokenWithAnEmojiKeepsItsBytesWhenItsFieldIsEnteredAndLeft) {
    const std::string token = "a\U0001F468\u200D\U0001F469\u200D\U0001F467e\u0301";
    ASSERT_TRUE(session.edit(
        "rename", [&](Scene& scene) { rename_token(scene, 0, Side::queries, 1, token); }));
    driver->settle();
    const Scene before = session.scene();
    const auto at = find(token);
    ASSERT_TRUE(at);
    driver->double_click(*at);
    ASSERT_TRUE(app().gui.editing);
    EXPECT_EQ(app().gui.editing->field.text(), token);
    driver->key(GLFW_KEY_LEFT);
    driver->key(GLFW_KEY_ENTER);
    EXPECT_FALSE(app().gui.editing);
    EXPECT_EQ(session.scene(), before);

    driver->double_click(find(token).value_or(Point{}));
    ASSERT_TRUE(app().gui.editing);
    driver->key(GLFW_KEY_END);
    driver->type("x");
    driver->key(GLFW_KEY_ENTER);
    EXPECT_EQ(session.scene().sequences.front().queries[1], token + "x");
}

TEST_F(Program, WhileTextIsTypedLettersAreNotCommands) {
    const auto at = find("My");
    ASSERT_TRUE(at);
    driver->double_click(*at);
    ASSERT_TRUE(app().gui.editing);
    const Scene before = session.scene();
    driver->key(GLFW_KEY_P);
    driver->key(GLFW_KEY_R);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.scene(), before);
    EXPECT_EQ(session.document().step, 0);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(app().gui.editing);
}

TEST_F(Program, AKeyWithControlCommitsWhatWasTypedFirst) {
    const auto at = find("My");
    ASSERT_TRUE(at);
    driver->double_click(*at);
    driver->type("Your");
    driver->key(GLFW_KEY_1, GLFW_MOD_CONTROL);
    EXPECT_TRUE(app().ui.sidebar.folded);
    EXPECT_EQ(session.scene().sequences.front().queries[1], "Your");
}

// --- quitting

TEST_F(Program, UnsavedWorkIsAskedFor) {
    bool left = false;
    const auto leave = [&left](App&) { left = true; };
    leave_unsaved(app(), "Leave?", leave);
    EXPECT_TRUE(left);  // nothing to lose

    left = false;
    ASSERT_TRUE(session.edit("block", [](Scene& scene) {
        set_allowed(scene, {0}, 0, 0, {0, 0}, false);
    }));
    ASSERT_FALSE(session.document().is_saved());
    leave_unsaved(app(), "Leave?", leave);
    driver->settle();
    EXPECT_TRUE(shows("Leave?"));
    EXPECT_FALSE(left);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(app().ui.overlays.find<UnsavedQuestion>());
    EXPECT_FALSE(left);

    leave_unsaved(app(), "Leave?", leave);
    driver->settle();
    driver->click(find("Don't save").value_or(Point{}));
    EXPECT_TRUE(left);
    EXPECT_FALSE(app().ui.overlays.find<UnsavedQuestion>());
}

TEST_F(Program, TheQuestionIsWholeOnASmallScreen) {
    ASSERT_TRUE(session.edit("block", [](Scene& scene) {
        set_allowed(scene, {0}, 0, 0, {0, 0}, false);
    }));
    for (const auto& [width, height] : {std::pair(1024, 768), std::pair(640, 768)}) {
        driver = std::make_unique<ui::Driver>(session, width, height);
        app().gui.scale = 3;
        leave(app());
        driver->settle();
        ASSERT_TRUE(app().ui.overlays.find<UnsavedQuestion>());
        std::string words;
        bool begun = false;
        for (const auto& label : app().labels->drawn()) {
            if (label.text.starts_with("Quit")) begun = true;
            if (!begun) continue;
            EXPECT_GE(label.rect.x, 0) << label.text;
            EXPECT_GE(label.rect.y, 0) << label.text;
            EXPECT_LE(label.rect.right(), width) << label.text;
            EXPECT_LE(label.rect.bottom(), height) << label.text;
            words += label.text + " ";
        }
        EXPECT_EQ(
            words,
            "Quit Maskscope? Changes since the last save would be lost. Save Don't save Cancel ");
        driver->click(find("Don't save").value_or(Point{}));
        EXPECT_TRUE(app().ui.quit);
        app().ui.quit = false;
    }
}

TEST_F(Program, AFigureThatCannotBeMadeKeepsTheWindow) {
    std::atomic<bool> may_end = false;
    ASSERT_TRUE(session.make_aside(
        "figure.png", "Could not export", [&](Progress&) -> std::function<void()> {
            while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            throw WorkError("No space left on device");
        }));
    leave(app());
    driver->settle();
    ASSERT_TRUE(app().ui.overlays.find<UnsavedQuestion>());
    may_end = true;
    session.wait();
    driver->settle();
    EXPECT_FALSE(app().ui.overlays.find<UnsavedQuestion>());
    EXPECT_FALSE(app().ui.quit);
    EXPECT_TRUE(shows("Could not export: No space left on device"));
}

TEST_F(Program, AFigureThatIsBeingMadeIsAskedFor) {
    std::atomic<bool> may_end = false;
    ASSERT_TRUE(session.make_aside(
        "figure.png", "Could not export", [&](Progress& progress) -> std::function<void()> {
            while (!may_end && !progress.cancel)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return [] {};
        }));
    leave(app());
    driver->settle();
    EXPECT_TRUE(shows("figure.png is still being exported."));
    driver->key(GLFW_KEY_ENTER);  // stays
    EXPECT_FALSE(app().ui.overlays.find<UnsavedQuestion>());
    EXPECT_FALSE(app().ui.quit);

    leave(app());
    driver->settle();
    driver->click(find("Quit and discard it").value_or(Point{}));
    EXPECT_TRUE(app().ui.quit);

    app().ui.quit = false;
    ASSERT_TRUE(session.edit("block", [](Scene& scene) {
        set_allowed(scene, {0}, 0, 0, {0, 0}, false);
    }));
    leave(app());
    driver->settle();
    driver->click(find("Don't save").value_or(Point{}));
    ASSERT_TRUE(app().ui.overlays.find<UnsavedQuestion>());
    EXPECT_EQ(app().ui.overlays.find<UnsavedQuestion>()->figure, "figure.png");
    may_end = true;
    session.wait();
    driver->key(GLFW_KEY_ESCAPE);
    leave(app());
    driver->settle();
    driver->click(find("Don't save").value_or(Point{}));
    EXPECT_TRUE(app().ui.quit) << "when it is ready";
}

TEST_F(Program, ADroppedFileIsOpened) {
    const std::string path = source_folder() + "/tests/data/golden/cross-attention/scene.json";
    driver->push({.kind = InputEvent::Kind::drop, .text = path});
    driver->settle();
    ASSERT_TRUE(session.document().path());
    EXPECT_EQ(session.document().path()->filename(), "scene.json");
    driver->push({.kind = InputEvent::Kind::drop, .text = "/nowhere/at all.json"});
    driver->settle();
    ASSERT_TRUE(session.message());
    EXPECT_TRUE(session.message()->wrong);
    EXPECT_EQ(session.document().path()->filename(), "scene.json");
}

TEST_F(Program, WhatNothingOpensIsRefusedInOneLine) {
    const Folder theirs;
    ASSERT_TRUE(session.open(source_folder() + "/assets/scenes/cross.json"));
    for (const char* name : {"notes.txt", "song.mp3", "cells.csv", "empty.json", "binary"}) {
        const std::string path = (theirs.path() / name).string();
        std::ofstream(path) << (std::string_view(name) == "empty.json"
                                    ? std::string()
                                    : std::string("\x89\0\xff line\n", 9));
        driver->push({.kind = InputEvent::Kind::drop, .text = path});
        driver->settle();
        ASSERT_TRUE(session.message()) << name;
        EXPECT_TRUE(session.message()->wrong) << name;
        EXPECT_EQ(session.message()->text.find('\n'), std::string::npos) << name;
        EXPECT_TRUE(session.message()->text.starts_with(path + ": ")) << session.message()->text;
        EXPECT_EQ(session.document().path()->filename(), "cross.json") << name;
    }
    driver->push({.kind = InputEvent::Kind::drop, .text = theirs.path().string()});
    driver->settle();
    EXPECT_TRUE(session.message()->wrong) << "a folder";
    EXPECT_EQ(session.document().path()->filename(), "cross.json");
}

}  // namespace
}  // namespace maskscope
