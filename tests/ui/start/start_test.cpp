// Tests the page with which a newcomer begins, by the mouse and by the keys.

#include <chrono>

#include "app/session/course.h"
#include "app/session/files/state_files.h"
#include "app/window/actions/actions.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

class OnStart : public InPanels {
protected:
    OnStart() {
        setenv("XDG_STATE_HOME", state.path().c_str(), 1);
        open_start(app());
        driver->settle();
    }
    ~OnStart() override { setenv("XDG_STATE_HOME", (state.path() / "later").c_str(), 1); }

    App& app() { return driver->app(); }
    Ui& ui() { return driver->app().ui; }
    const Rect& page() { return driver->app().panels.over_bench; }
    StartPage::Door door() { return ui().overlays.find<StartPage>()->door; }
    void again() {
        ui().overlays.close<StartPage>();
        open_start(app());
        driver->settle();
    }
    void tab(int modifiers = 0) { driver->key(GLFW_KEY_TAB, modifiers); }
    LayerKind first_layer() { return scene().variants[0].mask.layers.at(0).kind; }

    const Folder state;
};

using Door = StartPage::Door;

TEST_F(OnStart, SaysWhatThisIsAndHasThreeButtons) {
    for (const char* words : {"See what a mask does to attention", "Learn", "Try your own sentence",
                              "Look into a model", "Drop a file here"})
        EXPECT_TRUE(shows(words, page())) << words;
    EXPECT_FALSE(shows("Pipeline", anywhere())) << "the open file is offered below";
    EXPECT_FALSE(shows("Present", top_bar()));
    EXPECT_FALSE(shows("Recent", page())) << "there is none yet";
}

TEST_F(OnStart, EnterPressesTheFirstButton) {
    EXPECT_EQ(door(), Door::learn);
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    ASSERT_TRUE(session.lesson());
    EXPECT_EQ(session.lesson()->name, "one-row");
    EXPECT_EQ(session.document().step, 0);
}

TEST_F(OnStart, TabGoesFromButtonToButtonAndAround) {
    tab();
    EXPECT_EQ(door(), Door::sentence);
    EXPECT_TRUE(app().gui.editing);
    tab();
    EXPECT_EQ(door(), Door::model);
    EXPECT_FALSE(app().gui.editing);
    tab();
    EXPECT_EQ(door(), Door::learn);
    tab(GLFW_MOD_SHIFT);
    EXPECT_EQ(door(), Door::model);
    enter();
    EXPECT_TRUE(ui().overlays.find<PathLine>());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().overlays.find<PathLine>());
    EXPECT_TRUE(ui().overlays.find<StartPage>());
}

TEST_F(OnStart, EnterInTheSentenceOpensTheBench) {
    tab();
    driver->type("My name is Luke");
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(tokens(), (TokenList{"My", "name", "is", "Luke"}));
    EXPECT_EQ(first_layer(), LayerKind::causal);
    EXPECT_EQ(session.lesson(), nullptr);
    EXPECT_TRUE(session.document().is_saved()) << "nothing would be lost";
}

TEST_F(OnStart, TheWeightsOfTheSentenceAreInSight) {
    for (const Point size : {Point{1366, 768}, Point{1600, 1000}, Point{1920, 1080}}) {
        again();
        driver->push({.kind = InputEvent::Kind::resize, .at = size});
        tab();
        driver->type("the students asked the old teacher why");
        enter();
        session.wait();
        driver->settle();
        ASSERT_FALSE(ui().overlays.find<StartPage>());
        EXPECT_EQ(tokens().size(), 7u);
        EXPECT_EQ(shown_stages(session.view().show), std::vector{StageKind::weights});
        const BenchState& bench = ui().bench;
        EXPECT_GE(bench.seen->w, bench.whole.width - 1) << "all is in sight, at " << size.x;
        EXPECT_GE(bench.seen->h, bench.whole.height - 1);
    }
}

TEST_F(OnStart, AnUnchangedSentenceOpensItToo) {
    tab();
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(tokens().size(), 4u);
}

