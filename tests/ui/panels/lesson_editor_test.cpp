// Writes a lesson with mouse and keys, as on the evening before a lecture.

#include <algorithm>

#include "app/commands/commands.h"
#include "app/window/panels/parts.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/lesson/lesson_edit.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class WritesLesson : public InPanels {
protected:
    const Rect& panel() { return inspector(); }
    void press(const std::string& text) { click(text, panel()); }
    void open_editor() { driver->key(GLFW_KEY_L, GLFW_MOD_CONTROL); }
    // Makes space for a step with many facts.
    void make_room() {
        driver->push({.kind = InputEvent::Kind::resize, .at = {1600, 1600}});
        driver->settle();
    }
    const Lesson& lesson() const { return *session.lesson(); }
    const Step& step() const { return lesson().steps[session.document().step]; }
    // Types into the field that shows `text` now.
    void type_into(const std::string& text, const std::string& typed) {
        press(text);
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type(typed);
    }
    void open_scene() {
        Scene opened = scene();
        opened.show->focus = Cell{2, 1};
        opened.title.clear();
        replace_file(folder.path() / "scene.json", write_scene(opened));
        ASSERT_TRUE(session.open(folder.path() / "scene.json"));
    }
    void begin_lesson() {
        open_scene();
        open_editor();
        press("New lesson");
    }
    void save_as(const std::string& name) {
        driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
        driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
        driver->type((folder.path() / name).string());
        enter();
    }
    // Returns the middle of a cell on the bench.
    Point cell(StageKind stage, int variant, Index i, Index j) {
        driver->settle();
        const App& app = driver->app();
        for (const Heatmap& map : app.ui.bench.figure.heatmaps) {
            if (map.variant != variant || map.cells->stage != stage) continue;
            const Rect r = cell_rect(map, i, j);
            return {app.ui.bench.figure_at.x + r.x + r.w / 2,
                    app.ui.bench.figure_at.y + r.y + r.h / 2};
        }
        ADD_FAILURE() << "no such heatmap";
        return {-1, -1};
    }
    std::string said() const { return session.message() ? session.message()->text : ""; }

    Folder folder;
};

TEST_F(WritesLesson, TheEditorStandsInPlaceOfTheInspector) {
    const Rect bench = driver->app().panels.bench;
    EXPECT_TRUE(shows("Inspector", panel()));
    open_editor();
    EXPECT_TRUE(shows("Lesson", panel()));
    EXPECT_FALSE(shows("Inspector", panel()));
    EXPECT_EQ(driver->app().panels.bench, bench);  // nothing jumps
    open_editor();
    EXPECT_TRUE(shows("Inspector", panel()));
    choose("Write a lesson");
    EXPECT_TRUE(shows("Steps", panel()));
    press("×");
    EXPECT_FALSE(driver->app().ui.lesson_editor);
}

// Makes a lesson by hand, from a scene to a file that the command accepts.
TEST_F(WritesLesson, FromABenchToAFileThatIsAccepted) {
    begin_lesson();
    ASSERT_NE(session.lesson(), nullptr);
    EXPECT_TRUE(shows("Step 1 needs a title.", panel()));
    type_into("What the step shows", "Where it goes");
    EXPECT_EQ(step().title, "Where it goes");
    type_into("Two sentences", "It keeps");
    EXPECT_EQ(session.words().caption, "It keeps");
    press("B");
    press("Insert into caption");
    EXPECT_EQ(step().caption, "It keeps {B.weights[0,0,2,1]}");
    EXPECT_EQ(session.words().caption.find('{'), std::string::npos);
    EXPECT_TRUE(shows("4 of 18 words", panel()) || shows("3 of 18 words", panel()));
    press("Facts");
    press("Add as a fact");
    EXPECT_TRUE(shows("New fact", panel()));
    press("Add the fact");
    ASSERT_EQ(step().facts.size(), 1U);
    EXPECT_FALSE(step().facts[0].fails_with.empty());
    EXPECT_FALSE(session.results().lesson_problem());
    save_as("evening.json");
    EXPECT_TRUE(session.document().is_saved()) << said();
    std::ostringstream lines, warnings;
    EXPECT_EQ(check((folder.path() / "evening.json").string(), lines, warnings), 0) << lines.str();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());  // it has its name
    EXPECT_TRUE(said().starts_with("Saved as")) << said();
}

