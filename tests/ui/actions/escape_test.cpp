// Each press of Escape closes one thing that is open, the innermost first.

#include <functional>

#include "app/window/widgets/focus.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class Escape : public InPanels {
protected:
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    View& view() { return session.view(); }
    void key(int code, int modifiers = 0) { driver->key(code, modifiers); }

    // Opens something, checks that it is open, and that one Escape closes it and does nothing else.
    void leads_out_of(const std::string& what, const std::function<void()>& open,
                      const std::function<bool()>& is_open) {
        open();
        driver->settle();
        ASSERT_TRUE(is_open()) << what;
        const Scene before = scene();
        key(GLFW_KEY_ESCAPE);
        EXPECT_FALSE(is_open()) << what;
        EXPECT_EQ(scene(), before) << what;
        EXPECT_EQ(session.document().step, 0) << what;
    }
};

// Each kind lies over those before it, and gets the keys, except cards. Opening one leaves what may
// lie under it.
TEST(Overlays, CloseFromTheTop) {
    Overlays overlays;
    overlays.open(MaskCard{});
    overlays.open(BackendSwitch{});
    EXPECT_EQ(overlays.layer(), 0U) << "cards leave the keys to the window";
    overlays.open(StartPage{});
    overlays.open(TensorSheet{});
    overlays.open(PathLine{});
    overlays.open(ExportSheet{});
    overlays.open(KeyHelp{});
    overlays.open(Palette{});
    overlays.open(UnsavedQuestion{});
    for (std::size_t k = std::variant_size_v<Overlay>; k > 0; --k) {
        ASSERT_TRUE(overlays.at(k - 1));
        EXPECT_EQ(overlays.layer(), Overlays::layer_of(k - 1));
        EXPECT_FALSE(overlays.close_top()) << "it was not drawn";
        overlays.at(k - 1)->rect = {0, 0, 1, 1};
        EXPECT_TRUE(overlays.close_top());
        EXPECT_FALSE(overlays.at(k - 1));
    }
    EXPECT_FALSE(overlays.close_top());
}

TEST(Overlays, OpeningOneClosesWhatMayNotBeUnderIt) {
    Overlays overlays;
    overlays.open(StartPage{});
    const StartPage* start = overlays.find<StartPage>();
    overlays.open(PathLine{.text = "first"});
    overlays.open(UnsavedQuestion{});
    overlays.open(PathLine{.text = "second"});
    EXPECT_FALSE(overlays.find<UnsavedQuestion>());
    ASSERT_TRUE(overlays.top<PathLine>());
    EXPECT_EQ(overlays.top<PathLine>()->text, "second");
    EXPECT_EQ(overlays.find<StartPage>(), start) << "it stays where it was";
    overlays.close_from<StartPage>();
    EXPECT_EQ(overlays.layer(), 0U);
}

TEST_F(Escape, LeadsOutOfEachThing) {
    leads_out_of(
        "a field", [&] { click("Type a sentence…"); },
        [&] { return app().gui.editing.has_value(); });
    leads_out_of(
        "a list", [&] { click("+ rule"); }, [&] { return app().gui.list.has_value(); });
    leads_out_of(
        "the palette", [&] { key(GLFW_KEY_P, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT); },
        [&] { return ui().overlays.find<Palette>() != nullptr || app().gui.editing.has_value(); });
    leads_out_of(
        "the key help", [&] { driver->type("?"); }, [&] { return ui().overlays.find<KeyHelp>(); });
    leads_out_of(
        "the path line", [&] { key(GLFW_KEY_O, GLFW_MOD_CONTROL); },
        [&] { return ui().overlays.find<PathLine>() != nullptr; });
    leads_out_of(
        "the focus", [&] { key(GLFW_KEY_TAB); }, [&] { return anything_has_focus(app().gui); });
    leads_out_of(
        "the backend switch", [&] { ui().overlays.open(BackendSwitch{}); },
        [&] { return ui().overlays.find<BackendSwitch>(); });
    leads_out_of(
        "a selected token", [&] { click("Luke"); },
        [&] { return ui().sidebar.selected.has_value(); });
    leads_out_of(
        "the settings of a variant", [&] { key(GLFW_KEY_DOWN, GLFW_MOD_CONTROL); },
        [&] { return ui().sidebar.variant.has_value(); });
    leads_out_of(
        "a lesson that is written", [&] { key(GLFW_KEY_L, GLFW_MOD_CONTROL); },
        [&] { return ui().lesson_editor.has_value(); });
    leads_out_of(
        "a zoom",
        [&] {
            view().zoom = {0, 0, 0.5, 0.5};
        },
        [&] { return view().zoom != Zoom{}; });
}

