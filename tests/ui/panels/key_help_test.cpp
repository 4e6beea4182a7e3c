// The key help: all of the table, whole, at any size of the window; and what closes it.

#include <imgui.h>

#include <algorithm>

#include "app/figure/style/labels.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/panels/key_help_lines.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Sheet : public InPanels {
protected:
    App& app() { return driver->app(); }
    void resize(Point size, double ui_scale) {
        app().gui.scale = ui_scale;
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
    }
    // Everything that is drawn within the help, as it is scrolled now.
    void collect(std::vector<LabelAtlas::Drawn>& seen) {
        for (const auto& drawn : app().labels->drawn())
            if (app().panels.key_help.contains({drawn.rect.x + 1, drawn.rect.y}) &&
                app().panels.key_help.contains({drawn.rect.right() - 1, drawn.rect.bottom()}))
                seen.push_back(drawn);
    }
};

TEST(SheetLines, HoldEveryRowOfTheTable) {
    for (const Shortcut& row : shortcuts()) {
        const std::string_view what = row.family.empty() ? row.what : row.family;
        const auto blocks = key_help_blocks();
        const bool found = std::ranges::any_of(blocks, [&](const KeyHelpBlock& block) {
            return block.heading == heading_of(row.group) &&
                   std::ranges::any_of(block.lines,
                                       [&](const KeyHelpLine& line) { return line.what == what; });
        });
        EXPECT_TRUE(found) << row.keys;
    }
}

TEST(SheetLines, SayWhatKeysShareOnce) {
    EXPECT_EQ(keys_together({"R"}), "R");
    EXPECT_EQ(keys_together({"F5", "F11"}), "F5, F11");
    EXPECT_EQ(keys_together({"Ctrl+Left", "Ctrl+Right"}), "Ctrl+Left, Right");
    EXPECT_EQ(keys_together({"Ctrl+Shift+Z", "Ctrl+Y"}), "Ctrl+Shift+Z, Ctrl+Y");
    EXPECT_EQ(keys_together({"1", "2", "3", "4", "5"}), "1 … 5");
    EXPECT_EQ(keys_together({"Alt+1", "Alt+2", "Alt+3", "Alt+4", "Alt+5"}), "Alt+1 … 5");
}

// In rooms from a wall to a hall's 1024 × 768 at twice the size: each word is there, and whole.
TEST_F(Sheet, ShowsEveryLineWhole) {
    struct Room {
        Point size;
        double scale;
    };
    for (const Room& room : {Room{{1600, 1000}, 1}, Room{{1280, 720}, 1}, Room{{1024, 768}, 1},
                             Room{{1024, 768}, 2}, Room{{1600, 1000}, 2}}) {
        resize(room.size, room.scale);
        driver->type("?");
        std::vector<LabelAtlas::Drawn> seen;
        for (int page = 0; page < 12; ++page) {
            collect(seen);
            driver->key(GLFW_KEY_PAGE_DOWN);
        }
        for (const KeyHelpBlock& block : key_help_blocks())
            for (const KeyHelpLine& line : block.lines)
                for (const std::string& text : {line.keys, line.what}) {
                    const auto whole = [&](const LabelAtlas::Drawn& drawn) {
                        const TextStyle style{.size = 13 * room.scale};
                        return drawn.text == text && drawn.rect.w + 2 >= measure(text, style).width;
                    };
                    EXPECT_TRUE(std::ranges::any_of(seen, whole))
                        << text << " at " << room.size.x << " x " << room.size.y << ", "
                        << room.scale;
                }
        driver->key(GLFW_KEY_ESCAPE);
    }
}

TEST_F(Sheet, EscapeTheSameKeyAndAClickBesideCloseIt) {
    driver->type("?");
    ASSERT_TRUE(app().ui.key_help_open);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(app().ui.key_help_open);
    driver->type("?");
    driver->type("?");
    EXPECT_FALSE(app().ui.key_help_open);
    driver->key(GLFW_KEY_F1);
    driver->key(GLFW_KEY_F1);
    EXPECT_FALSE(app().ui.key_help_open);
    const Scene before = scene();
    driver->type("?");
    driver->click({800, 500});
    EXPECT_TRUE(app().ui.key_help_open) << "a click on it is none beside it";
    driver->click(place("Theme", top_bar()));
    EXPECT_FALSE(app().ui.key_help_open);
    EXPECT_EQ(session.view().theme, ThemeKind::dark) << "what lies below it was not pressed";
    EXPECT_EQ(scene(), before);
}

TEST_F(Sheet, KeysBelowItRest) {
    driver->type("?");
    const Scene before = scene();
    const View view = session.view();
    for (const Shortcut& row : shortcuts())
        if (row.typed.empty() && row.key != GLFW_KEY_ESCAPE && row.key != GLFW_KEY_F1)
            driver->key(row.key, row.modifiers);
    EXPECT_TRUE(app().ui.key_help_open);
    EXPECT_EQ(scene(), before);
    EXPECT_EQ(session.view(), view);
    EXPECT_FALSE(app().ui.presenting);
}

}  // namespace
}  // namespace maskscope
