// Drives the panels by events like a user: things are found by their text, not by their place.

#include <cmath>
#include <set>

#include "core/files/file.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

// --- inputs

TEST_F(InPanels, TheScaleIsDraggedAsOneStep) {
    const Scene before = scene();
    driver->wheel({100, 500}, -100);
    const Point name = place("Scale", sidebar());
    const double below = name.y + 24;
    driver->drag({name.x, below}, {sidebar().right() - 26, below});
    for (const Variant& variant : scene().variants) {
        EXPECT_EQ(variant.scale.kind, ScaleKind::number);
        EXPECT_NEAR(variant.scale.number, 10, 0.05) << "the slider's end";
    }
    EXPECT_EQ(session.shown().scene, scene()) << "the numbers follow";
    EXPECT_EQ(session.document().undo_name(), "drag the scale");
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene(), before);
}

// --- tokens

TEST_F(InPanels, ATypedSentenceReplacesTheTokens) {
    click("Type a sentence…");
    driver->type("we \"New York\" saw");
    enter();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"we", "New York", "saw"}));
    EXPECT_EQ(session.shown().scene, scene()) << "the numbers follow";
    EXPECT_TRUE(shows("New York", sidebar()));
}

// A press of Save must save the text that was just typed, not the one before.
TEST_F(InPanels, ASentenceThatIsLeftIsTakenAndCanBeUndone) {
    const auto before = tokens();
    click("Type a sentence…");
    driver->type("half a");
    click("Mask rules");
    EXPECT_EQ(tokens(), (std::vector<std::string>{"half", "a"}));
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(tokens(), before);
}

TEST_F(InPanels, AKeyTokenThatUndoRemovedIsNotAQuery) {
    session.new_scene();
    session.edit("keys", [](Scene& scene) {
        scene.sequences[0].keys = TokenList(std::vector<std::string>{"p", "q", "r"});
    });
    click("r");
    ASSERT_TRUE(driver->app().ui.sidebar.selected);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    const auto before = tokens();
    driver->key(GLFW_KEY_DELETE);
    EXPECT_EQ(tokens(), before);
}

TEST_F(InPanels, RemovingARuleClearsTheChoice) {
    const auto chosen = [&] { return driver->app().ui.sidebar.chosen_layers; };
    session.new_scene();
    session.edit("a layer", [](Scene& scene) {
        MaskLayer window;
        window.kind = LayerKind::window;
        scene.variants[0].mask.layers.push_back(window);
        window.kind = LayerKind::prefix;
        scene.variants[0].mask.layers.push_back(window);
    });
    driver->click(place("Window", sidebar()), 0, GLFW_MOD_CONTROL);
    ASSERT_EQ(chosen(), std::vector<LayerPath>{{1}});
    click("Causal");
    driver->settle();
    EXPECT_TRUE(chosen().empty());
}

// When the window closes, typed text counts as an edit: the window asks about it, or keeps it.
TEST_F(InPanels, WhatIsBeingTypedCountsWhenTheWindowIsClosed) {
    click("Type a sentence…");
    driver->type("half a");
    leave(driver->app());
    driver->settle();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"half", "a"}));
    EXPECT_TRUE(driver->app().ui.overlays.find<UnsavedQuestion>());
    EXPECT_FALSE(driver->app().ui.quit);
    driver->key(GLFW_KEY_ESCAPE);
    driver->double_click(place("half", sidebar()));
    driver->type("whole");
    leave(driver->app());
    driver->settle();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"whole", "a"}));
    EXPECT_TRUE(driver->app().ui.overlays.find<UnsavedQuestion>());
    driver->key(GLFW_KEY_ESCAPE);
    while (session.document().undo_name()) session.undo();
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    driver->type("/no/such");
    leave(driver->app());
    driver->settle();
    EXPECT_TRUE(driver->app().ui.quit) << "a typed path does not count as unsaved work";
}