TEST_F(WritesLesson, TheSourceIsTypedAndTheRestIsKept) {
    Lesson own = lesson();
    own.steps.resize(1);
    own.steps[0].source.clear();
    own.steps[0].ask = "What will B keep?";
    own.steps[0].covers = Cover{{{1}}, {}};
    own.steps[0].try_this = "Add it.";
    own.steps[0].try_sets = {{"/variants/1/mask/apply", "\"additive\""}};
    own.steps[0].try_shows = own.steps[0].facts[0];
    own.steps[0].try_shows->fails_with.clear();
    replace_file(folder.path() / "own.json", write_lesson(own));
    ASSERT_TRUE(session.open(folder.path() / "own.json"));
    session.next();
    open_editor();
    press("Words");
    type_into("Paper, book or thread", "a thread");
    driver->key(GLFW_KEY_ENTER);
    own.steps[0].source = "a thread";
    EXPECT_EQ(lesson(), own);
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_EQ(read_lesson(read_file(folder.path() / "own.json"), folder.path()), own);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(step().source, "");
    EXPECT_EQ(step().covers, own.steps[0].covers);
}

// A token goes into the caption as an expression, and so follows a rename.
TEST_F(WritesLesson, AQuestionIsTypedWithItsAnswers) {
    make_room();
    begin_lesson();
    press("Steps");
    type_into("One line", "Two masks");
    press("Words");
    EXPECT_FALSE(shows("True | also accepted", panel())) << "nothing is asked yet";
    type_into("Optional: asked first", "Rows or columns?");
    type_into("True | also accepted", "columns |  keys | ");
    enter();
    EXPECT_EQ(lesson().about, "Two masks");
    EXPECT_EQ(step().ask, "Rows or columns?");
    EXPECT_EQ(step().answers, (std::vector<std::string>{"columns", "keys"}));
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_TRUE(step().answers.empty()) << "typing is one step of undo";
    EXPECT_EQ(step().ask, "Rows or columns?");
}

TEST_F(WritesLesson, ATokenIsInsertedAsAnExpression) {
    begin_lesson();
    type_into("Two sentences", "Look at");
    press("“name”");
    press("“My”");
    EXPECT_EQ(step().caption, "Look at “{q[2]}” “{k[1]}”");
    EXPECT_EQ(session.words().caption, "Look at “name” “My”");
    session.edit("rename", [](Scene& scene) { rename_token(scene, 0, Side::queries, 2, "nom"); });
    driver->settle();
    EXPECT_EQ(session.words().caption, "Look at “nom” “My”");
    session.edit("rename", [](Scene& scene) { rename_token(scene, 0, Side::queries, 2, "##m"); });
    driver->settle();
    EXPECT_TRUE(shows("“" + chip_text("##m") + "”", panel()));
}

// Looking at another step, or another page, keeps a fact that was begun.
TEST_F(WritesLesson, ABegunFactWaits) {
    make_room();
    open_editor();
    press("Facts");
    press("Add as a fact");
    const Fact begun = driver->app().ui.lesson_editor->draft->fact;
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(shows("New fact", panel()));
    press("Steps");
    EXPECT_TRUE(shows("Title of the lesson", panel()));
    driver->key(GLFW_KEY_PAGE_UP);
    press("Facts");
    EXPECT_TRUE(shows("New fact", panel()));
    ASSERT_TRUE(driver->app().ui.lesson_editor->draft);
    EXPECT_EQ(driver->app().ui.lesson_editor->draft->fact, begun);
}

TEST_F(WritesLesson, ADraftIsSavedAndMarked) {
    begin_lesson();
    EXPECT_TRUE(shows("Lesson (draft)", panel()));
    save_as("draft.json");
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_TRUE(said().ends_with("draft.json, a draft: Step 1 needs a title.")) << said();
    EXPECT_TRUE(shows("draft.json · draft · saved", driver->app().panels.status));
    type_into("What the step shows", "Where it goes");
    EXPECT_TRUE(shows("draft.json · draft · not saved", driver->app().panels.status));
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_TRUE(session.document().is_saved());
    EXPECT_TRUE(said().ends_with("Step 1 needs a caption.")) << said();
}

