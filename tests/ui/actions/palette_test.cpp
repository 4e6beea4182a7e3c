// Tests the command palette: typed words narrow the list, Enter and clicks run commands, and every
// command is harmless.

#include "app/window/context/ui_state.h"
#include "core/base/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/window/actions/shortcuts.h"
#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InPalette : public InPanels {
protected:
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    Rect palette() { return rect_of<Palette>(driver->app()); }
    void open() { driver->key(GLFW_KEY_P, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT); }
    void run(const std::string& words) {
        open();
        driver->type(words);
        enter();
        EXPECT_FALSE(ui().overlays.find<Palette>()) << words;
    }
    // Returns the command that Enter would run.
    std::string chosen() {
        const auto found =
            matching(ui().overlays.find<Palette>()->entries, ui().overlays.find<Palette>()->typed);
        return ui()
            .overlays.find<Palette>()
            ->entries.at(found.at(ui().overlays.find<Palette>()->chosen))
            .words;
    }
};

TEST_F(InPalette, TypedWordsNarrowTheListAndEnterActs) {
    open();
    EXPECT_TRUE(shows("Show the answer, then the next step", palette()));
    driver->type("th");
    driver->type("eme light");
    EXPECT_TRUE(shows("Theme: light", palette()));
    EXPECT_FALSE(shows("Show the answer, then the next step", palette()));
    const ui::Pixels dark = driver->pixels();
    enter();
    EXPECT_EQ(session.view().theme, ThemeKind::light);
    EXPECT_FALSE(ui().overlays.find<Palette>());
    EXPECT_FALSE(app().gui.editing);
    EXPECT_NE(driver->pixels().at(5, 5), dark.at(5, 5));
}

TEST_F(InPalette, TypedAndEnteredWithinOneFrame) {
    open();
    driver->push({.kind = InputEvent::Kind::text, .text = "theme high"});
    driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER, .down = true});
    driver->settle();
    EXPECT_EQ(session.view().theme, ThemeKind::high_contrast);
}

TEST_F(InPalette, AValueRanksAheadOfAVariantOfTheSameName) {
    session.edit("name", [](Scene& scene) {
        scene.variants[0].name = "Added before the softmax";
        scene.variants[0].mask.apply = Apply::additive;
        scene.variants[1].mask.apply = Apply::multiply_weights;
    });
    for (const int open_variant : {0, 1}) {
        ui().sidebar.variant = open_variant;
        driver->settle();
        open();
        driver->type("added before");
        EXPECT_EQ(chosen(), "B: apply Added before the softmax") << open_variant;
        driver->key(GLFW_KEY_ESCAPE);
    }
    session.edit("apply",
                 [](Scene& scene) { scene.variants[0].mask.apply = Apply::multiply_weights; });
    for (const int open_variant : {0, 1}) {
        ui().sidebar.variant = open_variant;
        driver->settle();
        open();
        driver->type("added before");
        EXPECT_EQ(chosen(), open_variant == 0 ? "A: apply Added before the softmax"
                                              : "B: apply Added before the softmax")
            << "that of the open variant first";
        driver->key(GLFW_KEY_ESCAPE);
    }
    run("a: float16");
    EXPECT_EQ(scene().variants[0].dtype, Dtype::float16) << "while the settings of B are open";
}

TEST_F(InPalette, UpAndDownChooseAndTheListFollows) {
    open();
    const std::string first = chosen();
    driver->key(GLFW_KEY_DOWN);
    EXPECT_NE(chosen(), first);
    driver->key(GLFW_KEY_UP);
    EXPECT_EQ(chosen(), first);
    driver->key(GLFW_KEY_UP);
    const std::string last = chosen();
    EXPECT_TRUE(shows(last, palette())) << "the list is scrolled to it";
    driver->key(GLFW_KEY_TAB);
    EXPECT_EQ(chosen(), first);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_TRUE(shows(chosen(), palette()));
    driver->type("theme");
    EXPECT_EQ(ui().overlays.find<Palette>()->chosen, 0U) << "another list begins at its top";
}

