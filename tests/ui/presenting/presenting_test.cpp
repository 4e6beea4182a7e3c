// Tests presenting, only by the keys that a clicker and a keyboard send.

#include "app/show/arithmetic/arithmetic.h"
#include "core/base/build.h"
#include "tests/ui/panels/panels_fixture.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

class InPresenting : public InPanels {
protected:
    InPresenting() {
        app().fill_screen = [this](bool fill) { fills = fill; };
        driver->key(GLFW_KEY_F5);
    }
    App& app() { return driver->app(); }
    const Presenting& presenting() { return *app().ui.presenting; }
    bool says(const std::string& text) { return shows(text, anywhere()); }
    bool fills = false;
};

TEST_F(InPresenting, F5AndF11BeginAndEnd) {
    EXPECT_TRUE(app().ui.presenting);
    EXPECT_TRUE(fills);
    EXPECT_TRUE(says("Additive or multiplicative? · 1 / 11"));
    EXPECT_FALSE(says("Inspector"));
    driver->key(GLFW_KEY_F11);
    EXPECT_FALSE(app().ui.presenting);
    EXPECT_FALSE(fills);
    EXPECT_TRUE(says("Inspector"));
}

TEST_F(InPresenting, SavingWhatHasNoNameYetEndsIt) {
    session.edit("a dtype", [](Scene& scene) { scene.variants[0].dtype = Dtype::float16; });
    leave(app());
    driver->settle();
    ASSERT_TRUE(app().ui.overlays.find<UnsavedQuestion>());
    driver->key(GLFW_KEY_ENTER);
    EXPECT_FALSE(app().ui.presenting);
    EXPECT_TRUE(app().ui.overlays.find<PathLine>());
    EXPECT_GT(rect_of<PathLine>(app()).h, 0);
}

TEST_F(InPanels, SavingWhatHasNoNameYetClosesWhatLiesOverItsLine) {
    session.edit("a dtype", [](Scene& scene) { scene.variants[0].dtype = Dtype::float16; });
    driver->key(GLFW_KEY_E, GLFW_MOD_CONTROL);
    Ui& ui = driver->app().ui;
    ASSERT_TRUE(ui.overlays.find<ExportSheet>());
    leave(driver->app());
    driver->settle();
    ASSERT_TRUE(ui.overlays.find<UnsavedQuestion>() || driver->app().gui.editing);
    driver->key(GLFW_KEY_ENTER);
    ASSERT_TRUE(ui.overlays.find<PathLine>());
    EXPECT_FALSE(ui.overlays.find<ExportSheet>());
    driver->type("x");
    EXPECT_EQ(driver->app().gui.editing->id, "path") << "what is typed goes there";
}

TEST_F(InPresenting, TheWheelZoomsNothing) {
    const Heatmap map = app().ui.bench.figure.heatmaps.back();
    const Point origin = app().ui.bench.figure_at;
    driver->wheel({origin.x + map.rect.x + 5, origin.y + map.rect.y + 5}, 4);
    EXPECT_EQ(session.view().zoom, Zoom{});
}

TEST_F(InPresenting, AWindowOfAnySizeIsPresentedIn) {
    for (const auto& [width, height] : {std::pair(1600, 8), std::pair(8, 8), std::pair(1, 900)}) {
        driver.reset();
        driver = std::make_unique<ui::Driver>(session, width, height);
        driver->key(GLFW_KEY_F5);
        EXPECT_TRUE(app().ui.presenting) << width << " × " << height;
    }
}

TEST_F(InPresenting, TheBenchIsLaidOutAgainAfterIt) {
    driver->key(GLFW_KEY_F11);
    const double width = app().panels.bench.w;
    for (const Heatmap& map : app().ui.bench.figure.heatmaps) EXPECT_LE(map.rect.right(), width);
}

TEST_F(InPresenting, TheKeysOfAClickerStep) {
    for (const int forward : {GLFW_KEY_PAGE_DOWN, GLFW_KEY_RIGHT}) {
        session.go_to_step(0);
        driver->key(forward);
        EXPECT_EQ(session.document().step, 1);
    }
    for (const int back : {GLFW_KEY_PAGE_UP, GLFW_KEY_LEFT}) {
        session.go_to_step(1);
        driver->key(back);
        EXPECT_EQ(session.document().step, 0);
    }
}

