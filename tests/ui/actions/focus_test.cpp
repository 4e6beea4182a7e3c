// Tests the focus: Tab goes through the controls, a ring shows which one has the keyboard, and
// Enter and Space press it.

#include "app/window/widgets/focus.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InFocus : public InPanels {
protected:
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    void tab(int modifiers = 0) { driver->key(GLFW_KEY_TAB, modifiers); }
    void space() {  // as a keyboard sends it
        driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_SPACE, .down = true});
        driver->push({.kind = InputEvent::Kind::text, .text = " "});
        driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_SPACE, .down = false});
        driver->settle();
    }
    std::optional<Rect> ring() { return app().gui.focus.ring; }
    bool says_in_ring(const std::string& text, const Rect& within) {
        if (!ring()) return false;
        for (const auto& drawn : app().labels->drawn()) {
            const Point middle{drawn.rect.x + drawn.rect.w / 2, drawn.rect.y + drawn.rect.h / 2};
            if (drawn.text == text && ring()->contains(middle) && within.contains(middle))
                return true;
        }
        return false;
    }
    // Tabs until the control that says `text` has the focus.
    void tab_to(const std::string& text, const Rect& within) {
        for (std::size_t k = 0; k < 200; ++k) {
            tab();
            if (says_in_ring(text, within)) return;
        }
        FAIL() << "Tab never comes to " << text;
    }
    static bool is_nearly(Colour a, Colour b) {
        constexpr int blended = 2;  // the edge of a line is blended in eight bits
        return std::abs(a.r - b.r) <= blended && std::abs(a.g - b.g) <= blended &&
               std::abs(a.b - b.b) <= blended;
    }
    // Returns the pixels of the ring on its four sides, in the middle of its width.
    std::vector<Colour> ring_colours() {
        const Rect rect = *ring();
        const double out = 3 * app().gui.scale;
        const ui::Pixels pixels = driver->pixels();
        const double x = rect.x + rect.w / 2, y = rect.y + rect.h / 2;
        return {pixels.at(x, rect.y - out), pixels.at(x, rect.bottom() + out - 1),
                pixels.at(rect.x - out, y), pixels.at(rect.right() + out - 1, y)};
    }
};

TEST_F(InFocus, TabComesThroughAllPanelsAndAround) {
    ui().sidebar.variant = 0;
    tab();
    const auto first = app().gui.focus.of[0];
    std::set<unsigned> seen;
    std::set<std::string> panels;
    const Panels& at = app().panels;
    const std::vector<std::pair<std::string, const Rect*>> all = {{"top bar", &at.top_bar},
                                                                  {"sidebar", &at.sidebar},
                                                                  {"bench", &at.bench},
                                                                  {"inspector", &at.inspector},
                                                                  {"status", &at.status}};
    do {
        ASSERT_TRUE(ring()) << "what has the focus is drawn";
        EXPECT_TRUE(seen.insert(*app().gui.focus.of[0]).second) << "each control once";
        const Point middle{ring()->x + ring()->w / 2, ring()->y + ring()->h / 2};
        for (const auto& [name, rect] : all)
            if (rect->contains(middle)) panels.insert(name);
        tab();
    } while (app().gui.focus.of[0] != first && seen.size() < 200);
    EXPECT_EQ(seen.size(), app().gui.focus.order.size());
    EXPECT_EQ(panels.size(), all.size());
    tab(GLFW_MOD_SHIFT);
    tab();
    EXPECT_EQ(app().gui.focus.of[0], first) << "Shift+Tab goes back";
}

TEST_F(InFocus, TheRingIsSeenInEachTheme) {
    constexpr double seen = 3;  // WCAG 2, contrast of anything except text
    tab_to("Luke", sidebar());
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light, ThemeKind::high_contrast}) {
        session.view().theme = kind;
        driver->settle();
        const Colour ink = theme(kind)[Role::ink];
        for (const Colour colour : ring_colours()) EXPECT_TRUE(is_nearly(colour, ink));
        for (const Role ground : {Role::ground, Role::panel, Role::raised})
            EXPECT_GE(contrast(ink, theme(kind)[ground]), seen);
    }
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ring());
}

TEST_F(InFocus, TheRingGrowsWithTheScale) {
    app().gui.scale = 2;
    tab();
    for (const Colour colour : ring_colours())
        EXPECT_TRUE(is_nearly(colour, theme(ThemeKind::dark)[Role::ink]));
}

TEST_F(InFocus, EnterAndSpacePress) {
    tab_to("Explore", top_bar());
    enter();
    EXPECT_TRUE(ui().sidebar.folded);
    space();
    EXPECT_FALSE(ui().sidebar.folded);
    tab_to("Causal", sidebar());
    space();
    EXPECT_TRUE(scene().variants[0].mask.layers.empty());
    space();
    EXPECT_EQ(scene().variants[0].mask.layers.size(), 1U) << "the same row, pressed again";
    tab_to("Output plane", app().panels.bench);
    enter();
    EXPECT_EQ(session.view().show.view, ViewKind::plane);
}

