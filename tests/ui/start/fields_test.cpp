// Tests that fields look like fields, and that a rejected text stays in its field, with the reason
// beside it.

#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/mask_rules.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class InFields : public InPanels {
protected:
    InFields() {
        session.new_scene();
        driver->settle();
    }
    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    const EmbeddingInputs& inputs() { return std::get<EmbeddingInputs>(scene().inputs); }
    // Returns the middle of the control with this text: in the line of a name, or if the name fills
    // that line, in the next one.
    Point beside(const std::string& name, const std::string& text) {
        const Point at = place(name, sidebar());
        for (const double line : {0, 24})
            for (const auto& drawn : app().labels->drawn()) {
                const Point middle{drawn.rect.x + drawn.rect.w / 2,
                                   drawn.rect.y + drawn.rect.h / 2};
                if (drawn.text == text && std::abs(middle.y - at.y - line) < 8 &&
                    sidebar().contains(middle))
                    return middle;
            }
        ADD_FAILURE() << text << " is not beside " << name;
        return at;
    }
    std::string refused() { return app().gui.refused ? app().gui.refused->why : ""; }
    const MaskLayer& layer() { return scene().variants[0].mask.layers.back(); }
};

TEST_F(InFields, WholeNumbersHaveMinusAndPlus) {
    driver->wheel({sidebar().x + 40, 600}, -50);
    driver->click(beside("Width of a value", "+"));
    EXPECT_EQ(inputs().d_v, 65);
    driver->click(beside("Width of a value", "−"));
    EXPECT_EQ(inputs().d_v, 64);
    driver->click(beside("Heads", "−"));
    EXPECT_EQ(inputs().heads, 1) << "the least";
    driver->click(beside("Seed", "1"));
    driver->type("7");
    enter();
    EXPECT_EQ(inputs().seed, 7u);
}

TEST_F(InFields, WhatIsPressedStaysUnderThePointer) {
    driver->push({.kind = InputEvent::Kind::resize, .at = {1366, 768}});
    driver->wheel({sidebar().x + 40, 600}, -50);
    const Point plus = beside("Heads", "+");
    for (const Index heads : {2, 3, 4}) {  // chips of heads appear in the rows of rules above
        driver->click(plus);
        EXPECT_EQ(inputs().heads, heads);
    }
    EXPECT_EQ(inputs().seed, 1u);
}

TEST_F(InFields, NamesAreWhole) {
    session.edit("", [](Scene& s) {
        MaskLayer window;
        window.kind = LayerKind::window;
        s.variants[0].mask.layers = {window};
    });
    for (const Point size : {Point{1366, 768}, Point{1920, 1080}}) {
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        driver->settle();
        for (const auto& drawn : app().labels->drawn()) {
            const Text as{{}, drawn.text, drawn.style, Role::ink, Anchor::left, drawn.max_width};
            const bool names =
                drawn.text.starts_with("Keys ") || drawn.text.starts_with("Width of a ");
            EXPECT_FALSE(names && is_cut(as)) << drawn.text;
        }
    }
}

TEST_F(InFields, ASliderIsOneStepOfUndo) {
    const Scene before = scene();
    const Point name = place("Width of a key d", sidebar());
    const double below = name.y + 52, left = sidebar().x + 26;
    driver->drag({left + 100, below}, {left, below}, 8);
    EXPECT_EQ(inputs().d_k, 1);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(scene(), before);
    driver->drag({left, below}, {sidebar().right() - 26, below}, 8);
    EXPECT_EQ(inputs().d_k, 1024);
    driver->drag({left, below}, {left + 40, below}, 2);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(inputs().d_k, 1024) << "another drag is another step";
}

TEST_F(InFields, ThreeClicksSelectAllOfIt) {
    driver->key(GLFW_KEY_N, GLFW_MOD_CONTROL);
    edit_field(app().gui, sentence_field_id(0, Side::queries), "the cat sat", false);
    driver->settle();
    const Point at = place("the cat sat", sidebar());
    ASSERT_TRUE(app().gui.editing);
    driver->double_click(at);
    EXPECT_EQ(app().gui.editing->field.selected(), "cat");
    driver->press(at);
    driver->release(at);
    EXPECT_TRUE(app().gui.editing->field.has_all_selected());
}

TEST_F(InFields, ARefusedNumberStaysWithItsReason) {
    driver->click(beside("Heads", "1"));
    driver->type("many");
    enter();
    EXPECT_NE(refused().find("many"), std::string::npos);
    ASSERT_TRUE(app().gui.editing);
    EXPECT_EQ(app().gui.editing->field.text(), "many");
    const Rect below{sidebar().x, place("Heads", sidebar()).y + 8, 400, 60};
    EXPECT_TRUE(shows_part("many", below)) << "right below the field";
    driver->type("1");  // another text
    EXPECT_EQ(refused(), "");
    EXPECT_FALSE(session.message()) << "the next action closes it";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(inputs().heads, 1);
}