TEST_F(OnStart, AMaskIsChosenByTheMouseAndByTheArrows) {
    click("no mask", page());
    click("Try it", page());
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_TRUE(scene().variants[0].mask.layers.empty());
    again();
    tab();
    driver->key(GLFW_KEY_DOWN);  // causal
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_DOWN);
    enter();
    EXPECT_EQ(ui().overlays.find<StartPage>()->mask, 2u) << "the window";
    tab(GLFW_MOD_SHIFT);
    tab();
    enter();
    EXPECT_EQ(first_layer(), LayerKind::window);
}

TEST_F(OnStart, PaddingHasAPadAndCrossAttentionTwoSentences) {
    click("padding", page());
    click("Try it", page());
    EXPECT_EQ(tokens().back(), "<pad>");
    EXPECT_EQ(first_layer(), LayerKind::padding);
    EXPECT_TRUE(session.shown().variants[0].is_pad(0, 4));
    again();
    EXPECT_FALSE(shows("Il gatto si sedette", page()));
    click("encoder → decoder", page());
    click("Il gatto si sedette", page());
    driver->type("il gatto");
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(tokens(), (TokenList{"il", "gatto"}));
    ASSERT_TRUE(scene().sequences[0].keys);
    EXPECT_EQ(scene().sequences[0].keys->back(), "<pad>");
}

TEST_F(OnStart, ASentenceWithoutWordsIsRefusedBesideItsField) {
    tab();
    driver->type(" ");
    enter();
    ASSERT_TRUE(ui().overlays.find<StartPage>());
    EXPECT_TRUE(shows("Type a sentence first.", page()));
}

TEST_F(OnStart, LearnContinuesAtTheLastStep) {
    const auto& lessons = built_in_lessons();
    const auto padding = std::ranges::find(lessons, "padding-and-nan-rows", &BuiltInLesson::name);
    open_lesson(padding->name, 2)(app());
    remember_course(state.path() / "maskscope", session);
    open_lesson("heads")(app());
    again();
    const std::string words =
        "Continue: " + padding->title + ", 3 of " + std::to_string(padding->steps.size());
    EXPECT_TRUE(shows(words, page()));
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(session.lesson()->name, padding->name);
    EXPECT_EQ(session.document().step, 2);
    again();
    const auto document = session.document().number;
    enter();
    EXPECT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(session.document().number, document) << "it was still open, with its changes";
}

TEST_F(OnStart, RecentFilesAreADoorOfTheirOwn) {
    const Folder folder;
    const fs::path file = folder.path() / "week-7.json";
    fs::copy_file(source_folder() + "/assets/scenes/cross.json", file);
    remember_file(state.path() / "maskscope", file);
    again();
    EXPECT_TRUE(shows("Recent", page()));
    tab(GLFW_MOD_SHIFT);
    EXPECT_EQ(door(), Door::recent);
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(session.document().path(), file);
    again();
    click("week-7.json", page());
    EXPECT_FALSE(ui().overlays.find<StartPage>());
}

TEST_F(OnStart, ADroppedFileIsOpenedOrRefusedThere) {
    const Folder folder;
    const fs::path file = folder.path() / "none.json";
    std::ofstream(file) << "{";
    driver->push({.kind = InputEvent::Kind::drop, .text = file.string() + '\0'});
    driver->settle();
    ASSERT_TRUE(ui().overlays.find<StartPage>());
    EXPECT_TRUE(shows_part("none.json", page())) << "why it is not opened";
    const std::string scene = source_folder() + "/assets/scenes/cross.json";
    driver->push({.kind = InputEvent::Kind::drop, .text = scene + '\0'});
    driver->settle();
    EXPECT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(session.document().path(), scene);
}

TEST_F(OnStart, UnsavedWorkIsAskedForFirst) {
    ui().overlays.close<StartPage>();
    session.edit("", [](Scene& s) { rename_token(s, 0, Side::queries, 4, "Leia"); });
    again();
    enter();
    ASSERT_TRUE(ui().overlays.find<UnsavedQuestion>());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_TRUE(ui().overlays.find<StartPage>());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(ui().overlays.find<StartPage>());
    EXPECT_EQ(tokens()[4], "Leia") << "it was over what is open";
}

