// Tests the table of keys as a whole, and keys that have more than one meaning.

#include <map>

#include "app/window/actions/shortcuts.h"
#include "core/base/build.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Table : public InPanels {
protected:
    App& app() { return driver->app(); }
};

TEST_F(Table, NoKeyIsThereTwice) {
    std::map<std::string, int> rows;
    for (const Shortcut& row : shortcuts())
        for (const KeyScope when : {KeyScope::bench, KeyScope::presenting})
            if (row.when == KeyScope::always || row.when == when)
                ++rows[std::string(row.keys) + (when == KeyScope::bench ? "" : ", presenting")];
    for (const auto& [name, count] : rows) EXPECT_EQ(count, 1) << name;
}

TEST_F(Table, ARowThatSaysWhyItCannotActDoesNothing) {
    driver->settle();
    for (const Shortcut& row : shortcuts()) {
        if (row.why_not == nullptr || row.why_not(app()).empty()) continue;
        const Scene before = scene();
        const View view = session.view();
        row.act(app());
        EXPECT_EQ(scene(), before) << row.keys;
        EXPECT_EQ(session.view(), view) << row.keys;
        EXPECT_EQ(session.document().step, 0) << row.keys;
        EXPECT_FALSE(app().gui.editing) << row.keys;
    }
}

TEST_F(Table, TypingIntoAFieldPressesNoKey) {
    click("Type a sentence…");
    driver->type("?");
    EXPECT_FALSE(app().ui.overlays.find<KeyHelp>());
    ASSERT_TRUE(app().gui.editing);
    EXPECT_EQ(app().gui.editing->field.text(), "?");
    driver->key(GLFW_KEY_LEFT, GLFW_MOD_CONTROL);
    EXPECT_TRUE(app().gui.editing) << "the caret goes a word back";
    EXPECT_FALSE(app().ui.sidebar.selected);
}

TEST_F(Table, TheKeypadEntersToo) {
    driver->key(GLFW_KEY_TAB);  // the title
    driver->key(GLFW_KEY_TAB);  // the dot of the first step
    driver->key(GLFW_KEY_TAB);  // and of the second
    driver->key(GLFW_KEY_KP_ENTER);
    EXPECT_EQ(session.document().step, 1);
}

TEST_F(Table, TokensOfCrossAttentionAreOneRow) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/scenes/cross.json"));
    const auto queries = static_cast<Index>(scene().sequences[0].queries.size());
    const auto keys = static_cast<Index>(scene().sequences[0].keys->size());
    for (Index k = 0; k < queries + keys + 3; ++k) driver->key(GLFW_KEY_RIGHT, GLFW_MOD_CONTROL);
    EXPECT_EQ(app().ui.sidebar.selected, (TokenRef{0, Side::keys, keys - 1}))
        << "the cursor stays at the end";
    for (Index k = 0; k < keys; ++k) driver->key(GLFW_KEY_LEFT, GLFW_MOD_CONTROL);
    EXPECT_EQ(app().ui.sidebar.selected, (TokenRef{0, Side::queries, queries - 1}));
}

TEST_F(Table, SpaceEditsTheChosenVariantWhereMasksDiffer) {
    session.edit("", [](Scene& s) { s.variants[1].mask.layers.clear(); });
    driver->move({1, 1});
    session.view().show.focus = Cell{2, 1};
    app().ui.sidebar.variant = 1;
    driver->key(GLFW_KEY_SPACE);
    EXPECT_TRUE(is_allowed(scene(), 0, 0, 0, {2, 1}));
    EXPECT_FALSE(is_allowed(scene(), 1, 0, 0, {2, 1}));
}

}  // namespace
}  // namespace maskscope
