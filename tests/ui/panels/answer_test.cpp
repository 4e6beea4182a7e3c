// Tests answers that a student types, or a class gives by hands, before the step is uncovered: they
// are shown beside the correct one.

#include "app/session/files/load.h"
#include "app/window/paint/painter.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

// A step that asks a question, whose answer is "Luke", and covers variant B. Its mask does not
// allow "name" to attend to "Luke" (row 2, key 4).
class Asked : public InPanels {
protected:
    Asked() {
        driver->push(
            {.kind = InputEvent::Kind::resize, .at = {2000, 1200}});  // both variants are in view
        ask({"Luke"});
    }

    void ask(const std::vector<std::string>& answers) {
        LoadedLesson loaded = load_lesson("lesson:additive-or-multiplicative");
        Step& step = loaded.lesson.steps[0];
        step.ask = "Which one?";
        step.answers = answers;
        step.covers = Cover{{{1}}, {}};
        session.open_lesson(loaded.lesson, loaded.folder);
        driver->settle();
    }
    std::string words() {
        return session.answers().judged ? session.answers().judged->words : "nothing";
    }
    // Returns the middle of a cell of variant B's covered weights.
    Point hidden(Index i, Index j) {
        driver->settle();
        const BenchState& bench = driver->app().ui.bench;
        for (const Heatmap& map : bench.figure.hidden)
            if (map.variant == 1 && map.cells->stage == StageKind::weights) {
                const Rect cell = cell_rect(on_screen(map, bench.figure_at), i, j);
                return {cell.x + cell.w / 2, cell.y + cell.h / 2};
            }
        ADD_FAILURE() << "variant B is not covered";
        return {};
    }
    void present() { driver->key(GLFW_KEY_F5); }
};

TEST_F(Asked, EnterOpensTheFieldAndWhatIsTypedUncovers) {
    enter();
    driver->type("luke");
    EXPECT_TRUE(session.view().asks());
    enter();
    EXPECT_FALSE(session.view().asks());
    EXPECT_EQ(words(), "You said “luke”: right.");
    EXPECT_TRUE(shows("You said “luke”: right.", lesson_head())) << "beside the question";
    EXPECT_TRUE(shows_part("✓ ", lesson_foot()));
}

TEST_F(Asked, AClickOnTheFieldTypesToo) {
    click("Your answer, then Enter", lesson_head());
    driver->type("name");
    enter();
    EXPECT_EQ(words(), "You said “name”. The answer is Luke.");
    EXPECT_FALSE(session.answers().judged->right);
}

TEST_F(Asked, LeavingTheFieldSaysItAndUncoversNothing) {
    enter();
    driver->type("is");
    driver->click({lesson_head().x + lesson_head().w / 2, lesson_head().y + 50});
    EXPECT_TRUE(session.view().asks());
    EXPECT_EQ(session.answers().said, (std::vector<GivenAnswer>{{"is", 0}}));
    EXPECT_TRUE(shows("You said “is”.", lesson_head()));
    enter();
    EXPECT_EQ(words(), "You said “is”. The answer is Luke.");
}

TEST_F(Asked, EscapeSaysNothing) {
    enter();
    driver->type("is");
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_TRUE(session.answers().said.empty());
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(words(), "nothing");
}

TEST_F(Asked, PageDownEndsTypingAndUncovers) {
    enter();
    driver->type("Luke");
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(session.view().asks());
    EXPECT_EQ(session.document().step, 0);
    EXPECT_EQ(words(), "You said “Luke”: right.");
}

TEST_F(Asked, AClickOnAHiddenCellAnswersWithItsKey) {
    driver->click(hidden(2, 3));
    EXPECT_EQ(session.answers().said, (std::vector<GivenAnswer>{{"is", 0}}));
    driver->click(hidden(2, 4));
    EXPECT_EQ(session.answers().said, (std::vector<GivenAnswer>{{"Luke", 0}}))
        << "the reader may change the answer";
    EXPECT_TRUE(session.view().asks());
    enter();
    EXPECT_EQ(words(), "You said “Luke”: right.");
}

TEST_F(Asked, AClickAnswersWithItsVariantWhereAVariantIsTheAnswer) {
    ask({"B"});
    driver->click(hidden(0, 0));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(words(), "You said “B”: right.");
}

TEST_F(Asked, AClickSaysThatANumberIsTyped) {
    ask({"{B.sum[0,0,2]:%}"});
    driver->click(hidden(2, 4));
    EXPECT_TRUE(session.answers().said.empty());
    EXPECT_EQ(session.message()->text, "Press Enter, then type the answer: a number or a word.");
    enter();
    driver->type("50");
    enter();
    EXPECT_EQ(words(), "You said 50, 15 points too much. The answer is 35%.");
}