TEST_F(InPalette, AClickActsAndOneBesideCloses) {
    open();
    driver->type("theme");
    click("Theme: light", palette());
    EXPECT_EQ(session.view().theme, ThemeKind::light);
    EXPECT_FALSE(ui().overlays.find<Palette>());
    open();
    driver->click({palette().x + 4, palette().y + 4});
    EXPECT_TRUE(ui().overlays.find<Palette>()) << "a click on its edge does not close it";
    driver->type("theme dark");
    EXPECT_EQ(chosen(), "Theme: dark") << "and the field still has the keyboard";
    driver->click({5, 990});
    EXPECT_FALSE(ui().overlays.find<Palette>());
    EXPECT_EQ(session.view().theme, ThemeKind::light);
}

TEST_F(InPalette, EscapeAndItsOwnKeyClose) {
    open();
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().overlays.find<Palette>());
    open();
    open();
    EXPECT_FALSE(ui().overlays.find<Palette>());
    EXPECT_FALSE(app().gui.editing);
}

TEST_F(InPalette, WithoutACommandNothingHappens) {
    open();
    driver->type("no such thing");
    EXPECT_TRUE(shows("No matching commands", palette()));
    enter();
    EXPECT_TRUE(ui().overlays.find<Palette>()) << "to be typed again";
    driver->key(GLFW_KEY_BACKSPACE);
    EXPECT_EQ(ui().overlays.find<Palette>()->typed, "no such thin");
}

TEST_F(InPalette, WhatCannotActSaysWhy) {
    open();
    driver->type("undo");
    EXPECT_TRUE(shows("nothing to undo", palette()));
    enter();
    ASSERT_TRUE(session.message());
    EXPECT_EQ(session.message()->text, "Undo: nothing to undo");
}

TEST_F(InPalette, EveryKeyOfTheBenchIsThereWithItsCommand) {
    open();
    for (const Shortcut& row : shortcuts()) {
        if (row.when == KeyScope::presenting) continue;
        const bool walks = row.group == Group::control && row.typed.empty() && row.keys != "F1";
        const auto& entries = ui().overlays.find<Palette>()->entries;
        const bool found = std::ranges::any_of(entries, [&](const PaletteEntry& entry) {
            return (", " + entry.keys + ", ").find(fmt::format(", {}, ", row.keys)) !=
                   std::string::npos;
        });
        EXPECT_EQ(found, !walks) << row.keys;
    }
}

TEST_F(InPalette, NoTwoCommandsHaveTheSameWords) {
    open();
    std::set<std::string> words;
    for (const PaletteEntry& entry : ui().overlays.find<Palette>()->entries)
        EXPECT_TRUE(words.insert(entry.words).second) << entry.words;
}

// Commands say "variant". "Lane" is only a word of the drawing code.
TEST_F(InPalette, CommandsSayVariantNotVariant) {
    open();
    for (const PaletteEntry& entry : ui().overlays.find<Palette>()->entries)
        for (const std::string& text : {entry.words, entry.keys, entry.why_not})
            EXPECT_TRUE((" " + text).find(" lane") == std::string::npos &&
                        text.find("Lane") == std::string::npos)
                << text;
}

// --- commands without a key

TEST_F(InPalette, SettingsOfTheChosenVariant) {
    run("A: apply replaced");
    EXPECT_EQ(scene().variants[0].mask.apply, Apply::replace);
    run("variant B multiplied");
    EXPECT_EQ(ui().sidebar.variant, 1);
    run("b: dtype bfloat16");
    EXPECT_EQ(scene().variants[1].dtype, Dtype::bfloat16);
    run("b: normalizer plus");
    EXPECT_EQ(scene().variants[1].normalizer, Normalizer::softmax_plus_one);
    run("b: score gaussian");
    EXPECT_EQ(scene().variants[1].score.kind, ScoreKind::gaussian);
    run("b: empty rows zero before");
    EXPECT_EQ(scene().variants[1].empty_rows, EmptyRows::zero);
    EXPECT_EQ(session.shown().scene, scene()) << "the numbers follow";
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene().variants[1].empty_rows, EmptyRows::nan) << "a step of undo each";
}