TEST_F(InPresenting, RightGoesThroughTheTokensOfGenerationBeforeTheNextStep) {
    session.go_to_step(1);
    const auto generate = [&](Index t) {
        if (session.view().asks()) driver->key(GLFW_KEY_PAGE_DOWN);
        session.view().show.view = ViewKind::generation;
        session.view().show.focus = Cell{t, 0};
        driver->settle();
    };
    const Index last = shape_of(session.scene()).n_q - 1;
    generate(last - 1);
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(session.view().show.focus->i, last);
    EXPECT_EQ(session.document().step, 1);
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(session.document().step, 2) << "a clicker can leave the last token";
    session.go_to_step(1);
    generate(1);
    driver->key(GLFW_KEY_LEFT);
    EXPECT_EQ(session.view().show.focus->i, 0);
    driver->key(GLFW_KEY_LEFT);
    EXPECT_EQ(session.document().step, 0);
    session.go_to_step(1);
    generate(1);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.document().step, 2) << "Page Down is the lesson's";
}

TEST_F(InPresenting, AClickOnARowOfGenerationGeneratesUpToIt) {
    session.go_to_step(1);
    session.view().show.view = ViewKind::generation;
    driver->settle();
    const auto& figure = app().ui.bench.figure;
    ASSERT_FALSE(figure.spots.empty());
    const Spot row = figure.spots.front();
    ASSERT_NE(row.row, session.view().show.focus->i);
    const Point at = app().ui.bench.figure_at;
    driver->click({at.x + row.rect.x + row.rect.w / 2, at.y + row.rect.y + row.rect.h / 2});
    EXPECT_EQ(session.view().show.focus->i, row.row);
}

TEST_F(InPresenting, AStepThatAsksIsAnsweredByTheNextPress) {
    while (!session.view().asks()) driver->key(GLFW_KEY_PAGE_DOWN);
    const int step = session.document().step;
    EXPECT_FALSE(shows_part("✓ ", anywhere()));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.document().step, step);
    EXPECT_TRUE(shows_part("✓ ", anywhere()));
}

TEST_F(InPresenting, AtTheEndOnePressNamesTheNextLessonAndAnotherOpensIt) {
    for (const int forward : {GLFW_KEY_PAGE_DOWN, GLFW_KEY_RIGHT}) {
        const std::string name = session.lesson()->name;
        const int last = int(session.lesson()->steps.size()) - 1;
        session.go_to_step(last);
        if (session.view().asks()) session.next();
        EXPECT_FALSE(shows_part("Page Down:", anywhere()));
        driver->key(forward);
        EXPECT_EQ(session.lesson()->name, name);
        EXPECT_TRUE(shows_part("Page Down:", anywhere()));
        driver->key(GLFW_KEY_PAGE_UP);
        EXPECT_FALSE(shows_part("Page Down:", anywhere()));
        session.go_to_step(last);
        if (session.view().asks()) session.next();
        driver->key(forward);
        driver->key(forward);
        EXPECT_NE(session.lesson()->name, name);
        EXPECT_EQ(session.document().step, 0);
        EXPECT_TRUE(app().ui.presenting);
    }
}

TEST_F(InPresenting, APartThatEndsWithinALessonIsAnnouncedAndEnterStaysInIt) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/break-it.json"));
    session.go_to_step(1);
    driver->settle();
    EXPECT_FALSE(shows_part("next lesson ›", anywhere())) << "the step asks";
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_TRUE(shows_part(" · next lesson ›", anywhere()));
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.document().step, 1);
    ASSERT_TRUE(session.message());
    EXPECT_EQ(
        session.message()->text,
        "The course goes on with “Additive or multiplicative?”: press Page Down again. Enter: "
        "step 3 of this lesson.");
    driver->key(GLFW_KEY_ENTER);
    EXPECT_EQ(session.lesson()->name, "break-it");
    EXPECT_EQ(session.document().step, 2);
    session.go_to_step(1);
    session.show_answer();
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.lesson()->name, "break-it") << "the step was entered again";
    driver->key(GLFW_KEY_F5);
    driver->key(GLFW_KEY_F5);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_EQ(session.lesson()->name, "break-it") << "the announcement was not presented";
}

// Two presses in a moment are one press of an impatient hand.
TEST_F(InPresenting, ADoublePressDoesNotLeaveTheLesson) {
    session.go_to_step(int(session.lesson()->steps.size()) - 1);
    while (!leaves_step(session)) session.next();
    driver->settle();
    for (int k = 0; k < 2; ++k)
        for (const bool down : {true, false})
            driver->push({.kind = InputEvent::Kind::key, .code = GLFW_KEY_PAGE_DOWN, .down = down});
    driver->settle();
    EXPECT_EQ(session.lesson()->name, "additive-or-multiplicative");
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_NE(session.lesson()->name, "additive-or-multiplicative");
}