TEST_F(Asked, TheCellThatTheStepPointsAtIsMarkedOnceItIsUncovered) {
    EXPECT_FALSE(marked_cell(session));
    driver->key(GLFW_KEY_DOWN);
    EXPECT_TRUE(marked_cell(session)) << "the student's own cursor";
    driver->key(GLFW_KEY_R);
    EXPECT_FALSE(marked_cell(session));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(marked_cell(session), session.view().show.focus);
    EXPECT_TRUE(marked_cell(session));
}

TEST_F(Asked, WhatIsSaidStaysBesideTheTruthUntilTheStepIsLeft) {
    enter();
    driver->type("Luke");
    enter();
    session.edit("", [](Scene& scene) { scene.variants.pop_back(); });
    driver->settle();
    EXPECT_EQ(words(), "You said “Luke”: right.") << "an edit does not change the answer";
    session.go_to_step(1);
    EXPECT_EQ(words(), "nothing");
    session.go_to_step(0);
    EXPECT_EQ(words(), "nothing");
    EXPECT_TRUE(session.view().asks()) << "asked again";
}

TEST_F(Asked, WhatWasSaidBelongsToItsStep) {
    session.next();
    session.edit("an edit", [](Scene& scene) { scene.variants.pop_back(); });
    session.go_to_step(1);
    driver->settle();
    session.answer("copy");
    session.next();
    EXPECT_EQ(words(), "You said “copy”: right.");
    session.undo();
    ASSERT_EQ(session.document().step, 0) << "undo leads back to the edited step";
    EXPECT_EQ(words(), "nothing");
}

TEST_F(Asked, HandsAreCountedWhilePresenting) {
    present();
    for (const char* counted : {"Luke: 23", "name: 12"}) {
        enter();
        driver->type(counted);
        EXPECT_FALSE(driver->app().ui.presenting->blank) << "letters are typed, not pressed";
        enter();
        EXPECT_TRUE(session.view().asks());
    }
    EXPECT_TRUE(shows("Luke 23, name 12.", anywhere()));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(session.view().asks());
    EXPECT_TRUE(shows("Luke 23, name 12. The answer is Luke.", anywhere()));
    EXPECT_TRUE(session.answers().judged->right);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.document().step, 1);
    EXPECT_FALSE(shows_part("Luke 23", anywhere()));
}

TEST_F(Asked, CountsFollowEachOtherWithoutLeavingTheField) {
    present();
    enter();
    driver->type("Luke: 23, name: 12");
    enter();
    EXPECT_TRUE(shows("Luke 23, name 12.", anywhere())) << "two answers";
    driver->type("is: 4");
    enter();
    EXPECT_TRUE(shows("Luke 23, name 12, is 4.", anywhere())) << "no key was pressed";
    EXPECT_TRUE(session.view().asks());
    enter();
    EXPECT_TRUE(session.view().asks()) << "nothing was typed";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().gui.editing);
    EXPECT_TRUE(driver->app().ui.presenting);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(session.view().asks());
}

TEST_F(Asked, CountsOnOneLineAreTakenOneByOne) {
    for (const char* counted :
         {"Luke: 5, 0,5: 9", "Luke: 5,0,5: 9", "Luke:5; 0,5 :9 ", "Luke: 5,0,5: 9,"}) {
        ASSERT_TRUE(session.answer(counted));
        EXPECT_EQ(session.answers().said, (std::vector<GivenAnswer>{{"Luke", 5}, {"0,5", 9}}))
            << counted;
    }
    ASSERT_TRUE(session.answer("Luke, who is: 5"));
    EXPECT_EQ(session.answers().said.back(), (GivenAnswer{"Luke, who is", 5}));
    ASSERT_TRUE(session.answer("a: 1, b"));
    EXPECT_EQ(session.answers().said.back(), (GivenAnswer{"a: 1, b", 0})) << "no count";
}

TEST_F(Asked, WhilePresentingTheFieldStaysUntilTheAnswerIsShown) {
    present();
    EXPECT_TRUE(shows("Your answer, then Enter", anywhere()));
    enter();
    EXPECT_TRUE(driver->app().gui.editing);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().gui.editing);
    EXPECT_TRUE(driver->app().ui.presenting);
    driver->click(hidden(2, 4));
    EXPECT_TRUE(shows("You said “Luke”.", anywhere()));
    enter();
    EXPECT_TRUE(shows("You said “Luke”: right.", anywhere()));
}

}  // namespace
}  // namespace maskscope