TEST_F(OnStart, KeysOfTheBenchDoNothingUnderIt) {
    const int step = session.document().step;
    const Scene before = scene();
    for (const int key : {GLFW_KEY_PAGE_DOWN, GLFW_KEY_P, GLFW_KEY_DELETE, GLFW_KEY_F5})
        driver->key(key);
    EXPECT_EQ(session.document().step, step);
    EXPECT_EQ(scene(), before);
    EXPECT_FALSE(ui().presenting);
    EXPECT_TRUE(ui().overlays.find<StartPage>());
}

TEST_F(OnStart, LinksLeadToLessonsQuestionsAndHelp) {
    click("All lessons, steps and exercises", page());
    EXPECT_TRUE(ui().overlays.find<Palette>());
    driver->key(GLFW_KEY_ESCAPE);
    click("How to save them from PyTorch or transformers", page());
    EXPECT_TRUE(shows("Record a model", rect_of<KeyHelp>(app())));
    driver->key(GLFW_KEY_ESCAPE);
    click("Questions that students ask", page());
    EXPECT_TRUE(ui().overlays.find<KeyHelp>());
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_TRUE(ui().overlays.find<StartPage>());
}

TEST_F(OnStart, TheMenuOfTheTitleLeadsBack) {
    enter();
    ASSERT_FALSE(ui().overlays.find<StartPage>());
    click(session.lesson()->title, top_bar());
    click("Start", rect_of<Palette>(app()));
    EXPECT_TRUE(ui().overlays.find<StartPage>());
    click("⋯", top_bar());
    EXPECT_TRUE(shows("Open…", anywhere()));
    EXPECT_FALSE(shows("Save", anywhere())) << "there is nothing to save";
}

TEST_F(OnStart, FitsAnyWindow) {
    for (const Point size :
         {Point{480, 360}, Point{800, 600}, Point{1024, 768}, Point{1366, 768}, Point{2560, 1440}})
        for (const double scale : {1.0, 1.5, 2.0}) {
            app().gui.scale = scale;
            driver->push({.kind = InputEvent::Kind::resize, .at = size});
            driver->settle();
            for (const Door next : {Door::sentence, Door::model, Door::learn}) {
                tab();
                EXPECT_EQ(door(), next);
                const auto& ring = app().gui.focus.ring;
                ASSERT_TRUE(ring || app().gui.editing);
                if (!ring || page().h < 280 * scale) continue;  // lower than a button
                EXPECT_TRUE(page().contains({ring->x + ring->w / 2, ring->y + ring->h / 2}))
                    << "in sight at " << size.x << ", " << scale;
            }
        }
}

// In a window that is high enough to show the whole page, no text is cut, whatever its width, and
// every panel is as high as its content.
TEST_F(OnStart, NoTextIsCutAtAnyWidth) {
    for (const double width : {800, 1024, 1366, 1600, 1920, 2560, 3840})
        for (const double scale : {1.0, 1.25, 1.5, 2.0, 2.5, 3.0}) {
            app().gui.scale = scale;
            driver->push({.kind = InputEvent::Kind::resize, .at = {width, 6000}});
            for (int k = 0; k < 3; ++k) driver->settle();
            for (const char* words : {"Learn", "Try it", "Open a file…", "encoder → decoder"})
                EXPECT_TRUE(shows(words, page())) << words << " at " << width << ", " << scale;
            for (const auto& label : app().labels->drawn()) {
                if (label.max_width == 0 || !page().contains({label.rect.x + 1, label.rect.y + 1}))
                    continue;
                EXPECT_LE(measure(label.text, label.style).width, label.max_width + 1)
                    << label.text << " at " << width << ", " << scale;
            }
        }
}

TEST_F(OnStart, RestsWithoutAFrame) {
    driver->settle();
    EXPECT_FALSE(next_frame_in(app()));
    const long frames = app().frames;
    EXPECT_FALSE(frame(app(), false)) << "and no frame asks for another";
    EXPECT_EQ(app().frames, frames + 1);
}

// The rest of the half second is for the window itself.
TEST_F(OnStart, IsFilledInWithinATenthOfASecond) {
    using Clock = std::chrono::steady_clock;
    ui().overlays.close<StartPage>();
    open_start(app());
    const auto begin = Clock::now();
    frame(app(), false);
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 0.25)
        << "a frame of its own, on a busy machine";
}

}  // namespace
}  // namespace maskscope