TEST_F(InPanels, ATokenIsRenamedInPlace) {
    driver->double_click(place("Luke", sidebar()));
    driver->type("Leia");
    enter();
    EXPECT_EQ(tokens()[4], "Leia");
    EXPECT_EQ(session.document().undo_name(), "rename a token");
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(tokens()[4], "Luke");
}

TEST_F(InPanels, AnEmojiKeepsItsBytesWhenItsFieldIsLeft) {
    const std::string family = "👩‍👩‍👧";  // three people and two joiners
    session.edit("", [&](Scene& s) { rename_token(s, 0, Side::queries, 4, family); });
    const Scene before = scene();
    driver->double_click(place(family, sidebar()));
    EXPECT_TRUE(driver->app().gui.editing) << "the field has the keyboard";
    click("Mask rules");
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
    click("Pad");
    EXPECT_EQ(tokens()[4], scene().pad_token);
    click("Unpad");
    EXPECT_NE(tokens()[4], scene().pad_token);
    click("Insert");
    EXPECT_EQ(tokens().size(), 7u);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(tokens()[5], "token");
    click("Delete");
    EXPECT_EQ(tokens().size(), 6u);
}

TEST_F(InPanels, InsertOpensTheNameOfTheToken) {
    const std::vector<std::string> before = tokens();
    for (const bool by_key : {false, true}) {
        click("Luke");
        if (by_key)
            driver->key(GLFW_KEY_INSERT);
        else
            click("Insert");
        driver->type("Skywalker");
        enter();
        EXPECT_EQ(tokens(), (std::vector<std::string>{"<sos>", "My", "name", "is", "Luke",
                                                      "Skywalker", "<eos>"}));
        EXPECT_FALSE(driver->app().gui.editing) << "Enter ends it";
        driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
        EXPECT_EQ(tokens(), before) << "the token and its name are one step of undo";
    }
}

TEST_F(InPanels, ALaterNameIsAStepOfItsOwn) {
    click("Luke");
    driver->key(GLFW_KEY_INSERT);
    driver->key(GLFW_KEY_ESCAPE);
    driver->key(GLFW_KEY_F2);
    driver->type("Skywalker");
    enter();
    EXPECT_EQ(tokens()[5], "Skywalker");
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(tokens()[5], "token");
}

TEST_F(InPanels, PlusAddsATokenAndNamesIt) {
    click("+");
    driver->type("indeed");
    enter();
    ASSERT_EQ(tokens().size(), 7u);
    EXPECT_EQ(tokens()[6], "indeed");
}

TEST_F(InPanels, ANewSceneSaysWhatToDo) {
    driver->key(GLFW_KEY_N, GLFW_MOD_CONTROL);
    EXPECT_TRUE(shows_part("Type a sentence on the left", driver->app().panels.status));
}

// A window system may send three events for each letter while a frame takes long.
TEST_F(InPanels, AHundredLettersCostAFewFrames) {
    driver->click(place("Type a sentence…", sidebar()));
    ASSERT_TRUE(driver->app().gui.editing);
    std::string sentence;
    for (int k = 0; k < 100; ++k) {
        const char letter = k % 6 == 5 ? ' ' : static_cast<char>('a' + k % 26);
        const int code = letter == ' ' ? GLFW_KEY_SPACE : letter - 'a' + GLFW_KEY_A;
        sentence += letter;
        driver->push({.kind = InputEvent::Kind::key, .code = code, .down = true});
        driver->push({.kind = InputEvent::Kind::text, .text = std::string(1, letter)});
        driver->push({.kind = InputEvent::Kind::key, .code = code, .down = false});
    }
    const long before = driver->app().frames;
    driver->settle();
    EXPECT_LE(driver->app().frames - before, 4);
    EXPECT_EQ(driver->app().gui.editing->field.text(), sentence);
    EXPECT_EQ(tokens().size(), 6U) << "no shortcut acted";
}

TEST_F(InPanels, ADraggedTokenMoves) {
    driver->drag(place("Luke", sidebar()), place("My", sidebar()));
    EXPECT_EQ(tokens(), (std::vector<std::string>{"<sos>", "Luke", "My", "name", "is", "<eos>"}));
}

