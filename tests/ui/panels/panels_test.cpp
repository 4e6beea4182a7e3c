// The panels, driven by events as a person would: found by what they say, not by where they stand.

#include <cmath>

#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

// --- inputs

TEST_F(InPanels, TheScaleIsDraggedAsOneStep) {
    const Scene before = scene();
    const Point at = place("Scale", sidebar());
    driver->drag(at, {at.x + 100, at.y});
    for (const Variant& variant : scene().variants) {
        EXPECT_EQ(variant.scale.kind, ScaleKind::number);
        EXPECT_NEAR(variant.scale.number, 2 / std::sqrt(8), 5e-4) << "three digits";
    }
    EXPECT_EQ(session.shown().scene, scene()) << "the numbers follow";
    EXPECT_EQ(session.undo_name(), "drag the scale");
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene(), before);
    driver->click(place("Scale", sidebar()));
    EXPECT_EQ(scene(), before) << "a click is no drag";
}

// --- tokens

TEST_F(InPanels, ATypedSentenceReplacesTheTokens) {
    click("Type a sentence …");
    driver->type("we \"New York\" saw");
    enter();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"we", "New York", "saw"}));
    EXPECT_EQ(session.shown().scene, scene()) << "the numbers follow";
    EXPECT_TRUE(shows("New York", sidebar()));
}

TEST_F(InPanels, ASentenceThatIsLeftIsNotTaken) {
    const auto before = tokens();
    click("Type a sentence …");
    driver->type("half a");
    click("Mask layers");
    EXPECT_EQ(tokens(), before);
}

TEST_F(InPanels, ATokenIsRenamedInPlace) {
    driver->double_click(place("Luke", sidebar()));
    driver->type("Leia");
    enter();
    EXPECT_EQ(tokens()[4], "Leia");
    EXPECT_EQ(session.undo_name(), "rename a token");
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(tokens()[4], "Luke");
}

TEST_F(InPanels, AnEmojiKeepsItsBytesWhenItsFieldIsLeft) {
    const std::string family = "👩‍👩‍👧";  // three people and two joiners
    session.edit("", [&](Scene& s) { rename_token(s, 0, Side::queries, 4, family); });
    const Scene before = scene();
    driver->double_click(place(family, sidebar()));
    EXPECT_TRUE(driver->app().gui.editing) << "the field has the keyboard";
    click("Mask layers");
    EXPECT_FALSE(driver->app().gui.editing);
    EXPECT_EQ(tokens()[4], family);
    EXPECT_EQ(scene(), before);
    const Folder folder;
    ASSERT_TRUE(session.save_as(folder.path() / "scene.json", false));
    std::ifstream file(folder.path() / "scene.json", std::ios::binary);
    const std::string saved(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(saved.find("\"" + family + "\""), std::string::npos);
    driver->double_click(place(family, sidebar()));
    driver->key(GLFW_KEY_END);
    driver->type("!");
    enter();
    EXPECT_EQ(tokens()[4], family + "!");
}

TEST_F(InPanels, ATokenOfAWordPieceShowsItsMarks) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "##ing"); });
    // An invisible joiner keeps the two marks apart; see sidebar_tokens.cpp.
    EXPECT_TRUE(shows("#\u2060#ing", sidebar()));
    EXPECT_EQ(tokens()[4], "##ing");
}

TEST_F(InPanels, ASelectedTokenIsPaddedFollowedByAnotherAndDeleted) {
    click("Luke");
    click("Padding");
    EXPECT_EQ(tokens()[4], scene().pad_token);
    click("Not padding");
    EXPECT_NE(tokens()[4], scene().pad_token);
    click("Insert");
    EXPECT_EQ(tokens().size(), 7u);
    click("Delete");
    EXPECT_EQ(tokens().size(), 6u);
}

TEST_F(InPanels, PlusAddsATokenAndNamesIt) {
    click("+");
    driver->type("indeed");
    enter();
    ASSERT_EQ(tokens().size(), 7u);
    EXPECT_EQ(tokens()[6], "indeed");
}