TEST_F(InPalette, LayersViewsColoursAndTheDifference) {
    run("remove rule causal");
    for (const Variant& variant : scene().variants) EXPECT_TRUE(variant.mask.layers.empty());
    run("add rule window");
    EXPECT_EQ(scene().variants[0].mask.layers.back().kind, LayerKind::window);
    run("view mask values");
    EXPECT_EQ(session.view().show.view, ViewKind::table);
    run("view pipeline");
    run("colours magma");
    EXPECT_EQ(session.view().colouring.map, ColourMap::magma);
    run("logarithmic");
    EXPECT_EQ(session.view().colouring.logarithmic, true);
    run("show difference");
    EXPECT_TRUE(session.view().show.difference);
    run("hide difference");
    EXPECT_FALSE(session.view().show.difference);
    run("compute reference");
    EXPECT_EQ(session.results().backends().chosen(), ComputeWith::plain);
}

TEST_F(InPalette, LessonsByNameAndStepsByNumber) {
    run("step 3");
    EXPECT_EQ(session.document().step, 2);
    run("lesson why");
    ASSERT_NE(session.lesson(), nullptr);
    EXPECT_EQ(session.lesson()->name, "why-root-d");
    run("scene: cross");
    ASSERT_TRUE(session.document().path());
    EXPECT_EQ(session.document().path()->filename(), "cross.json");
}

TEST_F(InPalette, WhatOpensAFieldHasTheKeyboard) {
    run("type sentence");
    driver->type("one two");
    enter();
    EXPECT_EQ(tokens(), (std::vector<std::string>{"one", "two"}));
    run("rename variant A");
    driver->type("mine");
    enter();
    EXPECT_EQ(scene().variants[0].name, "mine");
    run("A pytorch");
    EXPECT_NE(driver->clipboard.find("assert torch.allclose"), std::string::npos);
}

TEST_F(InPalette, IsClosedWhilePresenting) {
    driver->key(GLFW_KEY_F5);
    open();
    EXPECT_FALSE(ui().overlays.find<Palette>());
}

TEST_F(InPalette, IsUnavailableDuringAQuestionAndClosesIfAFileIsDropped) {
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    open();
    driver->type("theme light");
    leave(app());
    driver->settle();
    driver->type("x");
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().overlays.find<UnsavedQuestion>());
    ASSERT_TRUE(ui().overlays.find<Palette>());
    EXPECT_EQ(ui().overlays.find<Palette>()->typed, "theme light")
        << "what was typed was not for it";
    session.restore_step();
    driver->push(
        {.kind = InputEvent::Kind::drop, .text = source_folder() + "/assets/scenes/cross.json"});
    driver->settle();
    EXPECT_FALSE(ui().overlays.find<Palette>());
    EXPECT_FALSE(app().gui.editing);
    EXPECT_TRUE(session.document().path());
}

// Runs each command from the same state, and closes what it opens.
TEST_F(InPalette, EveryCommandIsHarmless) {
    driver->push({.kind = InputEvent::Kind::resize, .at = {640, 400}});
    open();
    const std::size_t count = ui().overlays.find<Palette>()->entries.size();
    EXPECT_GT(count, 100U);
    for (std::size_t k = 0; k < count; ++k) {
        session.open(lesson_file);
        driver->app().ui.sidebar.variant.reset();
        const auto entries = palette_entries(app());
        if (k >= entries.size()) break;
        if (entries[k].why_not.empty()) entries[k].act(app());
        driver->settle();
        EXPECT_NO_THROW(check_scene(scene())) << entries[k].words;
        for (int press = 0; press < 4; ++press) driver->key(GLFW_KEY_ESCAPE);
        EXPECT_FALSE(ui().overlays.find<UnsavedQuestion>()) << entries[k].words;
        EXPECT_FALSE(ui().presenting) << entries[k].words;
        ui().quit = false;
    }
}

}  // namespace
}  // namespace maskscope