// The line about what is missing appears, wraps and disappears in space of its own.
TEST_F(WritesLesson, NothingMovesWhenSomethingIsMissing) {
    begin_lesson();
    press("Steps");
    const Point before = place("+ Step", panel());
    for (const char* title : {"", "Where it goes"}) {
        for (const char* caption : {"", "Look.", "It keeps {B.nothing[0,0,2,1]} of what it has"}) {
            session.edit_lesson("words", [&](Lesson& lesson, int&) {
                lesson.steps[0].title = title;
                lesson.steps[0].caption = caption;
            });
            EXPECT_EQ(place("+ Step", panel()), before) << title << caption;
            EXPECT_TRUE(session.results().lesson_problem());
        }
    }
}

TEST_F(WritesLesson, UnsavedWorkIsAskedAbout) {
    begin_lesson();
    driver->key(GLFW_KEY_N, GLFW_MOD_CONTROL);
    ASSERT_TRUE(driver->app().ui.overlays.find<UnsavedQuestion>());
    enter();  // save
    EXPECT_FALSE(driver->app().ui.overlays.find<UnsavedQuestion>());
    EXPECT_NE(session.lesson(), nullptr);
    EXPECT_TRUE(driver->app().ui.overlays.find<PathLine>()) << "it has no name yet";
}

TEST_F(WritesLesson, StepsAreShownAddedCopiedStarredAndDeleted) {
    open_editor();
    const std::size_t steps = lesson().steps.size();
    const std::string second = lesson().steps[1].title;
    press(second);
    EXPECT_EQ(session.document().step, 1);
    press("☆");
    EXPECT_TRUE(step().star);
    const double row = place("Copy", panel()).y;  // rows of steps have stars, too
    click("★", {panel().x, row - 10, panel().w, 20});
    EXPECT_FALSE(step().star);
    press("Copy");
    EXPECT_EQ(session.document().step, 2);
    EXPECT_EQ(lesson().steps.size(), steps + 1);
    EXPECT_EQ(step(), lesson().steps[1]);
    press("Delete");
    EXPECT_EQ(lesson().steps.size(), steps);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(lesson().steps.size(), steps + 1);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(session.document().step, 1);
    press("+ Step");
    EXPECT_EQ(session.document().step, 2);
    EXPECT_TRUE(step().title.empty());
    EXPECT_EQ(step().scene.variants, lesson().steps[1].scene.variants);
    EXPECT_TRUE(shows("What the step shows", panel()));  // its words come next
}

TEST_F(WritesLesson, StepsMoveByDragAndByKeys) {
    open_editor();
    const std::string first = lesson().steps[0].title, third = lesson().steps[2].title;
    driver->drag(place(first, panel()), place(third, panel()));
    EXPECT_EQ(lesson().steps[2].title, first);
    EXPECT_EQ(session.document().step, 2);  // the one that is shown stays shown
    driver->key(GLFW_KEY_UP, GLFW_MOD_ALT);
    EXPECT_EQ(lesson().steps[1].title, first);
    EXPECT_EQ(session.document().step, 1);
    driver->key(GLFW_KEY_DOWN, GLFW_MOD_ALT);
    EXPECT_EQ(lesson().steps[2].title, first);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(lesson().steps[0].title, first);
}

TEST_F(WritesLesson, TheBenchIsTakenIntoTheStep) {
    open_editor();
    press("Save current view to this step");  // nothing to save
    EXPECT_FALSE(session.document().undo_name());
    session.edit("dtype", [](Scene& s) { s.variants[0].dtype = Dtype::float16; });
    press("Save current view to this step");
    EXPECT_EQ(step().scene.variants[0].dtype, Dtype::float16);
    EXPECT_EQ(session.document().undo_name(), "save the view to the step");
}

TEST_F(WritesLesson, TheCaptionIsTypedInEveryScriptAndUndoneAtOnce) {
    begin_lesson();
    type_into("Two sentences", "注意 👩‍👩‍👧 انتباه");
    EXPECT_EQ(step().caption, "注意 👩‍👩‍👧 انتباه");
    driver->key(GLFW_KEY_HOME);
    driver->type("{A.sum[0,0,0]} ");
    EXPECT_TRUE(session.words().caption.starts_with("1.00 注意") ||
                session.words().caption.starts_with("1 注意"))
        << session.words().caption;
    enter();
    EXPECT_FALSE(driver->app().gui.editing);
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    EXPECT_EQ(step().caption, "");
}

TEST_F(WritesLesson, EscapeGivesTheFirstTextBack) {
    open_editor();
    press("Words");
    const std::string title = step().title;
    type_into(title, "Other");
    EXPECT_EQ(step().title, "Other");
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_EQ(step().title, title);
    EXPECT_TRUE(driver->app().ui.lesson_editor);
}

