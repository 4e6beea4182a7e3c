// Tests the top bar and the line in which a path is typed.

#include <cstdlib>
#include <functional>
#include <thread>

#include "app/session/document.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "core/files/file.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

// --- the top bar, the path line

TEST_F(InPanels, NextTurnsTheStep) {
    ASSERT_EQ(session.document().step, 0);
    click("Next ›", lesson_head());
    EXPECT_EQ(session.document().step, 1);
    EXPECT_TRUE(shows_part("Step 2 of 11", lesson_head()));
}

TEST_F(InPanels, TheThemeIsChosen) {
    choose("Theme: light");
    EXPECT_EQ(session.view().theme, ThemeKind::light);
    const Colour panel = theme(ThemeKind::light)[Role::panel];
    EXPECT_EQ(driver->pixels().at(10, 990), panel);
}

TEST_F(InPanels, APathIsCompletedSavedAskedAboutAndOpened) {
    const Folder folder;
    const auto type_path = [&](const std::string& text) {
        driver->settle();
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type(text);
    };
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    ASSERT_TRUE(driver->app().ui.overlays.find<PathLine>());
    type_path((folder.path() / "scene.json").string());
    enter();
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    ASSERT_TRUE(fs::exists(folder.path() / "scene.json"));
    EXPECT_TRUE(session.document().is_saved());

    // Saving asks first before it replaces another program's file.
    std::ofstream(folder.path() / "other.json") << "theirs";
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    type_path((folder.path() / "other.json").string());
    enter();
    EXPECT_TRUE(shows_part("already exists", anywhere()));
    EXPECT_EQ(fs::file_size(folder.path() / "other.json"), 6u);
    driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER, .down = true});
    driver->settle();
    EXPECT_EQ(fs::file_size(folder.path() / "other.json"), 6u)
        << "there was no time to read the question";
    driver->type("x");
    EXPECT_FALSE(shows_part("already exists", anywhere()))
        << "typing means that another name is wanted";
    enter();
    click("Cancel", rect_of<PathLine>(driver->app()));
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());

    session.open(lesson_file);
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    type_path((folder.path() / "sc").string());
    driver->key(GLFW_KEY_TAB);
    enter();
    EXPECT_EQ(session.document().path(), folder.path() / "scene.json");
    EXPECT_EQ(session.lesson(), nullptr);
}

TEST_F(InPanels, AFigureIsNotReplacedByAScene) {
    const Folder folder;
    std::ofstream(folder.path() / "figure.png") << "theirs";
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "figure.png").string());
    enter();
    EXPECT_TRUE(shows_part("has the extension of a figure", path_line()));
    EXPECT_EQ(fs::file_size(folder.path() / "figure.png"), 6u);
}

TEST_F(InPanels, OpenOffersTheLessonsAndTheLastFiles) {
    const Folder folder;
    const fs::path scene = folder.path() / "lately.json";
    fs::copy_file(source_folder() + "/assets/scenes/cross.json", scene);
    remember_file(state_folder(), scene);
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    click("lately.json", path_line());
    EXPECT_EQ(session.document().path(), scene);
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    click("Lessons ▾", path_line());
    EXPECT_TRUE(driver->app().ui.overlays.find<Palette>());
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
}

TEST_F(InPanels, TheTitlesListHasTheLastFilesInSight) {
    const Folder folder;
    const fs::path scene = folder.path() / "lately.json";
    fs::copy_file(source_folder() + "/assets/scenes/cross.json", scene);
    remember_file(state_folder(), scene);
    click("Additive or multiplicative?", top_bar());
    const Rect list = rect_of<Palette>(driver->app());
    EXPECT_TRUE(shows(folder.path().string(), list)) << "where it is";
    click("Recent: lately.json", list);
    EXPECT_EQ(session.document().path(), scene);
    EXPECT_FALSE(driver->app().ui.overlays.find<Palette>());
}

TEST_F(InPanels, OpenListsWhatCanBeOpened) {
    const Folder folder;
    for (const char* name : {"a.json", "b.png", "c.svg", "d.pdf", "e.safetensors", "f.npz", "g.npy",
                             "h.index.json", "i.txt"})
        std::ofstream(folder.path() / name) << "x";
    session.new_scene();
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type(folder.path().string() + "/");
    for (int k = 0; k < 6000 && !shows("a.json", path_line()); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const char* name :
         {"a.json", "b.png", "c.svg", "d.pdf", "e.safetensors", "f.npz", "g.npy", "h.index.json"})
        EXPECT_TRUE(shows(name, path_line())) << name;
    EXPECT_FALSE(shows("i.txt", path_line()));
}

TEST_F(InPanels, AMissingFileIsReportedAndTheLineStays) {
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("/nowhere/at/all.json");
    enter();
    EXPECT_TRUE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_TRUE(session.message() && session.message()->wrong);
    EXPECT_NE(session.lesson(), nullptr) << "what was open stays";
    EXPECT_TRUE(shows_part("Correct the path", path_line())) << "the line itself says why";
    driver->type("x");
    EXPECT_FALSE(shows_part("Correct the path", path_line()))
        << "the message belongs to another path";
    EXPECT_TRUE(shows_part("Tab: complete", path_line()));
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
}