// --- mask rules

TEST_F(InPanels, ALayerIsTakenOffAllVariantsInOneStep) {
    click("Causal");
    for (const Variant& variant : scene().variants) EXPECT_TRUE(variant.mask.layers.empty());
    click("↶", top_bar());
    for (const Variant& variant : scene().variants) EXPECT_EQ(variant.mask.layers.size(), 1u);
}

TEST_F(InPanels, AWindowHasItsWidthsInTheRow) {
    click("Window");
    const auto window = [&]() -> const MaskLayer& {
        return scene().variants[0].mask.layers.back();
    };
    ASSERT_EQ(window().kind, LayerKind::window);
    click("Keys back");
    driver->type("3");
    enter();
    EXPECT_EQ(window().left, 3);
    EXPECT_EQ(scene().variants[1].mask.layers, scene().variants[0].mask.layers);
    click("Keys back");
    driver->type("-1");
    enter();
    EXPECT_EQ(window().left, 3) << "out of range: reported, and not accepted";
    EXPECT_TRUE(session.message() && session.message()->wrong);
}

TEST_F(InPanels, ARareLayerIsAddedFromTheList) {
    click("+ rule");
    click("ALiBi", anywhere());
    EXPECT_EQ(scene().variants[0].mask.layers.back().kind, LayerKind::alibi);
}

TEST_F(InPanels, VariantsWithDifferentLayersAreListedOneByOne) {
    session.edit("", [](Scene& s) { s.variants[1].mask.layers.clear(); });
    EXPECT_TRUE(shows("of one variant", sidebar()));
    click("Padding");
    EXPECT_EQ(scene().variants[0].mask.layers.size(), 2u);
    EXPECT_TRUE(scene().variants[1].mask.layers.empty());
}

TEST_F(InPanels, ATipGoesWithThePressAndComesBackWhenThePointerMoves) {
    const Point at = place("Padding", sidebar());
    driver->move(at);
    EXPECT_TRUE(shows_part("No query may attend to padding", anywhere()));
    driver->click(at);
    EXPECT_FALSE(shows_part("No query may attend to padding", anywhere()));
    driver->move({800, 500});
    driver->move(at);
    EXPECT_TRUE(shows_part("No query may attend to padding", anywhere()));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(shows_part("No query may attend to padding", anywhere()))
        << "the pointer has not moved since";
    driver->push({.kind = InputEvent::Kind::leave});
    driver->settle();
    driver->move(at);
    EXPECT_FALSE(shows_part("No query may attend to padding", anywhere()))
        << "the tip has just appeared";
}

// --- variants

TEST_F(InPanels, TheApplyModeIsChosenInTheOpenVariant) {
    click(scene().variants[0].name);
    EXPECT_EQ(driver->app().ui.sidebar.variant, 0);
    // The first text is the variant's own name, the second how its mask is applied.
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
    click("Mask value");
    click("−1e9", anywhere());
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -1e9}));
    click("twice");
    EXPECT_EQ(scene().variants[0].mask.times, 2);
    click("Mask value");
    click("other…", anywhere());
    driver->type("-2");
    enter();
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -2}));
    click("Mask value");
    click("other…", anywhere());
    driver->type("minus two");
    enter();
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -2}));
    EXPECT_TRUE(session.message() && session.message()->wrong);
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);  // the field stays open
    driver->type("-3");
    click("twice");  // what was typed counts
    EXPECT_EQ(scene().variants[0].mask.value, (BlockedValue{ValueKind::number, -3}));
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
    click("+ variant");
    EXPECT_EQ(scene().variants.size(), 3u);
}

// --- inputs

TEST_F(InPanels, TheSeedIsTyped) {
    click("Seed");
    driver->type("12");
    enter();
    const auto seed = [&] { return std::get<EmbeddingInputs>(scene().inputs).seed; };
    EXPECT_EQ(seed(), 12u);
    click("Seed");
    driver->clipboard = " +7 ";
    driver->key(GLFW_KEY_V, GLFW_MOD_CONTROL);
    enter();
    EXPECT_EQ(seed(), 7u);
    click("Seed");
    driver->type(std::string(200, 'x'));
    enter();
    ASSERT_TRUE(session.message());
    EXPECT_LT(session.message()->text.size(), 150U);
    EXPECT_NE(session.message()->text.find("is not a whole number from"), std::string::npos);
}