TEST_F(InPresenting, AnExerciseAtTheEndShowsItsSolutionFirst) {
    ASSERT_TRUE(session.open(source_folder() + "/assets/lessons/decoding.json"));
    session.go_to_step(int(session.lesson()->steps.size()) - 1);
    if (session.view().asks()) session.next();
    driver->settle();
    ASSERT_GT(exercise_of(session)->cells, 0);
    driver->key(GLFW_KEY_F11);
    EXPECT_FALSE(shows("Next lesson ›", anywhere()));
    driver->key(GLFW_KEY_F11);
    driver->key(GLFW_KEY_PAGE_DOWN);
    EXPECT_FALSE(exercise_of(session) && exercise_of(session)->cells > 0);
    EXPECT_FALSE(shows_part("Page Down:", anywhere()));
    driver->key(GLFW_KEY_F11);
    EXPECT_TRUE(shows("Next lesson ›", anywhere()));
    driver->key(GLFW_KEY_F11);
}

TEST_F(InPresenting, ShiftPageDownGoesFromStarToStar) {
    for (int star = session.document().step;;) {
        driver->key(GLFW_KEY_PAGE_DOWN, GLFW_MOD_SHIFT);
        if (session.document().step == star) break;
        star = session.document().step;
        EXPECT_TRUE(session.lesson()->steps[star].star);
    }
    EXPECT_GT(session.document().step, 0);
    const std::string name = session.lesson()->name;
    const int last = session.document().step;
    EXPECT_TRUE(shows_part("press Shift+Page Down again.", anywhere()));
    EXPECT_TRUE(shows_part("Shift+Page Down: next lesson ›", anywhere()));
    driver->key(GLFW_KEY_PAGE_DOWN, GLFW_MOD_SHIFT);
    EXPECT_NE(session.lesson()->name, name);
    EXPECT_TRUE(session.lesson()->steps[session.document().step].star);
    driver->key(GLFW_KEY_PAGE_UP, GLFW_MOD_SHIFT);
    EXPECT_EQ(session.lesson()->name, name);
    EXPECT_EQ(session.document().step, last);
    driver->key(GLFW_KEY_PAGE_UP, GLFW_MOD_SHIFT);
    EXPECT_TRUE(session.lesson()->steps[session.document().step].star);
}

TEST_F(InPresenting, BAndPointBlankTheScreenAndEscapeLeadsOutOneByOne) {
    for (const int key : {GLFW_KEY_B, GLFW_KEY_PERIOD}) {
        driver->key(key);
        EXPECT_TRUE(presenting().blank);
        const ui::Pixels pixels = driver->pixels();
        EXPECT_TRUE(std::all_of(pixels.colours.begin(), pixels.colours.end(),
                                [](Colour c) { return c.r == 0 && c.g == 0 && c.b == 0; }));
        driver->key(key);
        EXPECT_FALSE(presenting().blank);
    }
    driver->key(GLFW_KEY_L);
    driver->key(GLFW_KEY_B);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(presenting().blank);
    EXPECT_TRUE(presenting().spotlight);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(presenting().spotlight);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(app().ui.presenting);
}

TEST_F(InPresenting, TheSpotlightDimsAllButTheFocusRow) {
    session.view().show.focus = Cell{2, 1};
    driver->settle();
    const auto& maps = app().ui.bench.figure.heatmaps;
    const auto seen = std::find_if(maps.rbegin(), maps.rend(), [](const Heatmap& one) {
        const Rect first = cell_rect(one, 2, 0), last = cell_rect(one, 3, 0);
        return one.cells->stage == StageKind::weights &&
               one.rect.contains({first.x + 4, first.y + 4}) &&
               one.rect.contains({last.x + 4, last.y + 4});
    });
    ASSERT_NE(seen, maps.rend());
    const Heatmap map = *seen;
    const auto middle = [&](Index i) {  // between the number and the frame of the focus row
        const Rect cell = cell_rect(map, i, 0);
        return Point{app().ui.bench.figure_at.x + cell.x + cell.w / 2,
                     app().ui.bench.figure_at.y + cell.y + cell.h / 6};
    };
    const ui::Pixels lit = driver->pixels();
    driver->key(GLFW_KEY_L);
    const ui::Pixels dimmed = driver->pixels();
    EXPECT_EQ(lit.at(middle(2).x, middle(2).y), dimmed.at(middle(2).x, middle(2).y));
    EXPECT_NE(lit.at(middle(3).x, middle(3).y), dimmed.at(middle(3).x, middle(3).y));
    for (const SumBar& bar : app().ui.bench.figure.sums) {  // the whole row, to its sum
        if (bar.rect.x < map.rect.x) continue;              // the dots of sums that are all 1
        const Point at{app().ui.bench.figure_at.x + bar.rect.x + 1,  // its outline
                       app().ui.bench.figure_at.y + bar.rect.y + bar.rect.h / 2};
        EXPECT_EQ(lit.at(at.x, at.y) == dimmed.at(at.x, at.y), bar.row == 2)
            << bar.variant << " " << bar.row << " " << bar.text;
    }
}