TEST_F(InPanels, ANameWithoutAnExtensionGetsItsOwn) {
    const Folder folder;
    const auto enters = [&](int key, const std::string& name) {
        driver->key(key, GLFW_MOD_CONTROL);
        driver->settle();
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type((folder.path() / name).string());
        enter();
        EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>()) << name;
    };
    session.new_scene();
    enters(GLFW_KEY_S, "scene");
    EXPECT_EQ(session.document().path(), folder.path() / "scene.json");
    session.open(lesson_file);
    enters(GLFW_KEY_O, "scene");
    EXPECT_EQ(session.document().path(), folder.path() / "scene.json");
}

// Puts a zenity of its own on PATH, which writes its arguments beside it.
class BesideDialog : public InPanels {
protected:
    BesideDialog() : before(std::getenv("PATH")) {
        setenv("PATH", (folder.path().string() + ":" + before).c_str(), 1);
    }
    ~BesideDialog() override { setenv("PATH", before.c_str(), 1); }

    void zenity(const std::string& does) {
        const fs::path script = folder.path() / "zenity";
        std::ofstream(script) << "#!/bin/sh\necho \"$@\" > " << folder.path() / "asked"
                              << "\n"
                              << does << "\n";
        fs::permissions(script, fs::perms::owner_all);
    }
    bool until(const std::function<bool()>& done) {
        for (int k = 0; k < 6000 && !done(); ++k) {
            driver->settle();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return done();
    }
    bool is_open() { return driver->app().ui.overlays.find<PathLine>() != nullptr; }

    Folder folder;
    std::string before;
};

TEST_F(BesideDialog, BrowseOpensWhatWasChosen) {
    zenity("echo " + lesson_file);
    session.new_scene();
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    EXPECT_TRUE(until([&] { return session.lesson() != nullptr; }));
    EXPECT_FALSE(is_open());
    std::ifstream asked(folder.path() / "asked");
    const std::string arguments(std::istreambuf_iterator<char>(asked), {});
    EXPECT_NE(arguments.find("--file-selection --title=Open --filename=/"), std::string::npos);
    EXPECT_NE(arguments.find("--file-filter=*.json *.png *.svg *.pdf *.safetensors *.npz *.npy"),
              std::string::npos);
    EXPECT_EQ(arguments.find("--save"), std::string::npos);
}

TEST_F(BesideDialog, WhatIsSavedIsAskedAboutAndGetsItsExtension) {
    std::ofstream(folder.path() / "scene.json") << "theirs";
    zenity("echo " + (folder.path() / "scene").string());
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_TRUE(until([&] { return shows_part("scene.json already exists", anywhere()); }));
    enter();
    EXPECT_EQ(session.document().path(), folder.path() / "scene.json");
}

TEST_F(BesideDialog, AnOpenDialogNeitherFreezesNorOutlivesTheLine) {
    zenity("sleep 60; echo " + lesson_file);
    session.new_scene();
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(shows_part("Choose in the desktop's dialog", path_line()));
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(is_open());
    driver->settle();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(session.lesson(), nullptr);
}

TEST_F(BesideDialog, ACancelledDialogLeavesTheLine) {
    zenity("exit 1");
    session.new_scene();
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    EXPECT_TRUE(until([&] { return !driver->app().ui.overlays.find<PathLine>()->dialog; }));
    EXPECT_TRUE(is_open());
    EXPECT_TRUE(shows_part("Tab: complete", path_line()));
    EXPECT_TRUE(shows("Browse…", path_line())) << "to open it again";
}

// If the desktop has no dialog, the path line lists folders and files, with OK and Cancel.
TEST_F(InPanels, AListOfFilesLeadsToAFile) {
    const Folder folder;
    fs::create_directories(folder.path() / "week" / "seven");
    fs::copy_file(source_folder() + "/assets/scenes/cross.json",
                  folder.path() / "week" / "cross.json");
    const auto click_when_listed = [&](const std::string& name) {
        for (int k = 0; k < 2000 && !shows(name, path_line()); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        click(name, path_line());
    };
    const auto type = [&](const fs::path& path) {
        driver->settle();
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type(path.string());
    };
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    type(folder.path() / "week" / "seven" / "");
    click_when_listed("↑ " + (folder.path() / "week").string());
    click_when_listed("cross.json");
    EXPECT_EQ(session.document().path(), folder.path() / "week" / "cross.json");
    // An existing file is only a name to save under.
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    type(folder.path() / "week" / "");
    type(folder.path() / "week" / "a new name");
    EXPECT_TRUE(shows("seven/", path_line())) << "whatever name is typed";
    click_when_listed("cross.json");
    ASSERT_TRUE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_FALSE(shows_part("already exists", anywhere()));
    click("Cancel", path_line());
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    type(folder.path() / "week" / "new");
    click("OK", path_line());
    EXPECT_TRUE(fs::exists(folder.path() / "week" / "new.json"));
}

TEST_F(InPanels, WithoutADialogProgramThereIsNothingToBrowse) {
    const Folder folder;
    const std::string before = std::getenv("PATH");
    setenv("PATH", folder.path().c_str(), 1);
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    EXPECT_FALSE(shows("Browse…", anywhere()));
    EXPECT_TRUE(driver->app().ui.overlays.find<PathLine>());
    setenv("PATH", before.c_str(), 1);
}

// --- unsaved work of a crash

TEST_F(InPanels, AQuestionAboutAFileGoesWithItsDocument) {
    const Folder folder;
    replace_file(folder.path() / "old.json", "theirs");
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "old.json").string());
    enter();
    ASSERT_FALSE(driver->app().ui.overlays.find<PathLine>()->conflicts.empty());
    driver->push(
        {.kind = InputEvent::Kind::drop, .text = source_folder() + "/assets/scenes/cross.json"});
    driver->settle();
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    enter();
    EXPECT_EQ(read_file(folder.path() / "old.json"), "theirs");
}

