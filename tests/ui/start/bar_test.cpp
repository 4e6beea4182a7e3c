// Tests the bar: its buttons keep their places, and a menu has the rest. Panels and theme are
// remembered.

#include "app/window/actions/actions.h"
#include "app/window/context/window_choices.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class OnBar : public InPanels {
protected:
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    void resize(double width, double height) {
        driver->push({.kind = InputEvent::Kind::resize, .at = {width, height}});
        driver->settle();
    }
    void open(const std::string& name) {
        open_lesson(name)(app());
        driver->settle();
    }
};

TEST_F(OnBar, ItsRightEndStaysWhateverIsOpen) {
    const std::vector<std::string> parts{"↶", "↷", "Explore", "Export", "⋯", "Present"};
    std::vector<Point> places;
    for (const std::string& part : parts) places.push_back(place(part, top_bar()));
    const auto expect_same = [&](const char* when) {
        for (std::size_t k = 0; k < parts.size(); ++k)
            EXPECT_EQ(place(parts[k], top_bar()), places[k]) << parts[k] << " " << when;
    };
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    expect_same("after an edit");
    session.go_to_step(10);
    while (session.view().asks() || has_solution_to_show(session)) session.next();
    expect_same("at a lesson's end");
    for (const BuiltInLesson& lesson : built_in_lessons()) {
        open(lesson.name);
        expect_same(lesson.name.c_str());
    }
    session.new_scene();
    expect_same("over a scene");
}

TEST_F(OnBar, WhatDoesNotFitIsInTheMenu) {
    std::size_t left_out = 0;
    for (const double width : {480, 640, 800, 1024, 1366, 1600})
        for (const double scale : {1.0, 1.5, 2.0}) {
            app().gui.scale = scale;
            resize(width, 768);
            EXPECT_TRUE(shows("⋯", top_bar())) << width;
            EXPECT_TRUE(shows("Present", top_bar())) << width;
            click("⋯", top_bar());
            for (const auto& [part, line] :
                 {std::pair{"↶", "Undo"}, {"↷", "Redo"}, {"Export", "Export…"}}) {
                const bool on_bar = shows(part, top_bar());
                EXPECT_NE(on_bar, shows(line, {0, top_bar().bottom(), width, 768}))
                    << line << " at " << width << ", " << scale;
                left_out += on_bar ? 0 : 1;
            }
            driver->key(GLFW_KEY_ESCAPE);
        }
    EXPECT_GT(left_out, 0u);
}

TEST_F(OnBar, TheMenuDoesWhatItSays) {
    choose("Write a lesson");
    EXPECT_TRUE(ui().lesson_editor);
    choose("Stop writing a lesson");
    EXPECT_FALSE(ui().lesson_editor);
    choose("Open…");
    EXPECT_TRUE(ui().overlays.find<PathLine>());
    driver->key(GLFW_KEY_ESCAPE);
    ui().overlays.close<PathLine>();
    choose("Save as…");
    ASSERT_TRUE(ui().overlays.find<PathLine>());
    EXPECT_EQ(ui().overlays.find<PathLine>()->purpose, PathLine::Purpose::save_as);
    ui().overlays.close<PathLine>();
    driver->app().gui.editing.reset();
    choose("Help");
    EXPECT_TRUE(ui().overlays.find<KeyHelp>());
    driver->key(GLFW_KEY_ESCAPE);
    choose("New scene");
    EXPECT_EQ(session.lesson(), nullptr);
}

// Typed text chooses a line; Enter presses it.
TEST_F(OnBar, AMenuIsUsedByItsWords) {
    click("⋯", top_bar());
    driver->type("theme: h");
    enter();
    EXPECT_EQ(session.view().theme, ThemeKind::high_contrast);
    EXPECT_FALSE(app().gui.list);
    click("⋯", top_bar());
    driver->type("lesson");
    enter();
    EXPECT_TRUE(ui().lesson_editor) << "a word within a line will do";
}

TEST_F(OnBar, TheThemeIsAMenuAndIsRemembered) {
    const Folder state;
    EXPECT_EQ(remembered_window(state.path()), WindowChoices());
    choose("Theme: light");
    EXPECT_EQ(session.view().theme, ThemeKind::light);
    EXPECT_TRUE(ui().choices.theme == ThemeKind::light);
    remember_window(state.path(), ui().choices);
    EXPECT_EQ(remembered_window(state.path()), ui().choices);
    click("⋯", top_bar());
    EXPECT_TRUE(shows("✓ Theme: light", anywhere()));
    driver->key(GLFW_KEY_ESCAPE);
    setenv("GTK_THEME", "Adwaita:dark", 1);
    choose("Theme: as the system");
    EXPECT_EQ(session.view().theme, ThemeKind::dark);
    remember_window(state.path(), ui().choices);
    EXPECT_FALSE(remembered_window(state.path()).theme);
    setenv("GTK_THEME", "HighContrast", 1);
    EXPECT_EQ(theme_of(remembered_window(state.path())), ThemeKind::high_contrast);
    unsetenv("GTK_THEME");
}