// A pointer that has not moved since F5 is ignored. Once it moves, the cell under it counts as
// hovered for a while.
TEST_F(InPresenting, ThePointerCountsOnlyAfterItHasMoved) {
    double now = 1000;
    app().clock = [&now] { return now; };
    const Heatmap& map = app().ui.bench.figure.heatmaps.back();
    const Point at{app().ui.bench.figure_at.x + map.rect.x + 4,
                   app().ui.bench.figure_at.y + map.rect.y + 4};
    const auto moved_to = [&](Point point) {
        app().input.push({.kind = InputEvent::Kind::move, .at = point});
        frame(app(), false);
    };
    moved_to(at);
    now += pointer_fades + 1;
    driver->key(GLFW_KEY_F5);
    driver->key(GLFW_KEY_F5);
    EXPECT_FALSE(session.view().hovered) << "the pointer does not move";
    moved_to({at.x + 2, at.y});
    EXPECT_TRUE(session.view().hovered);
    ASSERT_TRUE(next_frame_in(app()));
    EXPECT_NEAR(*next_frame_in(app()), pointer_fades, 0.5);
    now += pointer_fades + 0.1;
    frame(app(), false);
    EXPECT_FALSE(session.view().hovered) << "it fades";
}

TEST_F(InPresenting, TheArithmeticIsOfTheHeadThatIsPointedAt) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>{"a", "b", "c"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 4, 4, 8};
    scene.variants.resize(1);
    scene.variants[0].name = "v";
    scene.show.emplace().heads = std::vector<Index>{0, 1};
    scene.show->stages = {StageKind::weights};
    scene.show->focus = Cell{1, 0};
    ASSERT_TRUE(session.open_scene(scene, ".", "two heads"));
    driver->settle();
    const auto chain = [&](Index h, Cell cell) {
        return chain_text(make_arithmetic(session.shown(), {0}, 0, h, cell).variants.at(0));
    };
    ASSERT_NE(chain(0, {2, 1}), chain(1, {2, 1}));
    EXPECT_TRUE(says(chain(0, {1, 0}))) << "of the focus where nothing is pointed at";
    for (const Heatmap& map : std::vector(app().ui.bench.figure.heatmaps)) {
        if (map.cells->stage != StageKind::weights) continue;
        const Rect cell = cell_rect(map, 2, 1);
        const Point origin = app().ui.bench.figure_at;
        driver->move({origin.x + cell.x + cell.w / 2, origin.y + cell.y + cell.h / 2});
        EXPECT_TRUE(says(chain(map.h, {2, 1}))) << map.h;
        EXPECT_FALSE(says(chain(1 - map.h, {2, 1}))) << map.h;
    }
}

TEST_F(InPresenting, HListsItsKeysInLargeType) {
    driver->key(GLFW_KEY_H);
    driver->settle();
    for (const auto& label : app().labels->drawn())
        EXPECT_GE(label.style.size, app().gui.height / 36) << label.text;  // whole pixels
    EXPECT_TRUE(says("Shift+Page Down"));
    driver->type("?");
    EXPECT_FALSE(says("Shift+Page Down"));
}

TEST_F(InPresenting, TheCursorStartsOnTheRingAndSpaceFlipsItsCell) {
    const Cell ring = *session.view().show.ring;
    const auto before = session.shown().variants[0].is_allowed(0, 0, ring.i, ring.j);
    driver->key(GLFW_KEY_SPACE);
    EXPECT_NE(session.shown().variants[0].is_allowed(0, 0, ring.i, ring.j), before);
    driver->key(GLFW_KEY_R);
    EXPECT_EQ(session.shown().variants[0].is_allowed(0, 0, ring.i, ring.j), before);
    driver->key(GLFW_KEY_DOWN, GLFW_MOD_SHIFT);
    EXPECT_EQ(session.view().show.focus, (Cell{ring.i + 1, ring.j}));
}