TEST_F(InFields, ARefusedTextIsLeftByEscapeAndByAClick) {
    for (const bool by_click : {false, true}) {
        driver->click(beside("Heads", "1"));
        driver->type("many");
        enter();
        ASSERT_NE(refused(), "");
        if (by_click)
            driver->click({800, 900});
        else
            driver->key(GLFW_KEY_ESCAPE);
        EXPECT_FALSE(app().gui.editing) << by_click;
        EXPECT_EQ(refused(), "");
    }
}

TEST_F(InFields, AFormulaIsPreviewedAndEnterCommitsIt) {
    session.edit("", [](Scene& s) {
        MaskLayer formula;
        formula.kind = LayerKind::formula;
        formula.expression = "j <= i";
        s.variants[0].mask.layers = {formula};
    });
    driver->settle();
    const std::string good = "(i - j) % 2 == 0";
    const auto retype = [&](const std::string& shown, const std::string& text) {
        click(shown);
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type(text);
    };
    retype("j <= i", good);
    EXPECT_EQ(layer().expression, good) << "a preview";
    EXPECT_TRUE(shows_part("pad_j", sidebar())) << "what may be used is listed";
    enter();
    EXPECT_EQ(layer().expression, good);
    retype(good, "b");
    EXPECT_EQ(layer().expression, "b");
    driver->type("anana ++ 3");
    EXPECT_EQ(layer().expression, good) << "what is not valid shows the old mask";
    enter();
    EXPECT_EQ(layer().expression, good);
    ASSERT_TRUE(app().gui.editing);
    EXPECT_EQ(app().gui.editing->field.text(), "banana ++ 3") << "the text stays";
    EXPECT_TRUE(shows("^", sidebar())) << "with a caret under what is wrong";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(layer().expression, good);
    retype(good, "j < 2");
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(layer().expression, good) << "Escape undoes a preview";
    retype(good, "j < 2");
    enter();
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(layer().expression, good) << "one step of undo";
}

TEST_F(InFields, AMenuTakesTheFirstRowThatBeginsAsTyped) {
    click("+ rule");
    ASSERT_TRUE(app().gui.list);
    driver->push({.kind = InputEvent::Kind::text, .text = "Formula"});
    driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_ENTER, .down = true});
    driver->settle();
    EXPECT_FALSE(app().gui.list);
    EXPECT_EQ(layer().kind, LayerKind::formula);
}

// A lesson is not saved without the changes on the bench, and the question does not repeat for
// ever.
TEST_F(InFields, SavingALessonTakesTheBenchIntoItsStep) {
    const Folder folder;
    const fs::path file = folder.path() / "mine.json";
    session.open(lesson_file);
    session.edit_lesson("", [](Lesson& lesson, int&) { lesson.title = "Mine"; });
    ASSERT_TRUE(session.save_as(file, true));
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    driver->settle();
    driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    ASSERT_TRUE(ui().overlays.find<UnsavedQuestion>());
    click("Save to step 1 and to the file", anywhere());
    EXPECT_FALSE(ui().overlays.find<UnsavedQuestion>());
    EXPECT_TRUE(ui().overlays.find<PathLine>()) << "the requested step appears";
    EXPECT_TRUE(session.document().is_saved());
    Session again(std::make_unique<PlainBackend>());
    ASSERT_TRUE(again.open(file));
    EXPECT_EQ(again.scene().sequences[0].queries[4], "Leia");
}

TEST_F(InFields, PaddingWithoutPadsSaysWhatToDo) {
    EXPECT_FALSE(shows_part("No token is padding yet", sidebar()));
    click("Padding");
    EXPECT_TRUE(shows_part("No token is padding yet", sidebar()));
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 3, "<pad>"); });
    EXPECT_FALSE(shows_part("No token is padding yet", sidebar()));
}

TEST_F(InFields, TheMenuOfRulesIsInAlphabeticalOrder) {
    click("+ rule");
    std::vector<std::pair<double, std::string>> rows;
    for (const auto& drawn : app().labels->drawn())
        for (const LayerRule& rule : layer_rules())
            if (rule.is_rare && drawn.text == rule.label)
                rows.emplace_back(drawn.rect.y, drawn.text);
    std::ranges::sort(rows);
    ASSERT_GT(rows.size(), 10u);
    EXPECT_TRUE(std::ranges::is_sorted(rows, {}, [](const auto& row) { return row.second; }));
}

}  // namespace
}  // namespace maskscope