// Up and Down in a caption of several lines; a press puts the caret where it is.
TEST_F(WritesLesson, TheCaretGoesFromLineToLine) {
    begin_lesson();
    type_into("Two sentences", "one two three four five six seven eight nine ten eleven twelve");
    const TokenField& field = driver->app().gui.editing->field;
    EXPECT_EQ(field.caret(), field.text().size());
    driver->key(GLFW_KEY_UP);
    const std::size_t above = field.caret();
    EXPECT_LT(above, field.text().size());
    EXPECT_GT(above, 0U);
    driver->key(GLFW_KEY_UP);
    driver->key(GLFW_KEY_UP);
    EXPECT_EQ(field.caret(), 0U);
    driver->key(GLFW_KEY_DOWN);
    EXPECT_GT(field.caret(), 0U);
    driver->key(GLFW_KEY_DOWN, GLFW_MOD_SHIFT);
    EXPECT_TRUE(field.has_selection());
}

TEST_F(WritesLesson, AClickOnTheBenchPicksItsVariantAndStage) {
    make_room();
    open_editor();
    session.view().show.stages = {StageKind::softmax, StageKind::weights};
    session.wait();
    press("Facts");
    driver->click(cell(StageKind::softmax, 1, 1, 2));
    const Pick& pick = driver->app().ui.lesson_editor->pick;
    EXPECT_EQ(pick.variant, 1);
    EXPECT_EQ(pick.of, "softmax");
    EXPECT_EQ(session.view().show.focus, (Cell{1, 2}));
    EXPECT_TRUE(shows("B.softmax[0,0,1,2]", panel()));
}

TEST_F(WritesLesson, WhereThePickedVariantIsRemovedTheFirstIsPicked) {
    begin_lesson();
    const int last = static_cast<int>(session.scene().variants.size());
    ASSERT_GE(last, 2);  // with one variant left there is nothing to choose
    ASSERT_TRUE(session.edit("a variant", [](Scene& scene) { duplicate_variant(scene, 0); }));
    driver->push({.kind = InputEvent::Kind::resize, .at = {2400, 1600}});  // it is in view
    driver->click(cell(StageKind::weights, last, 1, 0));
    ASSERT_EQ(driver->app().ui.lesson_editor->pick.variant, last);
    session.undo();
    driver->settle();
    EXPECT_EQ(driver->app().ui.lesson_editor->pick.variant, 0);
    EXPECT_FALSE(shows("There is no such number here.", panel()));
}

TEST_F(WritesLesson, AFactIsChangedAnotherCauseChosenAndRemoved) {
    make_room();
    open_editor();
    press("Facts");
    const Fact first = step().facts[0];
    press("Change");
    EXPECT_TRUE(shows("Change the fact", panel()));
    const auto before = driver->app().ui.lesson_editor->draft->from;
    press("Try another change");
    EXPECT_GT(driver->app().ui.lesson_editor->draft->from, before);
    press("Apply");
    EXPECT_EQ(step().facts[0].address, first.address);
    EXPECT_NE(step().facts[0].fails_with, first.fails_with);
    press("First");
    EXPECT_NE(step().facts[0].address, first.address);
    const std::size_t facts = step().facts.size();
    press("Remove");
    EXPECT_EQ(step().facts.size(), facts - 1);
}

TEST_F(WritesLesson, AFactThatIsChangedIsFoundWhereItStandsThen) {
    make_room();
    open_editor();
    press("Facts");
    session.edit_lesson("facts", [](Lesson& lesson, int& step) {
        auto& facts = lesson.steps[step].facts;
        facts.assign(3, facts[0]);
        facts[0].says = "fact one", facts[1].says = "fact two", facts[2].says = "fact three";
    });
    session.wait();
    press("Remove");  // one
    press("Change");  // two
    ASSERT_EQ(driver->app().ui.lesson_editor->draft->fact.says, "fact two");
    session.undo();
    session.wait();
    press("Try another change");
    press("Apply");
    ASSERT_EQ(step().facts.size(), 3U);
    EXPECT_EQ(step().facts[0].says, "fact one");
    EXPECT_EQ(step().facts[1].says, "fact two");
    EXPECT_NE(step().facts[1].fails_with, step().facts[0].fails_with);
    EXPECT_EQ(step().facts[2].says, "fact three");
}