TEST_F(Escape, LeadsOutOfAQuestionAndChangesNothing) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    leads_out_of(
        "a question", [&] { key(GLFW_KEY_N, GLFW_MOD_CONTROL); },
        [&] { return ui().overlays.find<UnsavedQuestion>() != nullptr; });
    EXPECT_NE(session.lesson(), nullptr);
}

TEST_F(Escape, LeadsFromAQuestionAboutAFileBackToTheBench) {
    const Folder folder;
    std::ofstream(folder.path() / "there.json") << "{}";
    key(GLFW_KEY_S, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT);
    driver->app().gui.editing->field.set_text((folder.path() / "there.json").string());
    enter();
    ASSERT_TRUE(ui().overlays.find<PathLine>() &&
                !ui().overlays.find<PathLine>()->conflicts.empty());
    key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().overlays.find<PathLine>());
}

TEST_F(Escape, LeadsOutOfAHeadAndOfTwo) {
    session.edit("", [](Scene& s) { std::get<EmbeddingInputs>(s.inputs).heads = 3; });
    view().show.view = ViewKind::heads;
    driver->settle();
    leads_out_of(
        "an enlarged head", [&] { key(GLFW_KEY_2); }, [&] { return view().enlarged; });
    leads_out_of(
        "two heads",
        [&] {
            view().picked = {0, 2};
        },
        [&] { return !view().picked.empty(); });
    EXPECT_EQ(view().show.view, ViewKind::heads);
}

TEST_F(Escape, GoesFromTheInnermostOutwards) {
    view().zoom = {0, 0, 0.5, 0.5};
    ui().sidebar.variant = 0;
    ui().sidebar.selected = TokenRef{0, Side::queries, 4};
    ui().overlays.open(BackendSwitch{});
    key(GLFW_KEY_TAB);
    driver->type("?");
    ASSERT_TRUE(ui().overlays.find<KeyHelp>());
    const std::vector<std::function<bool()>> open = {
        [&] { return ui().overlays.find<KeyHelp>(); },
        [&] { return app().gui.focus.of[0].has_value(); },
        [&] { return ui().overlays.find<BackendSwitch>(); },
        [&] { return ui().sidebar.selected.has_value(); },
        [&] { return ui().sidebar.variant.has_value(); },
        [&] { return view().zoom != Zoom{}; },
    };
    for (std::size_t k = 0; k < open.size(); ++k) {
        for (std::size_t later = k; later < open.size(); ++later)
            EXPECT_TRUE(open[later]()) << later << " after " << k << " presses";
        key(GLFW_KEY_ESCAPE);
        EXPECT_FALSE(open[k]()) << k;
    }
}

TEST_F(Escape, LeadsOutOfPresentingLast) {
    key(GLFW_KEY_F5);
    key(GLFW_KEY_L);
    key(GLFW_KEY_TAB);
    driver->type("?");
    EXPECT_TRUE(shows("open and close the what-if line", anywhere())) << "over the lesson";
    key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().presenting->keys);
    EXPECT_TRUE(ui().presenting->what_if);
    key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().presenting->what_if);
    EXPECT_TRUE(ui().presenting->spotlight);
    key(GLFW_KEY_ESCAPE);
    ASSERT_TRUE(ui().presenting);
    key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().presenting);
}

// A window that is closed while presenting asks, too, and the question can be answered.
TEST_F(Escape, LeadsOutOfAQuestionWhilePresenting) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    key(GLFW_KEY_F5);
    leave(app());
    driver->settle();
    EXPECT_TRUE(shows("Quit Maskscope?", anywhere()));
    key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().overlays.find<UnsavedQuestion>());
    EXPECT_TRUE(ui().presenting);
    EXPECT_FALSE(ui().quit);
}

}  // namespace
}  // namespace maskscope