// --- the inspector

TEST_F(InPanels, TheInspectorShowsThePinnedCellAndFollowsThePointer) {
    session.view().show.focus = Cell{2, 1};
    EXPECT_TRUE(shows("pinned", inspector()));
    EXPECT_TRUE(shows("attends to", inspector()));
    EXPECT_TRUE(shows("Σ over 3 allowed", inspector()));
    EXPECT_TRUE(shows("Σ over all 6", inspector()));
    EXPECT_TRUE(shows("blocked", inspector()));
    session.view().show.focus = Cell{40, 1};  // taken away by an edit
    EXPECT_TRUE(shows_part("Hover over a cell", inspector()));
    session.view().show.focus.reset();
    EXPECT_TRUE(shows_part("Hover over a cell", inspector()));
}

TEST_F(InPanels, ALineOfTheInspectorExplainsItselfWhereThePointerStands) {
    session.view().show.focus = Cell{2, 1};
    driver->move(place("Σ over 3 allowed", inspector()));
    EXPECT_TRUE(shows_part("Turns a row of numbers", anywhere()));
    driver->move(place("× 1/√8", inspector()));
    EXPECT_TRUE(shows_part("Divides by the square root", anywhere()));
}

TEST_F(InPanels, AVariantGoesToTheClipboardAsPyTorch) {
    session.view().show.focus = Cell{2, 1};
    for (const char* variant : {"Copy A as PyTorch", "Copy B as PyTorch"}) {
        while (!find(variant, inspector())) driver->wheel({1500, 500}, -5);
        click(variant, inspector());
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
    ASSERT_TRUE(session.view().asks());
    EXPECT_FALSE(shows("sum", inspector()));
    EXPECT_FALSE(shows("attends to", inspector()));
    EXPECT_FALSE(shows_part("✓", lesson_foot()));
    EXPECT_FALSE(shows_part("Try:", lesson_head()));
    click("Show answer", lesson_head());
    EXPECT_FALSE(session.view().asks());
    EXPECT_EQ(session.document().step, asking);
    EXPECT_TRUE(shows("sum", inspector()));
    EXPECT_TRUE(shows_part("✓ ", lesson_foot()));
}

// The opening step, changed so that it asks a question and covers only variant B.
class CoversVariant : public InPanels {
protected:
    CoversVariant() {
        Lesson lesson = *session.lesson();
        lesson.steps.resize(1);
        Step& step = lesson.steps[0];
        step.ask = "What will B keep?";
        step.covers = Cover{{{1}}, {}};
        step.source = source;
        replace_file(folder / "own.json", write_lesson(lesson));
        EXPECT_TRUE(session.open(folder / "own.json"));
        driver->settle();
    }
    // Returns the variants that are not covered; some may be out of sight, because the picture
    // scrolls.
    std::set<int> variants() {
        driver->settle();
        std::set<int> shown;
        for (const Heatmap& map : driver->app().ui.bench.whole.heatmaps) shown.insert(map.variant);
        return shown;
    }

    const std::string source = "Vaswani et al., Attention is all you need, 2017";
    const Folder folder;
};

TEST_F(CoversVariant, TheOtherStaysInTheWindowAndWhilePresenting) {
    ASSERT_TRUE(session.view().asks());
    EXPECT_TRUE(variants().contains(0));
    EXPECT_FALSE(variants().contains(1));
    driver->key(GLFW_KEY_F5);
    EXPECT_TRUE(variants().contains(0));
    EXPECT_FALSE(variants().contains(1));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_TRUE(variants().contains(1));
    EXPECT_FALSE(shows_part("Source", anywhere()));
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_TRUE(variants().contains(1));
}

TEST_F(CoversVariant, AClickCopiesTheSource) {
    EXPECT_FALSE(shows_part("Source", lesson_foot()));  // while it asks
    session.next();
    click("Source: " + source, lesson_foot());
    EXPECT_EQ(driver->clipboard, source);
    ASSERT_TRUE(session.message());
    EXPECT_EQ(session.message()->text, "Copied the source.");
}

TEST_F(InPanels, TheVerdictFollowsAnEdit) {
    EXPECT_TRUE(shows_part("✓ in B, the row of “name” keeps less than half (0.3", lesson_foot()));
    session.edit("", [](Scene& s) { s.variants[1].mask.apply = Apply::additive; });
    EXPECT_TRUE(shows_part(": false, as intended", lesson_foot())) << "as by the Try";
}

TEST_F(InPanels, NothingIsSmallerThanTwelvePointsOfText) {
    // Every label is at least as high as a line of 12 points, including the letters of variants.
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

// --- the inspector

TEST_F(InPanels, WithThreeVariantsEachFigureOfTheRowKeepsItsLine) {
    session.edit("third", [](Scene& s) { duplicate_variant(s, 1); });
    session.view().show.variants = std::vector<int>{0, 1, 2};
    session.view().show.focus = Cell{4, 1};
    driver->settle();
    const auto& drawn = driver->app().labels->drawn();
    const auto name =
        std::ranges::find_if(drawn, [](const auto& label) { return label.text == "entropy"; });
    ASSERT_NE(name, drawn.end());
    const double middle = name->rect.y + name->rect.h / 2;
    const auto numbers = std::ranges::count_if(drawn, [&](const auto& label) {
        return inspector().contains({label.rect.x, middle}) &&
               std::abs(label.rect.y + label.rect.h / 2 - middle) < 4;
    });
    EXPECT_EQ(numbers, 4) << "the name, and a number for each variant";
}

TEST_F(InPanels, BarsOfALongRowAreAsLongAsItsLargest) {
    session.view().show.focus = Cell{4, 1};
    EXPECT_FALSE(shows_part("longest bar", inspector()));
    session.edit("many", [](Scene& s) {
        set_sentence(s, 0, Side::queries, std::vector<std::string>(60, "word"));
    });
    session.wait();
    session.view().show.focus = Cell{50, 1};
    EXPECT_TRUE(shows_part("longest bar 0.", inspector()));
}

TEST_F(InPanels, TheInspectorNamesItsHead) {
    session.view().show.focus = Cell{4, 1};
    EXPECT_TRUE(shows("pinned", inspector()));
    session.edit("heads", [](Scene& s) { std::get<EmbeddingInputs>(s.inputs).heads = 3; });
    session.view().show.heads = std::vector<Index>{1};
    EXPECT_TRUE(shows("head 2 · pinned", inspector()));
}

TEST_F(InPanels, TheTipOfAPyTorchButtonLeavesTheOtherFree) {
    session.view().show.focus = Cell{4, 1};
    const Point b = place("Copy B as PyTorch", inspector());
    driver->move(place("Copy A as PyTorch", inspector()));
    driver->settle();
    driver->settle();
    for (const auto& label : driver->app().labels->drawn())
        if (label.text.find("standalone script") != std::string::npos) {
            EXPECT_LT(label.rect.right(), b.x - 60);
            return;
        }
    FAIL() << "no tip";
}

// --- rules of single cells

TEST_F(InPanels, CellsAreBlockedOrAllowedUnderTheirOwnNames) {
    session.edit("both", [](Scene& s) {
        set_allowed(s, {0, 1}, 0, 0, {3, 1}, false);
        set_allowed(s, {0, 1}, 0, 0, {1, 3}, true);
    });
    EXPECT_TRUE(shows("Blocked cells", sidebar()));
    EXPECT_TRUE(shows("Allowed cells", sidebar()));
    click("+ rule");
    const Point list = place("ALiBi", anywhere());
    EXPECT_FALSE(shows("+ rule", {0, list.y - 20, 300, 400})) << "the list does not list itself";
}

}  // namespace
}  // namespace maskscope
