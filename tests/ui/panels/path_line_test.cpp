// The top bar and the line in which a path is typed.

#include "app/commands/export.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

// --- the top bar, the path line

TEST_F(InPanels, TheArrowsTurnTheSteps) {
    ASSERT_EQ(session.step(), 0);
    click("›", top_bar());
    EXPECT_EQ(session.step(), 1);
    click("‹", top_bar());
    EXPECT_EQ(session.step(), 0);
    EXPECT_TRUE(shows("★ 1 / 9", top_bar()));
}

TEST_F(InPanels, TheThemeTurns) {
    click("Theme", top_bar());
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
    ASSERT_TRUE(driver->app().ui.path_line);
    type_path((folder.path() / "scene.json").string());
    enter();
    EXPECT_FALSE(driver->app().ui.path_line);
    ASSERT_TRUE(fs::exists(folder.path() / "scene.json"));
    EXPECT_TRUE(session.is_saved());

    // Over a file of somebody else it asks first.
    std::ofstream(folder.path() / "other.json") << "theirs";
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    type_path((folder.path() / "other.json").string());
    enter();
    EXPECT_TRUE(shows_part("exists already", anywhere()));
    EXPECT_EQ(fs::file_size(folder.path() / "other.json"), 6u);
    click("Cancel", driver->app().panels.path_line);
    EXPECT_FALSE(driver->app().ui.path_line);

    session.open(lesson_file);
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    type_path((folder.path() / "sc").string());
    driver->key(GLFW_KEY_TAB);
    enter();
    EXPECT_EQ(session.path(), folder.path() / "scene.json");
    EXPECT_EQ(session.lesson(), nullptr);
}

TEST_F(InPanels, AFileThatIsMissingIsSaidAndTheLineStays) {
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("/nowhere/at/all.json");
    enter();
    EXPECT_TRUE(driver->app().ui.path_line);
    EXPECT_TRUE(session.message() && session.message()->wrong);
    EXPECT_NE(session.lesson(), nullptr) << "what was open stays";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().ui.path_line);
}

TEST_F(InPanels, TheBenchIsExportedAsTheCommandLineExportsTheSavedScene) {
    const Folder folder;
    const auto bytes = [&](const std::string& name) {
        std::ifstream file(folder.path() / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    session.view().zoom = {0.2, 0.2, 0.6, 0.6};  // never enters a figure
    click("Export", top_bar());
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "figure.png").string());
    enter();
    EXPECT_FALSE(driver->app().ui.path_line);
    EXPECT_EQ(bytes("figure.png").substr(1, 3), "PNG");
    ASSERT_TRUE(session.save_as(folder.path() / "scene.json", false));
    export_figure((folder.path() / "scene.json").string(), (folder.path() / "again.png").string(),
                  {});
    EXPECT_EQ(bytes("figure.png"), bytes("again.png"));
}

TEST_F(InPanels, AnotherFormatIsRefusedByName) {
    const Folder folder;
    driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL);
    driver->settle();
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "figure.svg").string());
    enter();
    EXPECT_TRUE(fs::is_empty(folder.path()));
    ASSERT_TRUE(session.message());
    EXPECT_NE(session.message()->text.find("only .png can be written"), std::string::npos);
}

}  // namespace
}  // namespace maskscope