// A file is dropped on the window while something is being written.
TEST_F(WritesLesson, WhatIsBeingWrittenDoesNotGoIntoAnotherDocument) {
    make_room();
    open_editor();
    press("Facts");
    press("Change");
    ASSERT_TRUE(driver->app().ui.lesson_editor->draft);
    press("Words");
    press(step().title);
    ASSERT_TRUE(driver->app().gui.editing);
    driver->push(
        {.kind = InputEvent::Kind::drop, .text = source_folder() + "/assets/lessons/heads.json"});
    driver->settle();
    EXPECT_EQ(lesson().name, "heads");
    EXPECT_TRUE(session.document().is_saved());
    EXPECT_FALSE(session.document().undo_name());
    EXPECT_FALSE(driver->app().gui.editing);
    EXPECT_TRUE(driver->app().ui.lesson_editor);
    EXPECT_FALSE(driver->app().ui.lesson_editor->draft);
}

TEST_F(WritesLesson, AFactOfAnExerciseTakesNoSolutionAway) {
    make_room();
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/decoding.json"));
    while (!step().exercise) session.go_to_step(session.document().step + 1);
    if (session.view().asks()) session.next();
    session.wait();
    ASSERT_TRUE(has_solution_to_show(session));
    const Step before = step();
    session.view().show.focus = Cell{2, 1};
    open_editor();
    press("Facts");
    press("Add as a fact");
    session.wait();
    press("Add the fact");
    EXPECT_EQ(step().facts.size(), before.facts.size() + 1);
    EXPECT_EQ(step().scene.variants, before.scene.variants);
    EXPECT_TRUE(has_solution_to_show(session));
    session.view().show.focus = Cell{1, 1};
    press("Add as a fact");
    session.wait();
    press("Add the fact");
    EXPECT_EQ(step().facts.size(), before.facts.size() + 2);
    EXPECT_EQ(step().scene.variants, before.scene.variants);
}

// A statement that nothing makes false is not accepted as a fact, nor is a false one.
TEST_F(WritesLesson, WhatCannotFailIsNotTaken) {
    begin_lesson();
    press("Facts");
    press("Add as a fact");
    auto& draft = driver->app().ui.lesson_editor->draft;
    draft->fact.is = Relation::not_equal;  // no weight is ever 5
    draft->fact.than = Comparand{5.0, {}, {}};
    EXPECT_TRUE(shows_part("No edit makes this fact false", panel()));
    press("Add the fact");
    EXPECT_TRUE(step().facts.empty());
    draft->fact.is = Relation::equal;
    EXPECT_TRUE(shows_part("no longer holds", panel()));
    press("Add the fact");
    EXPECT_TRUE(step().facts.empty());
    press("Cancel");
    EXPECT_FALSE(driver->app().ui.lesson_editor->draft);
}

TEST_F(WritesLesson, TheRelationAndTheNumberAreChosen) {
    begin_lesson();
    press("Facts");
    press("A");
    press("Every cell");
    EXPECT_TRUE(shows("A.weights[0,0,all,all]", panel()));
    press("This cell");
    press("Add as a fact");
    press("is above");
    click("is below", anywhere());
    EXPECT_EQ(driver->app().ui.lesson_editor->draft->fact.is, Relation::less);
    driver->app().ui.lesson_editor->draft->fact.than = Comparand{0.5, {}, {}};
    press("0.5");
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type("0.9");
    enter();
    const Fact& fact = driver->app().ui.lesson_editor->draft->fact;
    EXPECT_EQ(std::get<double>(fact.than->value), 0.9);
    EXPECT_NE(fact.says.find("below 0.9"), std::string::npos) << fact.says;
}

TEST_F(WritesLesson, TheBenchIsAddedToAFile) {
    Lesson short_lesson = lesson();
    short_lesson.steps.resize(1);
    replace_file(folder.path() / "lesson.json", write_lesson(short_lesson));
    open_scene();
    open_editor();
    press("Add to a lesson…");
    ASSERT_TRUE(driver->app().ui.overlays.find<PathLine>());
    driver->key(GLFW_KEY_A, GLFW_MOD_CONTROL);
    driver->type((folder.path() / "lesson.json").string());
    enter();
    ASSERT_NE(session.lesson(), nullptr) << said();
    EXPECT_EQ(lesson().steps.size(), 2U);
    EXPECT_EQ(session.document().step, 1);
}

}  // namespace
}  // namespace maskscope