TEST_F(InFocus, SpaceIsTheCellsWhereNothingHasTheFocus) {
    session.view().show.focus = Cell{2, 1};
    tab();
    driver->key(GLFW_KEY_ESCAPE);
    space();
    EXPECT_FALSE(is_allowed(scene(), 0, 0, 0, {2, 1}));
}

TEST_F(InFocus, WhatHasTheFocusIsScrolledToWhereItIsSeen) {
    ui().sidebar.open();  // a drawer
    driver->push({.kind = InputEvent::Kind::resize, .at = {1024, 500}});
    ui().sidebar.variant = 1;
    driver->settle();
    tab_to("+ variant", sidebar());
    EXPECT_GE(ring()->y, sidebar().y);
    EXPECT_LE(ring()->bottom(), sidebar().bottom());
}

TEST_F(InFocus, AListIsChosenFromByKeys) {
    tab_to("+ rule", sidebar());
    enter();
    ASSERT_TRUE(app().gui.list);
    const ui::Pixels before = driver->pixels();
    driver->key(GLFW_KEY_END);
    EXPECT_TRUE(before.colours != driver->pixels().colours) << "the row is marked";
    enter();
    EXPECT_FALSE(app().gui.list);
    EXPECT_EQ(scene().variants[0].mask.layers.back().kind, LayerKind::tree);
    tab_to("Default colours", app().panels.bench);
    space();
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_UP);
    space();
    EXPECT_EQ(session.view().colouring.map, ColourMap::viridis);
}

TEST_F(InFocus, AListNearTheEdgeOpensUpwards) {
    driver->push({.kind = InputEvent::Kind::resize, .at = {1024, 420}});
    ui().sidebar.open();  // a drawer
    driver->settle();
    tab_to("+ rule", sidebar());
    const Rect combo = *ring();
    enter();
    const auto row = find("ALiBi", {0, 0, 1024, 420});
    ASSERT_TRUE(row);
    EXPECT_TRUE(!Rect(combo).contains(*row));
}

TEST_F(InFocus, AFieldIsEnteredAndLeftByKeys) {
    tab_to("Type a sentence…", sidebar());
    space();
    ASSERT_TRUE(app().gui.editing);
    EXPECT_EQ(app().gui.editing->field.text(), "")
        << "the space that opened the field is not typed";
    driver->type("a b");
    enter();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(anything_has_focus(app().gui)) << "Tab goes on from here";
    tab_to("391", sidebar());  // the seed
    enter();
    driver->type("12");
    tab();
    EXPECT_EQ(std::get<EmbeddingInputs>(scene().inputs).seed, 12U) << "Tab commits";
    ASSERT_TRUE(ring());
    EXPECT_TRUE(says_in_ring("1", sidebar())) << "and goes on to the heads";
    tab(GLFW_MOD_SHIFT);
    enter();
    driver->type("13");
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(std::get<EmbeddingInputs>(scene().inputs).seed, 12U);
    EXPECT_TRUE(anything_has_focus(app().gui));
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(anything_has_focus(app().gui));
}

TEST_F(InFocus, AClickTakesItAndTabGoesOnFromThere) {
    tab();
    click("Explore", top_bar());
    EXPECT_FALSE(ring());
    tab();
    const auto beside = find("Export", top_bar());
    ASSERT_TRUE(beside && ring());
    EXPECT_TRUE(ring()->contains(*beside));
}

TEST_F(InFocus, StaysInPlaceIfAButtonDisappears) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    tab_to("↶", top_bar());
    enter();
    EXPECT_EQ(tokens()[4], "Luke");
    EXPECT_FALSE(ring()) << "nothing is left to undo";
    tab();
    const auto redo = find("↷", top_bar());
    ASSERT_TRUE(redo && ring());
    EXPECT_TRUE(ring()->contains(*redo));
}

TEST_F(InFocus, AQuestionHasItsOwnAndGivesBack) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    tab_to("⋯", top_bar());
    const auto button = app().gui.focus.of[0];
    enter();
    enter();  // the menu's first line is a new scene
    ASSERT_TRUE(ui().overlays.find<UnsavedQuestion>())
        << "the Enter that raised the question does not answer it";
    EXPECT_FALSE(ring()) << "what lies below has no ring";
    tab_to("Cancel", anywhere());
    enter();
    EXPECT_FALSE(ui().overlays.find<UnsavedQuestion>());
    EXPECT_NE(session.lesson(), nullptr);
    EXPECT_EQ(app().gui.focus.of[0], button);
    EXPECT_TRUE(ring());
    enter();
    enter();
    tab_to("Don't save", anywhere());
    space();
    EXPECT_FALSE(ui().overlays.find<UnsavedQuestion>());
    EXPECT_EQ(session.lesson(), nullptr);
}

TEST_F(InFocus, ATokenIsSelectedAndRenamedWithoutTheMouse) {
    tab_to("Luke", sidebar());
    enter();
    EXPECT_EQ(ui().sidebar.selected, (TokenRef{0, Side::queries, 4}));
    driver->key(GLFW_KEY_F2);
    driver->type("Leia");
    enter();
    EXPECT_EQ(tokens()[4], "Leia");
}

}  // namespace
}  // namespace maskscope
