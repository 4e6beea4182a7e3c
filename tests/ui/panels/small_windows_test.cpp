// Whatever is open, the window may be made as small as one pixel. This needs a test, because an
// assertion of ImGui ends the program if it gets a size of 0.

#include <imgui.h>

#include <cmath>

#include "app/session/files/load.h"
#include "core/format/scene_json.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class SmallWindows : public InPanels {
protected:
    void resize(Point size) {
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
    }
    // Opens something at the window's own size, then shrinks the window. Opens it again for each
    // size, because it may close in a small window.
    void try_all(const char* what, const std::function<void()>& open) {
        for (const Point size :
             {Point{800, 10}, Point{800, 5}, Point{800, 1}, Point{10, 800}, Point{1, 800},
              Point{1, 1}, Point{2, 2}, Point{16, 16}, Point{64, 48}, Point{320, 8}}) {
            SCOPED_TRACE(what + std::string(" at ") + std::to_string(size.x) + " × " +
                         std::to_string(size.y));
            resize({1600, 1000});
            open();
            driver->settle();
            resize(size);
            expect_numbers();
            driver->key(GLFW_KEY_TAB);
            driver->move({size.x / 2, size.y / 2});
            driver->click({size.x / 2, size.y / 2});
            expect_numbers();
            driver->key(GLFW_KEY_ESCAPE);
            driver->key(GLFW_KEY_ESCAPE);
            driver->app().ui.overlays.close<UnsavedQuestion>();
        }
        resize({1600, 1000});
        EXPECT_NO_THROW(check_scene(session.scene()));
    }
    void expect_numbers() {
        const ImDrawData& data = *ImGui::GetDrawData();
        for (int k = 0; k < data.CmdListsCount; ++k)
            for (const ImDrawVert& vertex : data.CmdLists[k]->VtxBuffer)
                ASSERT_TRUE(std::isfinite(vertex.pos.x) && std::isfinite(vertex.pos.y));
    }
    void open_lesson(const std::string& name) {
        const LoadedLesson loaded = load_lesson("lesson:" + name);
        session.open_lesson(loaded.lesson, loaded.folder);
        driver->settle();
    }
};

TEST_F(SmallWindows, OnTheBench) {
    try_all("the bench", [] {});
    try_all("Q, K and V", [&] { driver->key(GLFW_KEY_Q); });
    try_all("a token", [&] {
        driver->key(GLFW_KEY_RIGHT, GLFW_MOD_CONTROL);
        driver->key(GLFW_KEY_F2);
    });
    try_all("the editor", [&] { driver->key(GLFW_KEY_L, GLFW_MOD_CONTROL); });
}

TEST_F(SmallWindows, BelowSheets) {
    try_all("the export sheet", [&] { driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL); });
    try_all("a list of it", [&] {
        driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL);
        click("As in the window", rect_of<ExportSheet>(driver->app()));
    });
    try_all("the palette", [&] { driver->key(GLFW_KEY_P, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT); });
    try_all("the path line", [&] { driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL); });
    try_all("the help", [&] { driver->key(GLFW_KEY_F1); });
    try_all("a question", [&] {
        driver->key(GLFW_KEY_RIGHT, GLFW_MOD_CONTROL);
        driver->key(GLFW_KEY_P);
        driver->key(GLFW_KEY_N, GLFW_MOD_CONTROL);
    });
}

// 800 × 10 with a typed answer ended the program.
TEST_F(SmallWindows, WhilePresenting) {
    open_lesson("one-row");
    const auto present = [&] {
        if (!driver->app().ui.presenting) driver->key(GLFW_KEY_F5);
    };
    try_all("presenting", present);
    try_all("an answer", [&] {
        open_lesson("one-row");
        present();
        driver->key(GLFW_KEY_ENTER);
        EXPECT_TRUE(driver->app().gui.editing);
    });
    try_all("what if", [&] {
        present();
        driver->key(GLFW_KEY_TAB);
    });
    try_all("its keys", [&] {
        present();
        driver->key(GLFW_KEY_H);
    });
}

TEST_F(SmallWindows, OfEachLesson) {
    for (const std::string& name : lesson_names()) {
        open_lesson(name);
        for (const Point size : {Point{800, 10}, Point{1, 1}}) {
            resize(size);
            expect_numbers();
            resize({1600, 1000});
        }
    }
}

}  // namespace
}  // namespace maskscope
