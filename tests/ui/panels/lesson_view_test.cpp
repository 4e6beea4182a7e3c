// Tests the lesson view with the panels closed. At the top are the question in large type, with its
// field and button, and dots for the steps. The fact and the source are at the bottom, notes and
// tables beside the bench.

#include "app/session/files/load.h"
#include "app/window/panels/panels.h"
#include "core/edit/edit.h"
#include "core/lesson/caption.h"
#include "tests/ui/panels/panels_fixture.h"
#include "tests/unit/app/figure/overlap.h"

namespace maskscope {
namespace {

class LessonView : public InPanels {
protected:
    LessonView() {
        driver->app().ui.sidebar.folded = driver->app().ui.inspector_folded = true;
        driver->settle();
    }
    void open_lesson(const std::string& name, int step = 0) {
        const LoadedLesson loaded = load_lesson("lesson:" + name);
        session.open_lesson(loaded.lesson, loaded.folder, step);
        session.wait();
        driver->settle();
    }
    void resize(double width, double height) {
        driver->push({.kind = InputEvent::Kind::resize, .at = {width, height}});
        driver->settle();
    }
    const Panels& panels() { return driver->app().panels; }
    // Returns the size of the largest text in the head.
    double largest() {
        double size = 0;
        for (const auto& drawn : driver->app().labels->drawn())
            if (lesson_head().contains({drawn.rect.x + 1, drawn.rect.y + drawn.rect.h / 2}))
                size = std::max(size, drawn.style.size);
        return size;
    }
    std::vector<Rect> heatmaps() {
        driver->settle();
        std::vector<Rect> rects;
        for (const Heatmap& map : driver->app().ui.bench.figure.heatmaps) rects.push_back(map.rect);
        return rects;
    }
};

TEST_F(LessonView, PanelsAreClosedUntilExploreOpensThem) {
    session.new_scene();
    driver->settle();
    EXPECT_GT(panels().sidebar.w, 0);
    EXPECT_EQ(panels().lesson_head.h, 0);
    ASSERT_TRUE(session.open(lesson_file));
    driver->settle();
    EXPECT_EQ(panels().sidebar.w, 0);
    EXPECT_EQ(panels().inspector.w, 0);
    EXPECT_FALSE(shows("Pipeline", panels().bench)) << "no tabs";
    EXPECT_FALSE(shows("Scaled scores", {0, panels().bench.y, 1600, 50})) << "no chips";
    click("Explore", anywhere());
    EXPECT_GT(panels().sidebar.w, 0);
    EXPECT_GT(panels().inspector.w, 0);
    EXPECT_TRUE(shows("Pipeline", panels().bench));
    EXPECT_GT(panels().lesson_head.h, 0) << "the question stays";
    session.next();
    session.next();
    driver->settle();
    EXPECT_GT(panels().sidebar.w, 0) << "a step closes nothing";
    click("Explore", anywhere());
    EXPECT_EQ(panels().sidebar.w, 0);
}

// The notes appear with the answer, so the meaning of a word must be found before that.
TEST_F(LessonView, AWordOfAQuestionIsExplainedUnderThePointer) {
    open_lesson("padding-and-nan-rows");
    ASSERT_TRUE(session.view().asks());
    for (const auto& drawn : driver->app().labels->drawn()) {
        const auto word = drawn.text.find("batch is computed");
        if (word == std::string::npos || !overlap(drawn.rect, lesson_head())) continue;
        const double before = measure(drawn.text.substr(0, word + 2), drawn.style).width;
        driver->move({drawn.rect.x + before, drawn.rect.y + drawn.rect.h / 2});
        break;
    }
    driver->settle();
    EXPECT_TRUE(shows_part("Several texts", anywhere()));
}

TEST_F(LessonView, TheQuestionIsLargeAndItsButtonShowsTheAnswer) {
    session.go_to_step(1);
    session.wait();
    driver->settle();
    ASSERT_TRUE(session.view().asks());
    EXPECT_GE(largest(), 20);
    EXPECT_TRUE(shows_part("Step 2 of 11", lesson_head()));
    EXPECT_FALSE(shows_part("✓", lesson_foot()));
    EXPECT_FALSE(shows_part("Source", lesson_foot()));
    const std::vector<Rect> before = heatmaps();
    click("Show answer", lesson_head());
    EXPECT_FALSE(session.view().asks());
    EXPECT_TRUE(shows_part("✓", lesson_foot()));
    EXPECT_TRUE(shows_part("Source", lesson_foot()));
    for (const Rect& rect : before)
        EXPECT_TRUE(std::ranges::count(heatmaps(), rect)) << "what was seen stays where it was";
    click("Next ›", lesson_head());
    EXPECT_EQ(session.document().step, 2);
}

TEST_F(LessonView, TheHeadIsAsHighInAllStepsAndTheButtonStaysInItsPlace) {
    const double height = panels().lesson_head.h;
    for (int k = 0; k < static_cast<int>(session.lesson()->steps.size()); ++k) {
        session.go_to_step(k);
        if (!session.view().asks()) continue;
        session.wait();
        const Point asked = place("Show answer", lesson_head());
        EXPECT_EQ(panels().lesson_head.h, height);
        session.next();
        session.wait();
        const auto next = find("Next ›", lesson_head());
        const auto last = find("Next lesson ›", lesson_head());
        ASSERT_TRUE(next || last);
        EXPECT_EQ((next ? next : last)->y, asked.y) << k;
    }
}

TEST_F(LessonView, DotsGoToTheirStep) {
    const double y = place("▾", top_bar()).y, left = place("▾", top_bar()).x + 26;
    const double of_one =
        step_dots_width(driver->app().gui, session) / 12;  // the shown one is as wide as two
    driver->click({left + 5.5 * of_one, y});
    EXPECT_EQ(session.document().step, 4);
    driver->click({left + 0.5 * of_one, y});
    EXPECT_EQ(session.document().step, 0);
    driver->click({left + 11.5 * of_one, y});
    EXPECT_EQ(session.document().step, 10);
}

TEST_F(LessonView, NotesOpenAndClose) {
    session.go_to_step(1);
    session.next();
    session.wait();
    driver->settle();
    const double width = panels().bench.w;
    EXPECT_FALSE(session.words().notes.empty());
    driver->app().ui.notes_open = false;
    click("Notes", lesson_head());
    EXPECT_GT(panels().lesson_notes.w, 100);
    const std::string first = session.words().notes.substr(0, session.words().notes.find(' ', 12));
    EXPECT_TRUE(shows_part(first, panels().lesson_notes)) << first;
    EXPECT_LT(panels().bench.w, width);
    click("Notes", lesson_head());
    EXPECT_EQ(panels().bench.w, width);
    EXPECT_FALSE(shows_part(first, panels().lesson_notes));
}

TEST_F(LessonView, NotesAndTableAreReachableBesideOpenPanels) {
    open_lesson("break-it", 8);
    session.next();
    driver->app().ui.notes_open = false;
    click("Explore", anywhere());
    EXPECT_EQ(panels().lesson_notes.w, 0) << "the bench has the space";
    EXPECT_GT(inspector().w, 0);
    const double bench = panels().bench.w;
    click("Notes", lesson_head());
    EXPECT_TRUE(shows("0.021", panels().lesson_notes));
    EXPECT_EQ(panels().bench.w, bench) << "in place of the inspector";
    EXPECT_EQ(inspector().w, 0);
    driver->key(GLFW_KEY_2, GLFW_MOD_CONTROL);
    EXPECT_TRUE(shows("0.021", panels().lesson_notes)) << "beside the bench";
    click("Notes", lesson_head());
    EXPECT_EQ(panels().lesson_notes.w, 0);
}

// If a Try names a variant, a rule, inputs or tokens, its button opens the panel at that place. The
// panel closes with the step.
TEST_F(LessonView, TheTryOpensItsPanelAndTheStepClosesIt) {
    session.go_to_step(1);
    session.next();
    click("Open variant A", lesson_head());
    EXPECT_GT(panels().sidebar.w, 0);
    EXPECT_EQ(inspector().w, 0);
    EXPECT_EQ(driver->app().ui.sidebar.variant, 0);
    EXPECT_TRUE(shows("How the mask is applied", panels().sidebar));
    session.next();
    driver->settle();
    EXPECT_EQ(panels().sidebar.w, 0);
    session.next();
    click("Open variant B", lesson_head());
    EXPECT_EQ(driver->app().ui.sidebar.variant, 1);
    driver->key(GLFW_KEY_1, GLFW_MOD_CONTROL);
    driver->key(GLFW_KEY_1, GLFW_MOD_CONTROL);
    session.next();
    driver->settle();
    EXPECT_GT(panels().sidebar.w, 0) << "what the user opened stays open";
    driver->key(GLFW_KEY_1, GLFW_MOD_CONTROL);
    open_lesson("decoding", 7);
    session.next();
    click("Open the inputs", lesson_head());
    EXPECT_TRUE(shows("tile", panels().sidebar));
    open_lesson("one-row", 5);
    session.next();
    click("Show Q, K, V", lesson_head());
    EXPECT_TRUE(session.view().show.vectors);
    EXPECT_FALSE(shows("Show Q, K, V", lesson_head()));
    open_lesson("one-row", 6);
    session.next();
    EXPECT_FALSE(shows_part("Open ", lesson_head())) << "the cell is on the bench";
}

TEST_F(LessonView, AStepThatIsNoLongerItsOwnOffersToRestoreIt) {
    EXPECT_FALSE(shows("Restore the step", lesson_head()));
    const Scene before = session.scene();
    session.edit("", [](Scene& scene) { set_sentence(scene, 0, Side::queries, {"a", "b"}); });
    session.wait();
    ASSERT_EQ(session.words().caption, own_bench);
    EXPECT_EQ(session.words().ask, "") << "it is said once";
    const Rect head = lesson_head();
    click("Restore the step", head);
    session.wait();
    EXPECT_EQ(session.scene().sequences, before.sequences);
    EXPECT_FALSE(shows("Restore the step", lesson_head()));
    EXPECT_EQ(lesson_head().h, head.h) << "as high as before";
}

TEST_F(LessonView, TheQuestionStaysAboveItsAnswer) {
    session.go_to_step(1);
    session.wait();
    const std::string asked = session.words().caption;
    ASSERT_TRUE(session.view().asks());
    EXPECT_EQ(session.words().ask, "");
    session.next();
    session.wait();
    EXPECT_EQ(session.words().ask, asked);
    EXPECT_TRUE(shows_part(asked.substr(0, 20), lesson_head()));
    const Point question = place(asked, lesson_head());
    const std::string answer = "Answer: " + session.words().answers.at(0);
    EXPECT_EQ(place(answer, lesson_head()).y, question.y);
    EXPECT_GT(place("Next ›", lesson_head()).y, question.y);
    driver->key(GLFW_KEY_F5);
    EXPECT_TRUE(shows_part(asked.substr(asked.size() - 20), anywhere())) << "presented, too";
    EXPECT_TRUE(shows_part(answer, anywhere()));
}

TEST_F(LessonView, AtTheEndOfAPartPageDownFollowsTheCourse) {
    open_lesson("break-it", 1);
    session.next();
    EXPECT_TRUE(shows("Next lesson ›", lesson_head()));
    EXPECT_TRUE(shows("Stay in this lesson ›", lesson_head()));
    const Point button = place("Next lesson ›", lesson_head());
    const auto colour = [&] { return driver->pixels().at(button.x, button.y + 12); };
    const Colour before = colour();
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_NE(colour(), before) << "the button stands out";
    EXPECT_EQ(session.document().step, 1);
    EXPECT_TRUE(
        shows_part("The course goes on with “Additive or multiplicative?”: press Page Down again.",
                   panels().status));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.lesson()->name, "additive-or-multiplicative");
    driver->key(GLFW_KEY_PAGE_UP);
    EXPECT_EQ(session.lesson()->name, "break-it");
    EXPECT_EQ(session.document().step, 1);
    EXPECT_FALSE(session.view().asks()) << "as it was left";
    driver->key(GLFW_KEY_PAGE_UP);
    EXPECT_EQ(session.document().step, 0) << "within the lesson";
    open_lesson("break-it", 1);
    session.next();
    click("Stay in this lesson ›", lesson_head());
    EXPECT_EQ(session.lesson()->name, "break-it");
    EXPECT_EQ(session.document().step, 2);
}

TEST_F(LessonView, TheTableStandsBesideTheBenchOnceTheStepIsAnswered) {
    open_lesson("break-it", 8);
    ASSERT_TRUE(session.view().asks());
    EXPECT_FALSE(shows_part("the right masks", anywhere()));
    session.next();
    session.wait();
    EXPECT_TRUE(shows("the right masks", panels().lesson_notes));
    EXPECT_TRUE(shows("0.021", panels().lesson_notes));
    driver->key(GLFW_KEY_F5);
    driver->key(GLFW_KEY_N);
    EXPECT_TRUE(shows("0.021", anywhere())) << "while presenting, with the notes";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(shows("0.021", anywhere()));
}

// The Try of step 1 makes the fact false, and the window says so; the caption stays true.
TEST_F(LessonView, ATryThatWasFollowedSaysDone) {
    const std::string caption = session.words().caption;
    EXPECT_FALSE(what_is_done(session));
    EXPECT_TRUE(shows_part("Try: ", lesson_head()));
    session.edit("the Try", [](Scene& scene) { set_allowed(scene, {0, 1}, 0, 0, {2, 4}, true); });
    session.wait();
    driver->settle();
    ASSERT_TRUE(what_is_done(session));
    EXPECT_EQ(session.words().caption, caption) << "as the step began";
    EXPECT_TRUE(shows("✓ Done", lesson_head()));
    EXPECT_TRUE(shows_part(": false, as intended", lesson_foot()) || judged_claim(session).holds);
    session.edit("beyond it", [](Scene& scene) { set_allowed(scene, {0, 1}, 0, 0, {2, 5}, true); });
    session.wait();
    driver->settle();
    EXPECT_NE(session.words().caption, caption) << "another edit: live again";
    driver->key(GLFW_KEY_R);
    session.wait();
    driver->settle();
    EXPECT_FALSE(what_is_done(session));
    EXPECT_EQ(session.words().caption, caption);
}

TEST_F(LessonView, CountedAnswersAreBarsBesideTheBench) {
    session.go_to_step(1);
    session.wait();
    driver->settle();
    session.answer("to copy: 12");
    session.answer("nothing: 5");
    EXPECT_TRUE(shows("to copy", panels().lesson_notes));
    EXPECT_TRUE(shows("12", panels().lesson_notes));
    EXPECT_FALSE(shows("✓ to copy", anywhere())) << "not before the answer";
    session.next();
    session.wait();
    EXPECT_TRUE(shows("✓ to copy", panels().lesson_notes));
    EXPECT_TRUE(shows("nothing", panels().lesson_notes));
    driver->key(GLFW_KEY_F5);
    EXPECT_TRUE(shows("✓ to copy", anywhere())) << "while presenting, too";
}

// Returns the middle of a cell of the weights of a variant.
Point cell_of(ui::Driver& driver, int variant, Index i, Index j) {
    driver.settle();
    const BenchState& bench = driver.app().ui.bench;
    for (const Heatmap& map : bench.figure.heatmaps)
        if (map.variant == variant && map.cells->stage == StageKind::weights) {
            const Rect cell = cell_rect(map, i, j);
            return {bench.figure_at.x + cell.x + cell.w / 2,
                    bench.figure_at.y + cell.y + cell.h / 2};
        }
    ADD_FAILURE() << "no weights";
    return {-1, -1};
}

TEST_F(LessonView, ACardBesideTheClickedCellShowsItsArithmetic) {
    EXPECT_EQ(panels().cell_card.w, 0) << "the cell that a step points at has none";
    driver->click(cell_of(*driver, 0, 2, 1));
    driver->settle();
    const Rect card = panels().cell_card;
    ASSERT_GT(card.w, 0);
    EXPECT_TRUE(shows("attends to", card));
    EXPECT_TRUE(shows_part("weight in A", card));
    EXPECT_TRUE(shows_part("weight in B", card));
    EXPECT_FALSE(card.contains(cell_of(*driver, 0, 2, 1))) << "beside it";
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_TRUE(shows("name", panels().cell_card)) << "it follows the cell cursor";
    driver->key(GLFW_KEY_ESCAPE);
    driver->settle();
    EXPECT_EQ(panels().cell_card.w, 0);
    driver->key(GLFW_KEY_LEFT);
    driver->settle();
    ASSERT_GT(panels().cell_card.w, 0);
    click("×", panels().cell_card);
    driver->settle();
    EXPECT_EQ(panels().cell_card.w, 0);
}

// If the picture takes the whole width, the card is where nothing else is.
TEST_F(LessonView, TheCardHidesNoHeatmapIfThereIsRoom) {
    session.new_scene();
    session.edit("seven tokens", [](Scene& scene) {
        set_sentence(scene, 0, Side::queries, split_sentence("il gatto nero dorme sul suo letto"));
    });
    session.view().show.stages.reset();  // all stages, in cells that leave space below
    resize(1366, 768);
    driver->app().ui.sidebar.folded = driver->app().ui.inspector_folded = true;
    for (const Index key : {0, 3, 6}) {
        driver->settle();
        driver->click(cell_of(*driver, 0, 3, key));
        driver->settle();
        const Rect card = panels().cell_card;
        ASSERT_GT(card.w, 0);
        const Point at = driver->app().ui.bench.figure_at;
        for (Rect rect : heatmaps()) {
            rect.x += at.x;
            rect.y += at.y;
            EXPECT_FALSE(overlap(card, rect)) << key;
        }
        EXPECT_GE(card.y, at.y) << "below the tabs and chips";
    }
}

TEST_F(LessonView, TheCardSaysNothingOfWhatIsCovered) {
    for (int k = 0; k < static_cast<int>(session.lesson()->steps.size()); ++k) {
        session.go_to_step(k);
        session.wait();
        driver->settle();
        if (!session.view().asks()) continue;
        driver->key(GLFW_KEY_DOWN);
        driver->key(GLFW_KEY_UP);
        driver->settle();
        const Rect card = panels().cell_card;
        if (card.w <= 0) continue;
        SCOPED_TRACE(k);
        for (int variant = 0; variant < static_cast<int>(session.scene().variants.size());
             ++variant)
            if (session.view().hides(StageKind::weights, variant)) {
                EXPECT_TRUE(shows(std::string("weight in ") + char('A' + variant), card));
                EXPECT_TRUE(shows("?", card));
            }
    }
}

// The card appears while the button is held, and does not react to that press.
TEST_F(LessonView, AClickEndsAFieldAndPressesItsButton) {
    session.view().show.stages = {StageKind::scaled, StageKind::weights};
    session.wait();
    driver->settle();
    const auto type_score = [&](const std::string& number) {
        const auto& maps = driver->app().ui.bench.figure.heatmaps;
        const auto scaled = std::ranges::find_if(
            maps, [](const Heatmap& map) { return map.cells->stage == StageKind::scaled; });
        ASSERT_NE(scaled, maps.end());
        const Rect cell = cell_rect(*scaled, 1, 2);
        const Point at = driver->app().ui.bench.figure_at;
        driver->double_click({at.x + cell.x + cell.w / 2, at.y + cell.y + cell.h / 2});
        driver->settle();
        ASSERT_TRUE(driver->app().gui.editing);
        driver->type(number);
    };
    type_score("2.5");
    click("Explore", top_bar());
    EXPECT_FALSE(driver->app().gui.editing);
    EXPECT_TRUE(session.document().undo_name()) << "the typed number is kept";
    EXPECT_GT(panels().sidebar.w, 0) << "and the panels are open";
    click("Explore", top_bar());
    EXPECT_EQ(panels().sidebar.w, 0);
    type_score("-1");
    click("Export", top_bar());
    EXPECT_TRUE(driver->app().ui.overlays.find<ExportSheet>());
    driver->key(GLFW_KEY_ESCAPE);
    type_score("0.5");
    click("Next ›", lesson_head());
    EXPECT_EQ(session.document().step, 1);
}

TEST_F(LessonView, WithTheInspectorOpenThereIsNoCard) {
    click("Explore", anywhere());
    driver->click(cell_of(*driver, 0, 2, 1));
    driver->settle();
    EXPECT_EQ(panels().cell_card.w, 0);
}

TEST_F(LessonView, FitsSmallWindows) {
    for (const Point size : {Point{800, 600}, Point{1024, 768}, Point{1366, 768}}) {
        resize(size.x, size.y);
        for (int k = 0; k < static_cast<int>(session.lesson()->steps.size()); ++k) {
            session.go_to_step(k);
            session.wait();
            driver->settle();
            for (const auto& drawn : driver->app().labels->drawn()) {
                const Rect& head = lesson_head();
                const Point middle{drawn.rect.x + drawn.rect.w / 2,
                                   drawn.rect.y + drawn.rect.h / 2};
                if (!head.contains(middle)) continue;
                EXPECT_LE(drawn.rect.right(), head.right() + 1) << drawn.text;
                EXPECT_LE(drawn.rect.bottom(), head.bottom() + 1) << drawn.text;
                EXPECT_FALSE(drawn.text.ends_with(" …")) << drawn.text;
            }
        }
    }
}

}  // namespace
}  // namespace maskscope
