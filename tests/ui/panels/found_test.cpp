// Tests what a newcomer looks for: presenting, lessons, help, files and folded panels, with the
// mouse only.

#include <chrono>
#include <thread>

#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Found : public InPanels {
protected:
    const Ui& ui() { return driver->app().ui; }
    Rect menu() { return rect_of<Palette>(driver->app()); }
    void resize(double width, double height) {
        driver->push({.kind = InputEvent::Kind::resize, .at = {width, height}});
        driver->settle();
    }
    // Waits until the path line lists this name, which happens in the background, and clicks it.
    void click_when_listed(const std::string& name) {
        for (int k = 0; k < 12'000 && !shows(name, path_line()); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        click(name, path_line());
    }
    std::string title() { return "Additive or multiplicative?"; }
};

TEST_F(Found, PresentAndHelpAreOnTheBarAtAnyWidth) {
    for (const double width : {800, 1024, 1366, 1600, 2560}) {
        resize(width, 768);
        EXPECT_TRUE(shows("Present", top_bar())) << width;
        EXPECT_TRUE(shows("⋯", top_bar())) << width;
        EXPECT_TRUE(shows_part("Addi", top_bar())) << width;
        EXPECT_TRUE(shows("▾", top_bar())) << width;
    }
    resize(1600, 1000);
    choose("Help");
    EXPECT_TRUE(ui().overlays.find<KeyHelp>());
    driver->key(GLFW_KEY_ESCAPE);
    click("Present", top_bar());
    EXPECT_TRUE(ui().presenting);
}

TEST_F(Found, TheTitleIsAMenuOfLessonsStepsAndFiles) {
    click(title(), top_bar());
    ASSERT_TRUE(ui().overlays.find<Palette>());
    EXPECT_TRUE(shows("Lesson: " + title(), menu()));
    EXPECT_TRUE(shows("open, 0 / 11", menu()));
    EXPECT_TRUE(shows("0 / 8", menu()));
    click("Additive or multiplicative?, step 4: The dominated row", menu());
    EXPECT_EQ(session.document().step, 3);
    click(title(), top_bar());
    click("Lesson: Padding and NaN rows", menu());
    EXPECT_EQ(session.lesson()->title, "Padding and NaN rows");
}

TEST_F(Found, TheEndOfALessonOffersTheNext) {
    EXPECT_FALSE(shows("Next lesson ›", lesson_head()));
    session.go_to_step(10);
    if (session.view().asks()) session.next();
    click("Next lesson ›", lesson_head());
    EXPECT_EQ(session.lesson()->title, "Padding and NaN rows");
    EXPECT_EQ(session.document().step, 0);
}

// The course starts with two steps of a lesson, and returns to that lesson later.
TEST_F(Found, TheCourseLeavesALessonAndComesBack) {
    session.open(source_folder() + "/assets/lessons/break-it.json");
    session.go_to_step(1);
    if (session.view().asks()) session.next();
    EXPECT_TRUE(shows("Stay in this lesson ›", lesson_head())) << "the lesson goes on, too";
    click("Next lesson ›", lesson_head());
    EXPECT_EQ(session.lesson()->name, "additive-or-multiplicative");
    EXPECT_EQ(session.document().step, 0);
    session.open(source_folder() + "/assets/lessons/masks-of-models.json");
    session.go_to_step(static_cast<int>(session.lesson()->steps.size()) - 1);
    while (session.view().asks() || has_solution_to_show(session)) session.next();
    click("Next lesson ›", lesson_head());
    EXPECT_EQ(session.lesson()->name, "break-it");
    EXPECT_EQ(session.document().step, 2);
}

TEST_F(Found, TheLastLessonEndsTheCourse) {
    session.open(source_folder() + "/assets/lessons/scoring-functions.json");
    session.go_to_step(static_cast<int>(session.lesson()->steps.size()) - 1);
    if (session.view().asks()) session.next();
    EXPECT_FALSE(shows("Next lesson ›", lesson_head()));
}

TEST_F(Found, HandlesFoldThePanels) {
    const auto middle = [&] {
        const Rect& bench = driver->app().panels.bench;
        return bench.y + bench.h / 2;
    };
    driver->click({sidebar().right() - 14, middle()});
    EXPECT_EQ(sidebar().w, 0);
    driver->click({5, middle()});
    EXPECT_GT(sidebar().w, 0);
    driver->click({inspector().x + 6, middle()});
    EXPECT_EQ(inspector().w, 0);
    driver->click({1600 - 14, middle()});
    EXPECT_GT(inspector().w, 0);
}

TEST_F(Found, AFileIsOpenedWithTheMouse) {
    const Folder folder;
    fs::create_directory(folder.path() / "scenes");
    fs::copy_file(source_folder() + "/assets/scenes/cross.json",
                  folder.path() / "scenes" / "cross.json");
    choose("Open…");
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type(folder.path().string() + "/");
    click_when_listed("scenes/");
    click_when_listed("cross.json");
    EXPECT_EQ(session.document().path(), folder.path() / "scenes" / "cross.json");
    EXPECT_FALSE(ui().overlays.find<PathLine>());
}

TEST_F(Found, AClickBesideTheNamesKeepsTheLineOpen) {
    choose("Open…");
    driver->settle();
    const Rect line = path_line();
    driver->click({line.x + 30, line.y + 60});
    EXPECT_TRUE(ui().overlays.find<PathLine>());
    driver->click({800, 700});
    EXPECT_FALSE(ui().overlays.find<PathLine>());
}

TEST_F(Found, EnterReplacesWhereItIsAskedAndNothingElse) {
    const Folder folder;
    const fs::path file = folder.path() / "scene.json";
    std::ofstream(file) << "theirs";
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type(file.string());
    enter();
    ASSERT_TRUE(ui().overlays.find<PathLine>());
    driver->key(GLFW_KEY_SPACE);
    EXPECT_FALSE(ui().bench.number_asked);
    EXPECT_EQ(fs::file_size(file), 6u);
    enter();
    EXPECT_FALSE(ui().overlays.find<PathLine>());
    EXPECT_FALSE(ui().bench.number);
    EXPECT_GT(fs::file_size(file), 6u);
}

}  // namespace
}  // namespace maskscope