TEST_F(InPanels, ADraggedTokenMoves) {
    driver->drag(place("Luke", sidebar()), place("My", sidebar()));
    EXPECT_EQ(tokens(), (std::vector<std::string>{"<sos>", "Luke", "My", "name", "is", "<eos>"}));
}

// --- layers

TEST_F(InPanels, ALayerIsTakenOffAllLanesInOneStep) {
    click("Causal");
    for (const Variant& variant : scene().variants) EXPECT_TRUE(variant.mask.layers.empty());
    click("Undo", top_bar());
    for (const Variant& variant : scene().variants) EXPECT_EQ(variant.mask.layers.size(), 1u);
}

TEST_F(InPanels, AWindowHasItsWidthsInTheRow) {
    click("Window");
    const auto window = [&]() -> const MaskLayer& {
        return scene().variants[0].mask.layers.back();
    };
    ASSERT_EQ(window().kind, LayerKind::window);
    click("keys back");
    driver->type("3");
    enter();
    EXPECT_EQ(window().left, 3);
    EXPECT_EQ(scene().variants[1].mask.layers, scene().variants[0].mask.layers);
    click("keys back");
    driver->type("-1");
    enter();
    EXPECT_EQ(window().left, 3) << "out of range: said, and not taken";
    EXPECT_TRUE(session.message() && session.message()->wrong);
}

TEST_F(InPanels, ARareLayerIsAddedFromTheList) {
    click("+ layer");
    click("ALiBi", anywhere());
    EXPECT_EQ(scene().variants[0].mask.layers.back().kind, LayerKind::alibi);
}

TEST_F(InPanels, LanesWithDifferentLayersAreListedOneByOne) {
    session.edit("", [](Scene& s) { s.variants[1].mask.layers.clear(); });
    EXPECT_TRUE(shows("of one lane", sidebar()));
    click("Padding");
    EXPECT_EQ(scene().variants[0].mask.layers.size(), 2u);
    EXPECT_TRUE(scene().variants[1].mask.layers.empty());
}

// --- variants

TEST_F(InPanels, TheApplyModeIsChosenInTheOpenVariant) {
    click(scene().variants[0].name);
    EXPECT_EQ(driver->app().ui.sidebar.variant, 0);
    // The first words are the lane's own name, the second its apply mode.
    Point second{};
    for (const auto& drawn : driver->app().labels->drawn())
        if (drawn.text == "Added before the softmax" && sidebar().contains({30, drawn.rect.y}))
            if (drawn.rect.x < sidebar().right())
                second = {drawn.rect.x + 4, drawn.rect.y + drawn.rect.h / 2};
    driver->click(second);
    click("Replaced before the softmax", anywhere());
    EXPECT_EQ(scene().variants[0].mask.apply, Apply::replace);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene().variants[0].mask.apply, Apply::additive);
}

TEST_F(InPanels, AValueIsChosenOrTyped) {
    click(scene().variants[0].name);
    click("value");
    click("−1e9", anywhere());
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -1e9}));
    click("twice");
    EXPECT_EQ(scene().variants[0].mask.times, 2);
    click("value");
    click("other …", anywhere());
    driver->type("-2");
    enter();
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -2}));
    click("value");
    click("other …", anywhere());
    driver->type("minus two");
    enter();
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -2}));
    EXPECT_TRUE(session.message() && session.message()->wrong);
}

TEST_F(InPanels, AVariantIsDuplicatedRenamedAndRemoved) {
    click(scene().variants[0].name);
    click("Duplicate");
    ASSERT_EQ(scene().variants.size(), 3u);
    EXPECT_EQ(driver->app().ui.sidebar.variant, 2);
    click("Rename");  // the new one is open, and scrolled to
    driver->type("mine");
    enter();
    EXPECT_EQ(scene().variants[2].name, "mine");
    click("Remove");
    EXPECT_EQ(scene().variants.size(), 2u);
    click("+ lane");
    EXPECT_EQ(scene().variants.size(), 3u);
}

// --- inputs