// After an edit the old picture stays until there is a new one; a new step never shows the picture
// of another.
TEST(PresentingAStepThatTakesLong, ShowsNoVariantsOfTheStepBefore) {
    Lesson lesson;
    lesson.name = lesson.title = "two";
    for (const Scene& scene : {small_scene(), large_scene()}) {
        Step step;
        step.title = step.caption = "{n_k} keys";
        step.scene = scene;
        lesson.steps.push_back(step);
    }
    Tested t;
    t.session.open_lesson(lesson, ".");
    t.session.wait();
    ui::Driver driver(t.session);
    const auto& maps = driver.app().ui.bench.figure.heatmaps;
    const auto says = [&driver](const std::string& text) {
        const auto& drawn = driver.app().labels->drawn();
        return std::ranges::count(drawn, text, &LabelAtlas::DrawnLabel::text) > 0;
    };
    driver.key(GLFW_KEY_F5);
    ASSERT_EQ(maps.front().cells->rows, 3);
    EXPECT_TRUE(says("3 keys"));
    t.backend->held = true;
    driver.key(GLFW_KEY_PAGE_DOWN);
    EXPECT_TRUE(maps.empty());
    EXPECT_TRUE(says("Computing…"));
    EXPECT_FALSE(says("3 keys"));
    t.backend->held = false;
    t.session.wait();
    driver.settle();
    ASSERT_FALSE(maps.empty());
    EXPECT_EQ(maps.front().cells->rows, 200);
    EXPECT_TRUE(says("200 keys"));
    t.backend->held = true;
    ASSERT_TRUE(t.block({5, 1}));
    driver.settle();
    EXPECT_FALSE(maps.empty());
    EXPECT_TRUE(says("200 keys"));
    EXPECT_FALSE(says("Computing…"));
    t.backend->held = false;
}

// The frame of the focus is in the right sequence; texts about it do not name the sequence.
TEST_F(InPresenting, TheFrameIsInTheClickedSequence) {
    Scene scene = small_scene();
    scene.sequences.resize(2, scene.sequences[0]);
    scene.show.emplace().sequences = std::vector<Index>{0, 1};
    scene.show->stages = {StageKind::weights};
    scene.variants.pop_back();
    ASSERT_TRUE(session.open_scene(scene, ".", "two sentences"));
    for (const bool presents : {true, false}) {
        if (!presents) driver->key(GLFW_KEY_F5);
        session.view().show.focus.reset();
        driver->settle();
        const ui::Pixels before = driver->pixels();
        session.view().show.focus = Cell{2, 0};
        session.view().pinned = CellRef{shared_variant, StageKind::weights, 1, 0, 2, 0};
        driver->settle();
        const ui::Pixels after = driver->pixels();
        const Point origin = app().ui.bench.figure_at;
        ASSERT_GE(app().ui.bench.figure.heatmaps.size(), 2U);
        for (const Heatmap& map : app().ui.bench.figure.heatmaps) {
            int changed = 0;
            const Rect& r = map.rect;
            for (double x = origin.x + r.x + 1; x < origin.x + r.right(); ++x)
                for (double y = origin.y + r.y + 1; y < origin.y + r.bottom(); ++y)
                    changed += before.at(x, y) != after.at(x, y);
            EXPECT_EQ(changed > 0, map.b == 1) << map.b << (presents ? "" : " on the bench");
        }
    }
}

TEST_F(InPresenting, TheCursorIsOnTheRingAgainInAStepThatIsEnteredOrRestored) {
    const Cell ring = *session.view().show.ring;
    const auto expect_space_flips_ring = [&](const char* how) {
        const auto allowed = [&] { return is_allowed(session.scene(), 0, 0, 0, ring); };
        const bool before = allowed();
        driver->key(GLFW_KEY_SPACE);
        EXPECT_NE(allowed(), before) << how;
        driver->key(GLFW_KEY_DOWN, GLFW_MOD_SHIFT);
    };
    driver->key(GLFW_KEY_DOWN, GLFW_MOD_SHIFT);
    driver->key(GLFW_KEY_R);
    expect_space_flips_ring("restored");
    driver->key(GLFW_KEY_PAGE_DOWN);
    driver->key(GLFW_KEY_PAGE_UP);
    expect_space_flips_ring("entered again");
    ASSERT_TRUE(session.open(lesson_file));
    driver->settle();
    expect_space_flips_ring("another document");
}

// --- messages to the lecturer

TEST_F(InPresenting, AMessageStandsOverTheTitleForAWhile) {
    session.view().show.ring.reset();
    session.view().show.focus = Cell{2, 1};
    driver->settle();
    const std::string chain =
        chain_text(make_arithmetic(session.shown(), {0}, 0, 0, {2, 1}).variants.at(0));
    EXPECT_TRUE(says(chain));
    for (const bool wrong : {false, true}) {
        session.say("Not opened: no such file", wrong);
        EXPECT_TRUE(says("Not opened: no such file"));
        EXPECT_TRUE(says(chain)) << "the figure and what is below it stay in view";
        ASSERT_TRUE(next_frame_in(app()));
        const auto clock = app().clock;
        app().clock = [clock] { return clock() + seconds_of_news + 1; };
        EXPECT_FALSE(says("Not opened: no such file"));
        EXPECT_TRUE(says(chain));
        session.say("Not opened: no such file", wrong);
        EXPECT_TRUE(says("Not opened: no such file")) << "again";
        driver->key(GLFW_KEY_F5);
        driver->key(GLFW_KEY_F5);
        EXPECT_FALSE(says("Not opened: no such file")) << "messages from before are not presented";
    }
}