class AfterACrash : public InPanels {
protected:
    AfterACrash() {
        session.edit("type", [](Scene& scene) {
            set_sentence(scene, 0, Side::queries, {"a", "b"});
        });
        file = folder.path() / "unsaved-left.json";
        replace_file(file, unsaved_bytes(*session.document().unsaved(session.view().show)));
        session.keeper().keep_in(folder.path());
        session.open(lesson_file);
        driver->app().ui.left_behind = {file};
    }
    const Rect& card() { return driver->app().panels.left_behind; }

    Folder folder;
    fs::path file;
};

TEST_F(AfterACrash, TheWorkIsRecoveredByAPress) {
    EXPECT_TRUE(shows("The last session ended with unsaved changes", card()));
    EXPECT_TRUE(shows_part("“Additive or multiplicative?”, kept on ", card()));
    click("Recover", card());
    EXPECT_EQ(tokens(), (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(session.document().is_saved());
    EXPECT_FALSE(shows("Recover", card()));
    session.keeper().end();
}

TEST_F(AfterACrash, TheCardCoversNothing) {
    for (const Point size : {Point{1366, 768}, Point{640, 480}}) {
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
        const Panels& at = driver->app().panels;
        EXPECT_GT(card().h, 0);
        for (const Rect* other : {&at.top_bar, &at.sidebar, &at.bench, &at.inspector,
                                  &at.lesson_head, &at.lesson_notes, &at.lesson_foot, &at.status})
            EXPECT_TRUE(other->w <= 0 || other->y >= card().bottom() ||
                        other->bottom() <= card().y);
        EXPECT_TRUE(shows("Recover", card()));
        EXPECT_TRUE(shows("Discard", card()));
    }
}

TEST_F(AfterACrash, OrDiscardedByTwo) {
    click("Discard", card());
    EXPECT_TRUE(fs::exists(file));
    click("Delete permanently", card());
    EXPECT_FALSE(fs::exists(file));
    EXPECT_FALSE(shows("Delete permanently", card()));
    EXPECT_EQ(tokens().size(), 6U);
}

TEST_F(AfterACrash, ButNotByADoubleClick) {
    driver->double_click(place("Discard", card()));
    EXPECT_TRUE(fs::exists(file));
    EXPECT_TRUE(shows("Delete permanently", card()));
}

TEST_F(AfterACrash, WorkOfThisSessionIsAskedAboutFirst) {
    session.edit("type", [](Scene& scene) { set_sentence(scene, 0, Side::queries, {"c"}); });
    click("Recover", card());
    EXPECT_TRUE(driver->app().ui.overlays.find<UnsavedQuestion>());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(tokens(), std::vector<std::string>{"c"});
    EXPECT_TRUE(fs::exists(file));
}

TEST_F(InPanels, AMessageTurnsQuiet) {
    session.say("No GPU found.");
    driver->settle();
    ASSERT_TRUE(next_frame_in(driver->app()));
    EXPECT_LE(*next_frame_in(driver->app()), seconds_of_news);
    EXPECT_GT(*next_frame_in(driver->app()), 0);
    const Point at = place("No GPU found.", driver->app().panels.status);
    const auto brightest = [&] {
        const ui::Pixels pixels = driver->pixels();
        int most = 0;
        for (double x = at.x - 30; x < at.x + 30; ++x)
            for (double y = at.y - 8; y < at.y + 8; ++y)
                most = std::max<int>(most, pixels.at(x, y).g);
        return most;
    };
    const int news = brightest();
    const auto clock = driver->app().clock;
    driver->app().clock = [clock] { return clock() + seconds_of_news; };
    driver->settle();
    EXPECT_LT(brightest(), news);
    EXPECT_FALSE(next_frame_in(driver->app()));
}

}  // namespace
}  // namespace maskscope