TEST_F(InPanels, TheSeedIsTyped) {
    click("Seed");
    driver->type("12");
    enter();
    EXPECT_EQ(std::get<EmbeddingInputs>(scene().inputs).seed, 12u);
}

// --- the inspector

TEST_F(InPanels, TheInspectorTellsThePinnedCellAndFollowsThePointer) {
    session.view().show.focus = Cell{2, 1};
    EXPECT_TRUE(shows("pinned", inspector()));
    EXPECT_TRUE(shows("looks at", inspector()));
    EXPECT_TRUE(shows("Σ over 3 allowed", inspector()));
    EXPECT_TRUE(shows("Σ over all 6", inspector()));
    EXPECT_TRUE(shows("blocked", inspector()));
    session.view().show.focus = Cell{40, 1};  // taken away by an edit
    EXPECT_TRUE(shows_part("Point at a cell", inspector()));
    session.view().show.focus.reset();
    EXPECT_TRUE(shows_part("Point at a cell", inspector()));
}

TEST_F(InPanels, ALineOfTheInspectorExplainsItselfWhereThePointerStands) {
    session.view().show.focus = Cell{2, 1};
    driver->move(place("Σ over 3 allowed", inspector()));
    EXPECT_TRUE(shows_part("a share of the row", anywhere()));
    driver->move(place("× 1/√8", inspector()));
    EXPECT_TRUE(shows_part("the root of a key's width", anywhere()));
}

TEST_F(InPanels, AVariantGoesToTheClipboardAsPyTorch) {
    session.view().show.focus = Cell{2, 1};
    for (const char* lane : {"A as PyTorch", "B as PyTorch"}) {
        while (!find(lane, inspector())) driver->wheel({1500, 500}, -5);
        click(lane, inspector());
        EXPECT_NE(driver->clipboard.find("assert torch.allclose"), std::string::npos);
    }
    EXPECT_NE(driver->clipboard.find("softmax * allowed"), std::string::npos);
    ASSERT_TRUE(session.message());
    EXPECT_FALSE(session.message()->wrong);
}

TEST_F(InPanels, NothingOfTheAnswerIsShownWhileAStepAsks) {
    int asking = -1;
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k)
        if (!session.lesson()->steps[k].ask.empty()) asking = static_cast<int>(k);
    ASSERT_GE(asking, 0);
    session.go_to_step(asking);
    ASSERT_TRUE(session.covered());
    EXPECT_FALSE(shows("sum", inspector()));
    EXPECT_FALSE(shows("looks at", inspector()));
    EXPECT_FALSE(shows_part("holds", driver->app().panels.caption));
    EXPECT_FALSE(shows_part("Try:", driver->app().panels.caption));
    click("›", top_bar());
    EXPECT_FALSE(session.covered());
    EXPECT_EQ(session.step(), asking);
    EXPECT_TRUE(shows("sum", inspector()));
    EXPECT_TRUE(shows_part("holds", driver->app().panels.caption));
}

TEST_F(InPanels, TheVerdictFollowsAnEdit) {
    session.go_to_step(2);
    while (session.covered()) session.next();
    const Rect& caption = driver->app().panels.caption;
    EXPECT_TRUE(shows_part(": holds (", caption));
    session.edit("", [](Scene& s) { s.variants[1].mask.apply = Apply::additive; });
    EXPECT_TRUE(shows_part(": no longer holds (1.000)", caption));
}

TEST_F(InPanels, NothingIsSmallerThanTwelvePointsOfText) {
    // Every label is at least as high as a line of 12 points; the letters of the lanes too.
    constexpr double lowest_line = 12;
    session.view().show.focus = Cell{2, 1};
    driver->app().ui.sidebar.variant = 0;
    driver->settle();
    for (const auto& drawn : driver->app().labels->drawn()) {
        const Point at{drawn.rect.x, drawn.rect.y};
        if (!sidebar().contains(at) && !inspector().contains(at)) continue;
        EXPECT_GE(drawn.rect.h, lowest_line) << drawn.text;
    }
}

}  // namespace
}  // namespace maskscope