TEST_F(InPresenting, ALongMessageIsWhole) {
    std::string text = "Not opened:", shown;
    for (int k = 0; k < 60; ++k) text += " word" + std::to_string(k);
    session.say(text, true);
    driver->settle();
    for (const auto& label : app().labels->drawn())
        if (label.text.find("word") != std::string::npos) {
            shown += (shown.empty() ? "" : " ") + label.text;
            EXPECT_LE(label.rect.right(), 1600);
        }
    EXPECT_EQ(shown, text);
}

// --- the line under the variants

TEST_F(InPresenting, TheLineEndsBeforeAVariantThatWouldBeCut) {
    Scene scene = small_scene();
    scene.variants.resize(12, scene.variants[0]);
    scene.show.emplace().focus = Cell{2, 1};
    ASSERT_TRUE(session.open_scene(scene, ".", "twelve variants"));
    driver = std::make_unique<ui::Driver>(session, 1024, 768);
    driver->key(GLFW_KEY_F5);
    const Arithmetic chains = make_arithmetic(
        session.shown(), shown_variants(session.view(), session.shown().scene), 0, 0, {2, 1});
    const std::string number = chains.variants[0].lines.back().result;
    int variants = 0;
    for (const auto& label : app().labels->drawn()) {
        EXPECT_LE(label.rect.right(), 1024) << label.text;
        variants += label.text == number;
    }
    EXPECT_GT(variants, 4);
    EXPECT_LT(variants, 12);
    EXPECT_TRUE(says("…"));
}

TEST_F(InPresenting, TheLineNamesWeightsWhereNoneAreDrawn) {
    Scene scene = small_scene();
    scene.show.emplace().focus = Cell{2, 1};
    scene.variants.pop_back();
    for (const StageKind stage : {StageKind::sensitivity, StageKind::weights}) {
        scene.show->stages = {stage};
        ASSERT_TRUE(session.open_scene(scene, ".", "one variant"));
        driver->settle();
        const std::string chain =
            chain_text(make_arithmetic(session.shown(), {0}, 0, 0, {2, 1}).variants.at(0));
        EXPECT_EQ(says("weight " + chain), stage == StageKind::sensitivity);
        EXPECT_EQ(says(chain), stage == StageKind::weights);
    }
}

// A variant of a translator may have more words than the previous one.
TEST_F(InPresenting, TheSpotlightDimsTheNamesOfRowsThatOnlyALaterVariantHas) {
    const Folder folder;
    std::ofstream(folder.path() / "two.json") << R"({
        "maskscope": 1, "title": "Two", "sequences": [{"source": ["la", "casa", "rossa"]}],
        "inputs": {"kind": "model", "model": "italian-english", "attention": "decoder", "layer": 0},
        "variants": [{"name": "blocked", "mask": {"layers": [{"kind": "blocked", "columns": [0]}]}},
                     {"name": "causal", "mask": {"layers": [{"kind": "causal"}]}}],
        "show": {"view": "translator", "stages": ["weights"], "focus": [0, 0]}})";
    ASSERT_TRUE(session.open(folder.path() / "two.json")) << session.message()->text;
    driver->settle();
    const Heatmap map = app().ui.bench.figure.heatmaps.back();
    ASSERT_LT(app().ui.bench.figure.heatmaps.front().cells->rows, map.cells->rows);
    const auto brightest = [&](Index i) {  // of the row's name
        const ui::Pixels pixels = driver->pixels();
        const Rect cell = cell_rect(map, i, 0);
        const Point at{app().ui.bench.figure_at.x + cell.x, app().ui.bench.figure_at.y + cell.y};
        int most = 0;
        for (double x = at.x - 40; x < at.x - 8; ++x)
            for (double y = at.y + 2; y < at.y + cell.h - 2; ++y)
                most = std::max<int>(most, pixels.at(x, y).g);
        return most;
    };
    const int first = brightest(0), last = brightest(3);
    driver->key(GLFW_KEY_L);
    EXPECT_EQ(brightest(0), first);
    EXPECT_LT(brightest(3), last / 2);
}