TEST_F(OnBar, TypeGrowsWithinItsSizesAndIsRemembered) {
    const Folder state;
    const double before = driver->app().gui.scale;
    choose("Larger type");
    EXPECT_NEAR(driver->app().gui.scale, 1.15 * before, 1e-9);
    for (int k = 0; k < 9; ++k) driver->key(GLFW_KEY_EQUAL, GLFW_MOD_CONTROL);
    EXPECT_NEAR(driver->app().gui.scale, 3 * before, 1e-9);
    remember_window(state.path(), ui().choices);
    EXPECT_EQ(remembered_window(state.path()).type, 3);
    for (int k = 0; k < 9; ++k) driver->key(GLFW_KEY_MINUS, GLFW_MOD_CONTROL);
    EXPECT_NEAR(driver->app().gui.scale, before, 1e-9);
}

TEST_F(OnBar, ADamagedFileOfChoicesIsSetAside) {
    const Folder state;
    EXPECT_EQ(set_damaged_window_aside(state.path()), "");
    for (const char* text : {"{", "[]", "{\"theme\": 3}"}) {
        std::ofstream(state.path() / "window.json") << text;
        EXPECT_EQ(remembered_window(state.path()), WindowChoices()) << text;
        EXPECT_NE(set_damaged_window_aside(state.path()), "") << text;
        EXPECT_FALSE(fs::exists(state.path() / "window.json")) << text;
    }
    std::ofstream(state.path() / "window.json") << R"({"theme": "of next year"})";
    EXPECT_EQ(remembered_window(state.path()), WindowChoices());
}

TEST_F(OnBar, ALessonBeginsWithItsPanelsClosed) {
    const Point explore = place("Explore", top_bar());
    session.new_scene();
    driver->settle();
    EXPECT_GT(sidebar().w, 0);
    driver->key(GLFW_KEY_2, GLFW_MOD_CONTROL);
    EXPECT_EQ(inspector().w, 0);
    open("heads");
    EXPECT_EQ(sidebar().w, 0);
    EXPECT_EQ(inspector().w, 0);
    driver->click(explore);
    EXPECT_GT(sidebar().w, 0);
    EXPECT_GT(inspector().w, 0);
    open("one-row");
    EXPECT_GT(sidebar().w, 0) << "from lesson to lesson it stays";
    driver->click(explore);
    EXPECT_EQ(sidebar().w, 0);
    session.new_scene();
    driver->settle();
    EXPECT_GT(sidebar().w, 0) << "as it was at the last scene";
    EXPECT_EQ(inspector().w, 0);
    EXPECT_FALSE(ui().choices.sidebar_folded);
    EXPECT_TRUE(ui().choices.inspector_folded);
}

// Writing a lesson keeps the panels.
TEST_F(OnBar, WritingALessonFoldsNothing) {
    session.new_scene();
    driver->settle();
    driver->key(GLFW_KEY_L, GLFW_MOD_CONTROL);
    session.begin_lesson();
    driver->settle();
    ASSERT_TRUE(session.lesson());
    EXPECT_GT(sidebar().w, 0);
}

TEST_F(OnBar, TheFinderKnowsEveryStepOfEveryLesson) {
    click(session.lesson()->title, top_bar());
    driver->type("exercise");
    std::size_t exercises = 0, found = 0;
    for (const BuiltInLesson& lesson : built_in_lessons())
        for (const BuiltInStep& step : lesson.steps) exercises += step.exercise ? 1 : 0;
    ASSERT_GT(exercises, 0u);
    for (const auto k : matching(ui().overlays.find<Palette>()->entries, "exercise"))
        found +=
            ui().overlays.find<Palette>()->entries[k].keys.find("exercise") != std::string::npos
                ? 1
                : 0;
    EXPECT_EQ(found, exercises);
    EXPECT_TRUE(shows_part("exercise", rect_of<Palette>(app())));
    enter();
    ASSERT_TRUE(session.lesson());
    EXPECT_TRUE(session.lesson()->steps[session.document().step].exercise);
}

}  // namespace
}  // namespace maskscope
