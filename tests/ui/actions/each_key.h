#pragma once
// Checks each row of the table of shortcuts by its keys. Shared by the tests of keys.

#include "app/window/actions/shortcuts.h"

#include <functional>
#include <map>

#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
// Names a row by its keys and its mode, because keys act differently while presenting.
inline std::string name_of(const Shortcut& row) {
    return std::string(row.keys) + (row.when == KeyScope::presenting ? ", presenting" : "");
}

class EachKey : public InPanels, public ::testing::WithParamInterface<std::size_t> {
protected:
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    Show& show() { return session.view().show; }

    void press(const Shortcut& row) {
        if (row.typed.empty())
            driver->key(row.key, row.modifiers);
        else
            driver->type(std::string(row.typed));
    }
    // Presses the row under test, and checks that it does something.
    void press() {
        driver->settle();
        const ui::Pixels before = driver->pixels();
        press(shortcuts()[GetParam()]);
        EXPECT_TRUE(before.colours != driver->pixels().colours) << "the picture does not show it";
    }

    void edit_something() {
        session.edit("block a cell", [](Scene& s) { set_allowed(s, {0, 1}, 0, 0, {1, 0}, false); });
    }
    void select(Index k) { ui().sidebar.selected = TokenRef{0, Side::queries, k}; }
    void give_heads(Index count) {
        session.edit("", [count](Scene& s) { set_heads(s, count); });
    }
    bool shows_stage(StageKind stage) { return maskscope::shows_stage(session.view(), stage); }
    ViewKind view() { return show().view.value_or(ViewKind::pipeline); }
    int next_star_from(int step, int way) {
        const auto& steps = session.lesson()->steps;
        do step += way;
        while (!steps.at(static_cast<std::size_t>(step)).star);
        return step;
    }

    void put_cursor(Cell cell) {
        show().focus = cell;
        if (ui().presenting)
            ui().presenting->moved_in = session.entered();  // no longer on the ring
    }

    // --- a check for each kind of row

    void moves_cursor(Index down, Index right) {
        put_cursor({2, 2});
        press();
        EXPECT_EQ(show().focus, (Cell{2 + down, 2 + right}));
    }
    void moves_step(int by) {
        session.go_to_step(1);
        driver->key(GLFW_KEY_L, GLFW_MOD_CONTROL);
        const std::string title = session.lesson()->steps[1].title;
        press();
        EXPECT_EQ(session.lesson()->steps[1 + by].title, title);
        EXPECT_EQ(session.document().step, 1 + by) << "it stays shown";
    }
    void toggles_stage(StageKind stage) {
        const bool before = shows_stage(stage);
        press();
        EXPECT_NE(shows_stage(stage), before);
        press();
        EXPECT_EQ(shows_stage(stage), before);
    }
    void jumps_to_head(Index h) {
        give_heads(9);
        show().heads = std::vector<Index>{h == 0 ? 8 : 0};
        press();
        EXPECT_EQ(show().heads, std::vector<Index>{h});
    }
    void opens_line(PathLine::Purpose purpose) {
        press();
        ASSERT_TRUE(ui().overlays.find<PathLine>());
        EXPECT_EQ(ui().overlays.find<PathLine>()->purpose, purpose);
        EXPECT_TRUE(app().gui.editing) << "it has the keyboard";
    }
    void presents() {
        press();
        EXPECT_TRUE(ui().presenting);
        press();
        EXPECT_FALSE(ui().presenting);
    }
    void blanks() {
        press();
        EXPECT_TRUE(ui().presenting->blank);
        press();
        EXPECT_FALSE(ui().presenting->blank);
    }
    void turns_what_if(int back) {
        driver->key(GLFW_KEY_TAB);
        const Scene before = scene();
        press();
        EXPECT_NE(scene(), before);
        EXPECT_EQ(session.shown().scene, scene());
        driver->key(back);
        EXPECT_EQ(scene(), before) << "the other way leads back";
    }
    void redoes() {
        edit_something();
        const Scene edited = scene();
        session.undo();
        press();
        EXPECT_EQ(scene(), edited);
    }
    void opens_key_help() {
        press();
        EXPECT_TRUE(ui().presenting ? ui().presenting->keys
                                    : ui().overlays.find<KeyHelp>() != nullptr);
        press();
        EXPECT_FALSE(ui().presenting ? ui().presenting->keys
                                     : ui().overlays.find<KeyHelp>() != nullptr);
    }

    using Check = std::function<void(EachKey&)>;
    static const std::map<std::string, Check>& checks();
    static std::map<std::string, Check> lesson_checks();
    static std::map<std::string, Check> token_checks();
    static std::map<std::string, Check> bench_checks();
    static std::map<std::string, Check> file_checks();
    static std::map<std::string, Check> presenting_checks();
};

}  // namespace maskscope