TEST_F(InPresenting, TheWhatIfLineIsDrivenByTheArrows) {
    driver->key(GLFW_KEY_TAB);
    ASSERT_TRUE(presenting().what_if);
    EXPECT_TRUE(shows_part("apply:", anywhere()));
    const int step = session.document().step;
    const Apply apply = session.scene().variants.back().mask.apply;
    driver->key(GLFW_KEY_DOWN);
    EXPECT_NE(session.scene().variants.back().mask.apply, apply);
    driver->key(GLFW_KEY_UP);
    EXPECT_EQ(session.scene().variants.back().mask.apply, apply);
    driver->key(GLFW_KEY_RIGHT);
    EXPECT_EQ(session.document().step, step) << "the arrows belong to the line";
    EXPECT_EQ(presenting().what_if, 1);
    EXPECT_TRUE(shows_part("mask value: not used by this variant", anywhere()));
    driver->key(GLFW_KEY_DOWN);
    EXPECT_EQ(session.scene().variants.back().mask.apply, apply) << "there is no setting to change";
    driver->key(GLFW_KEY_LEFT);
    driver->key(GLFW_KEY_LEFT);
    EXPECT_EQ(presenting().what_if, -1) << "the variant itself";
    driver->key(GLFW_KEY_DOWN);
    driver->key(GLFW_KEY_RIGHT);
    const Apply first = session.scene().variants.front().mask.apply;
    driver->key(GLFW_KEY_DOWN);
    EXPECT_NE(session.scene().variants.front().mask.apply, first);
    driver->key(GLFW_KEY_TAB);
    EXPECT_FALSE(presenting().what_if);
    driver->key(GLFW_KEY_R);
    EXPECT_EQ(session.scene(), session.lesson()->steps[0].scene);
}

// A single row is not at the top of an empty screen, and an answer does not move it.
TEST_F(InPresenting, ASingleRowStandsInTheMiddle) {
    session.open(source_folder() + "/assets/lessons/one-row.json");
    session.go_to_step(1);
    const auto row = [&] {
        session.wait();
        driver->settle();
        const auto& bench = driver->app().ui.bench;
        const auto scores = std::ranges::find(bench.figure.heatmaps, 0, [](const Heatmap& map) {
            return map.cells->stage == StageKind::scores ? 0 : 1;
        });
        EXPECT_NE(scores, bench.figure.heatmaps.end());
        return scores->rect.y + scores->rect.h / 2 + bench.figure_at.y;
    };
    ASSERT_TRUE(session.view().asks());
    const double before = row(), height = driver->app().gui.height;
    EXPECT_GT(before, 0.3 * height);
    EXPECT_LT(before, 0.6 * height);
    driver->key(GLFW_KEY_PAGE_DOWN);
    ASSERT_FALSE(session.view().asks());
    EXPECT_EQ(row(), before);
}

// The audience recognizes a variant by its name.
TEST_F(InPresenting, AVariantsNameFollowsTheWhatIfLine) {
    driver->key(GLFW_KEY_TAB);
    const auto expect_title = [&] {
        const Variant& variant = session.scene().variants.back();
        EXPECT_EQ(variant.name, label(variant.mask.apply));
        EXPECT_EQ(session.results().bench().blocks[0].variants.back().name, variant.name);
    };
    expect_title();
    for (int press = 0; press < 4; ++press) {
        driver->key(GLFW_KEY_DOWN);
        expect_title();
    }
    driver->key(GLFW_KEY_RIGHT);
    driver->key(GLFW_KEY_DOWN);
    const std::string changes = session.results().bench().blocks[0].variants.back().changes;
    EXPECT_FALSE(changes.empty());
    EXPECT_TRUE(shows_part(changes + ")", anywhere())) << changes;
}

TEST_F(InPresenting, TheWhatIfLineStaysWithinTheFieldsOfTheStep) {
    session.go_to_step(1);
    session.next();
    driver->key(GLFW_KEY_TAB);
    for (int k = 0; k < 4; ++k) driver->key(GLFW_KEY_RIGHT);
    EXPECT_TRUE(shows_part("empty rows:", anywhere()));
    driver->key(GLFW_KEY_PAGE_UP);
    EXPECT_TRUE(shows_part("empty rows:", anywhere())) << "the same field";
    const EmptyRows before = session.scene().variants.back().empty_rows;
    driver->key(GLFW_KEY_UP);
    EXPECT_NE(session.scene().variants.back().empty_rows, before);
    driver->key(GLFW_KEY_LEFT);
    EXPECT_TRUE(shows_part("scale:", anywhere())) << "one field before the last";
}

// The view begins at the claim, and stays within the figure.
TEST_F(InPresenting, TheWheelMovesAFigureThatIsLargerThanItsSpace) {
    session.open(fs::path(source_folder()) / "assets/lessons/scoring-functions.json");
    const auto show_a_batch = [&] {
        session.go_to_step(7);
        session.view().show.sequences = std::vector<Index>{0, 1, 2};
        session.wait();
        driver->settle();
    };
    show_a_batch();
    const BenchState& bench = app().ui.bench;
    ASSERT_GT(bench.whole.height, driver->app().gui.height) << "larger than any space";
    const auto seen = [&] { return app().ui.presenting->from.y; };
    const double begin = seen();
    const Point over{bench.figure_at.x + 200, bench.figure_at.y + 100};
    driver->wheel(over, -1);
    EXPECT_GT(seen(), begin);
    driver->wheel(over, 1);
    EXPECT_EQ(seen(), begin);
    for (int turn = 0; turn < 40; ++turn) driver->wheel(over, -1);
    const double end = seen();
    EXPECT_LT(end, bench.whole.height);
    driver->wheel(over, -1);
    EXPECT_EQ(seen(), end);
    session.go_to_step(0);
    session.wait();
    driver->settle();
    show_a_batch();
    EXPECT_EQ(seen(), begin);
}

TEST_F(InPresenting, TheMaskStandsOnlyWhereTheStepHasARingOrNamesIt) {
    const auto has_mask = [this] {
        driver->settle();
        const auto& maps = app().ui.bench.whole.heatmaps;
        return std::any_of(maps.begin(), maps.end(), [](const Heatmap& map) {
            return map.cells->stage == StageKind::allowed;
        });
    };
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k) {
        session.go_to_step(static_cast<int>(k));
        session.wait();
        const Show& show = session.view().show;
        const bool named = show.stages && std::count(show.stages->begin(), show.stages->end(),
                                                     StageKind::allowed) > 0;
        if (!show.ring && !named) {
            EXPECT_FALSE(has_mask()) << "step " << k + 1;
        }
    }
}

TEST_F(InPresenting, EscapeClosesTheLineBeforeTheSpotlightGoes) {
    driver->key(GLFW_KEY_L);
    driver->key(GLFW_KEY_TAB);
    driver->key(GLFW_KEY_B);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(presenting().blank);
    EXPECT_TRUE(presenting().what_if);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(presenting().what_if);
    EXPECT_TRUE(presenting().spotlight);
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(presenting().spotlight);
    EXPECT_TRUE(app().ui.presenting);
}

TEST_F(InPresenting, CoveredNothingCanBeTurned) {
    while (!session.view().asks()) driver->key(GLFW_KEY_PAGE_DOWN);
    driver->key(GLFW_KEY_TAB);
    EXPECT_FALSE(presenting().what_if);
}

TEST_F(InPresenting, CoveredNothingCanBeTurnedThoughTheLineIsOpen) {
    while (!session.view().asks()) driver->key(GLFW_KEY_PAGE_DOWN);
    session.previous();
    driver->settle();
    driver->key(GLFW_KEY_TAB);
    ASSERT_TRUE(presenting().what_if);
    driver->key(GLFW_KEY_PAGE_DOWN);
    ASSERT_TRUE(session.view().asks());
    const Scene before = session.scene();
    driver->key(GLFW_KEY_UP);
    EXPECT_EQ(session.scene(), before);
    driver->key(GLFW_KEY_PAGE_DOWN);  // uncovers the answer
    ASSERT_FALSE(session.view().asks());
    driver->key(GLFW_KEY_UP);
    EXPECT_NE(session.scene(), before);
}

TEST_F(InPresenting, TheShiftArrowsMoveInAllDirectionsAndStayInTheMatrix) {
    session.view().show.focus = Cell{0, 0};
    driver->key(GLFW_KEY_RIGHT, GLFW_MOD_SHIFT);  // from the ring
    const Cell from = *session.view().show.focus;
    driver->key(GLFW_KEY_LEFT, GLFW_MOD_SHIFT);
    driver->key(GLFW_KEY_UP, GLFW_MOD_SHIFT);
    EXPECT_EQ(session.view().show.focus, (Cell{from.i - 1, from.j - 1}));
    for (int k = 0; k < 9; ++k) driver->key(GLFW_KEY_UP, GLFW_MOD_SHIFT);
    for (int k = 0; k < 9; ++k) driver->key(GLFW_KEY_LEFT, GLFW_MOD_SHIFT);
    EXPECT_EQ(session.view().show.focus, (Cell{0, 0}));
    EXPECT_EQ(session.document().step, 0);
}

TEST_F(InPresenting, ThePlotIsCoveredWhileItsStepAsks) {
    session.open(source_folder() + "/assets/lessons/why-root-d.json");
    driver->settle();
    session.wait();
    ASSERT_TRUE(session.view().asks());
    EXPECT_TRUE(says("?"));
    EXPECT_FALSE(shows_part("theory", anywhere()));
    driver->key(GLFW_KEY_PAGE_DOWN);
    session.wait();
    EXPECT_TRUE(shows_part("theory", anywhere()));
}

}  // namespace
}  // namespace maskscope
