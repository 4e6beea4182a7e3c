// Shows every step of every lesson on the bench: complete, with numbers. It uses three screens, or
// all common ones if MASKSCOPE_ALL_SCREENS is set. With MASKSCOPE_PICTURES=FOLDER each picture is
// saved there for a person to look at.

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>

#include "app/session/files/load.h"
#include "app/show/views/view_entry.h"
#include "core/base/build.h"
#include "core/scene/names.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

struct Screen {
    int width, height;
    double scale = 1;
};

void PrintTo(const Screen& screen, std::ostream* out) {
    *out << screen.width << "x" << screen.height << " at " << screen.scale;
}

std::vector<Screen> screens() {
    if (!std::getenv("MASKSCOPE_ALL_SCREENS")) return {{1024, 768}, {1366, 768}, {1920, 1080, 1.5}};
    std::vector<Screen> all;
    for (const Screen size : {Screen{1024, 768}, Screen{1366, 768}, Screen{1600, 1000},
                              Screen{1920, 1080}, Screen{2560, 1440}, Screen{3840, 2160}})
        for (const double scale : {1.0, 1.5, 2.0}) all.push_back({size.width, size.height, scale});
    return all;
}

// Steps whose heatmaps are not all in view without scrolling if a window is narrower than 1920.
const std::map<std::string, std::set<int>> scrolling_steps{
    {"break-it", {1, 2, 3, 4, 5, 6, 7, 8, 9}},  // the translations and the heads stand above them
    {"casebook", {2, 7}},                       // the table of tests stands beside them
    {"decoding", {6}},  // its sinks and its window need six tokens, and its caption the output
};

class OnScreens : public testing::TestWithParam<std::tuple<Screen, std::string>> {
protected:
    OnScreens() : screen(std::get<0>(GetParam())), session(std::make_unique<PlainBackend>()) {
        session.open(fs::path(source_folder()) / "assets/lessons" /
                     (std::get<1>(GetParam()) + ".json"));
        driver.emplace(session, screen.width, screen.height);
        driver->app().gui.scale = screen.scale;
        driver->app().ui.sidebar.folded = driver->app().ui.inspector_folded = true;
        driver->settle();
    }

    const Figure& figure() { return driver->app().ui.bench.figure; }
    Rect on_screen(const Rect& r) {
        const Point at = driver->app().ui.bench.figure_at;
        return {r.x + at.x, r.y + at.y, r.w, r.h};
    }

    void save() {
        save_if_asked(*driver, fmt::format("{}-{:02}-{}x{}@{}", std::get<1>(GetParam()),
                                           session.document().step + 1, screen.width, screen.height,
                                           screen.scale));
    }

    bool is_claimed(const Heatmap& map) const {
        const auto& facts = session.lesson()->steps[session.document().step].facts;
        return std::ranges::any_of(facts, [&](const Fact& fact) {
            return fact.address.variant == map.variant &&
                   from_name<StageKind>(fact.address.of) == map.cells->stage;
        });
    }

    // Expects every heatmap, whole, in view without scrolling.
    void expect_all_in_view() {
        const Figure& whole = driver->app().ui.bench.whole;
        ASSERT_EQ(figure().heatmaps.size(), whole.heatmaps.size());
        for (std::size_t k = 0; k < whole.heatmaps.size(); ++k)
            EXPECT_TRUE(figure().heatmaps[k].zoom == whole.heatmaps[k].zoom)
                << maskscope::label(whole.heatmaps[k].cells->stage) << " "
                << whole.heatmaps[k].variant;
    }

    bool scrolls() const {
        const auto lesson = scrolling_steps.find(std::get<1>(GetParam()));
        return screen.width < 1920 && lesson != scrolling_steps.end() &&
               lesson->second.contains(session.document().step + 1);
    }

    bool shows_pipeline() const {
        const ViewKind kind = shown_view(session.view(), session.shown().scene);
        return kind == ViewKind::pipeline || kind == ViewKind::translator;
    }

    Screen screen;
    Session session;
    std::optional<ui::Driver> driver;
};

INSTANTIATE_TEST_SUITE_P(Screens, OnScreens,
                         testing::Combine(testing::ValuesIn(screens()),
                                          testing::ValuesIn(lesson_names())));

// Every stage is drawn with its numbers, in view or by scrolling; for outputs, only those that the
// fact is about. Themes take turns.
TEST_P(OnScreens, EveryStepIsWhole) {
    for (std::size_t k = 0; k < session.lesson()->steps.size(); ++k) {
        session.go_to_step(static_cast<int>(k));
        session.view().theme = static_cast<ThemeKind>(k % 3);
        if (session.view().asks()) session.next();
        session.wait();
        driver->settle();
        SCOPED_TRACE(fmt::format("step {}", k + 1));
        save();
        if (screen.scale == 1 && screen.width > 1024 && !scrolls()) expect_all_in_view();
        if (!shows_pipeline()) continue;
        const Figure& whole = driver->app().ui.bench.whole;
        std::size_t stages = 0;
        const bool with_mask = needs_mask(session.view(), session.shown().scene);
        each_stage(session.results().bench(), [&](const BenchStage& stage) {
            if (with_mask || stage.stage != StageKind::allowed) ++stages;
        });
        EXPECT_GE(whole.heatmaps.size(), stages);
        for (const Heatmap& map : whole.heatmaps) {
            EXPECT_LE(map.rect.right(), whole.width + 1);
            EXPECT_LE(map.rect.bottom(), whole.height + 1);
            if (map.variant == foreign_variant) continue;
            if (map.cells->stage == StageKind::output && !is_claimed(map)) continue;
            EXPECT_GE(map.number_size, 12 * screen.scale) << maskscope::label(map.cells->stage);
        }
    }
}

// The cell that a step says to click can be clicked, and a click there changes the mask. In a tiny
// window, one may have to scroll to it.
TEST_P(OnScreens, TheRingIsFree) {
    const auto ring = session.view().show.ring;
    if (!ring || session.view().asks()) return;
    const Figure& whole = driver->app().ui.bench.whole;
    const auto mask = std::ranges::find_if(
        whole.heatmaps, [](const Heatmap& map) { return map.cells->stage == StageKind::allowed; });
    ASSERT_NE(mask, whole.heatmaps.end());
    Rect cell = on_screen(cell_rect(*mask, ring->i, ring->j));
    cell.x -= driver->app().ui.bench.seen->x;
    cell.y -= driver->app().ui.bench.seen->y;
    const Rect& bench = driver->app().panels.bench;
    if (cell.right() > bench.right() || cell.bottom() > bench.bottom()) return;  // by scrolling
    const Scene before = session.scene();
    driver->click({cell.x + cell.w / 2, cell.y + cell.h / 2});
    EXPECT_NE(session.scene(), before);
}

class Folds : public InPanels {
protected:
    Folds() {
        session.open_scene(Scene(session.scene()), ".", "a scene");
        driver->settle();
    }
    void resize(double width, double height) {
        driver->push({.kind = InputEvent::Kind::resize, .at = {width, height}});
        driver->settle();
    }
    // Scrolls to the right as far as possible.
    void scroll_to_end() {
        const Rect panel = driver->app().panels.bench;
        const Point at{panel.x + panel.w / 2, panel.bottom() - 60};
        const auto shift = [&](bool down) {
            driver->push(
                {.kind = InputEvent::Kind::key, .code = GLFW_KEY_LEFT_SHIFT, .down = down});
        };
        shift(true);
        driver->wheel(at, -100);
        shift(false);
        driver->settle();
    }
    Ui& ui() { return driver->app().ui; }
};

TEST_F(Folds, NothingFoldsByItself) {
    for (const Point size : {Point{1366, 768}, Point{1100, 600}, Point{1600, 1000}}) {
        resize(size.x, size.y);
        EXPECT_FALSE(ui().inspector_folded);
        EXPECT_FALSE(ui().sidebar.folded);
        EXPECT_GT(driver->app().panels.sidebar.w, 0);
        EXPECT_GT(driver->app().panels.inspector.w, 0);
    }
}

// Without a fact, the bench begins where reading begins, and stays where a person has scrolled to.
TEST_F(Folds, ASceneBeginsAtTheLeft) {
    resize(1366, 768);
    session.new_scene();
    session.view().show.stages = {StageKind::scaled, StageKind::weights};
    const BenchState& bench = ui().bench;
    const auto type_sentence = [&](const char* sentence) {
        click("Type a sentence…");
        driver->type(sentence);
        enter();
        session.wait();
        driver->settle();
        ASSERT_GT(bench.whole.width, bench.seen->w) << "the test needs a bench that scrolls";
    };
    const auto seen_at = [&] { return Point{bench.seen->x, bench.seen->y}; };
    type_sentence("the students asked the old teacher why");
    EXPECT_EQ(seen_at(), Point{});
    click("Padding");
    EXPECT_EQ(seen_at(), Point{}) << "nothing moves by itself";
    session.undo();
    scroll_to_end();
    const Point end = seen_at();
    const auto weights = std::ranges::find_if(bench.figure.heatmaps, [](const Heatmap& map) {
        return map.cells->stage == StageKind::weights;
    });
    ASSERT_NE(weights, bench.figure.heatmaps.end());
    EXPECT_EQ(Index(bench.figure.sums.size()), weights->cells->rows) << "the end is in view";
    EXPECT_TRUE(std::ranges::any_of(bench.figure.texts,
                                    [](const Text& text) { return text.text == "Row sums"; }));
    type_sentence("the students asked the old teacher why it is so");
    EXPECT_EQ(seen_at(), end) << "a person had scrolled";
    session.new_scene();
    driver->settle();
    EXPECT_EQ(seen_at(), Point{});
}

// At the end, the number of an empty row is whole, and so is that of a row of NaN.
TEST_F(Folds, TheEndShowsEverySum) {
    resize(1366, 768);
    for (const EmptyRows empty : {EmptyRows::nan, EmptyRows::zero_after}) {
        Scene scene = session.scene();
        scene.sequences[0].queries = std::vector<std::string>(7, "word");
        scene.show.reset();
        scene.variants.erase(scene.variants.begin() + 1, scene.variants.end());
        Variant& variant = scene.variants.front();
        variant.empty_rows = empty;
        MaskLayer& layer = variant.mask.layers.emplace_back();
        layer.kind = LayerKind::blocked;
        layer.rows = std::vector<Index>{2};
        session.open_scene(std::move(scene), ".", "with an empty row");
        session.wait();
        driver->settle();
        scroll_to_end();
        const BenchState& bench = ui().bench;
        ASSERT_GT(bench.whole.width, bench.seen->w) << "the test needs a bench that scrolls";
        const auto is_named = [](const SumBar& bar) { return !bar.text.empty(); };
        EXPECT_EQ(std::ranges::count_if(bench.figure.sums, is_named), 7);
    }
}

TEST_F(Folds, AChipThatIsOnIsDrawn) {
    for (const Point size : {Point{1920, 1080}, Point{1366, 768}}) {
        resize(size.x, size.y);
        session.new_scene();
        driver->settle();
        const auto draws = [&](StageKind stage) {
            session.wait();
            driver->settle();
            return std::ranges::any_of(ui().bench.whole.heatmaps, [&](const Heatmap& map) {
                return map.cells->stage == stage;
            });
        };
        for (const StageKind stage : {StageKind::output, StageKind::scores, StageKind::logits}) {
            click(std::string(label(stage)), driver->app().panels.bench);
            EXPECT_TRUE(draws(stage)) << label(stage);
        }
        EXPECT_TRUE(draws(StageKind::weights)) << "they were on";
    }
}

// A stage that is switched on is in view at once, and as a whole where the bench is wide enough.
TEST_F(Folds, AStageThatIsSwitchedOnIsInView) {
    for (const Point size : {Point{1024, 768}, Point{1366, 768}, Point{1600, 1000}})
        for (const char* sentence :
             {"The cat sat down", "the students asked the old teacher why"}) {
            resize(size.x, size.y);
            session.new_scene();
            session.edit("sentence", [&](Scene& scene) {
                scene.sequences = {{split_sentence(sentence), std::nullopt}};
            });
            session.wait();
            driver->settle();
            for (const StageKind stage : {StageKind::output, StageKind::scores, StageKind::logits,
                                          StageKind::sensitivity, StageKind::softmax}) {
                show_or_hide_stage(session, stage);
                session.wait();
                for (int k = 0; k < 3; ++k) driver->settle();
                const Rect& seen = *ui().bench.seen;
                const auto map =
                    std::ranges::find_if(ui().bench.whole.heatmaps,
                                         [&](const Heatmap& m) { return m.cells->stage == stage; });
                ASSERT_NE(map, ui().bench.whole.heatmaps.end()) << label(stage);
                EXPECT_LT(map->rect.x, seen.right()) << label(stage) << " at " << size.x;
                EXPECT_GT(map->rect.right(), seen.x) << label(stage) << " at " << size.x;
                if (map->rect.w + 200 > seen.w) continue;
                EXPECT_GE(map->rect.x, seen.x) << label(stage) << " at " << size.x;
                EXPECT_LE(map->rect.right(), seen.right() + 1) << label(stage) << " at " << size.x;
            }
        }
}

TEST_F(Folds, TabsAndChipsDoNotScroll) {
    resize(1366, 768);
    session.new_scene();
    click("Type a sentence…");
    driver->type("the students asked the old teacher why it is so hot in here in may");
    enter();
    session.wait();
    const Rect& bench = driver->app().panels.bench;
    const Point tab = place("Output plane", bench), chip = place("Scaled scores", bench);
    driver->wheel({bench.x + bench.w / 2, bench.bottom() - 100}, -5);
    EXPECT_GT(ui().bench.seen->y, 0);
    EXPECT_EQ(place("Output plane", bench), tab);
    EXPECT_EQ(place("Scaled scores", bench), chip);
    driver->click(tab);
    driver->settle();
    EXPECT_EQ(shown_view(session.view(), session.shown().scene), ViewKind::plane);
}

TEST_F(Folds, ANarrowWindowHasDrawersOverTheBench) {
    resize(1024, 768);
    const Panels& at = driver->app().panels;
    EXPECT_EQ(at.bench.w, 1024) << "they are closed at first";
    for (const int key : {GLFW_KEY_1, GLFW_KEY_2}) {
        driver->key(key, GLFW_MOD_CONTROL);
        EXPECT_EQ(at.bench.w, 1024);
    }
    EXPECT_GT(at.sidebar.w, 0);
    EXPECT_GT(at.inspector.w, 0);
    const Scene before = session.scene();
    const auto focus = session.view().show.focus;
    driver->click({at.sidebar.right() - 4, at.sidebar.bottom() - 10});
    EXPECT_EQ(session.scene(), before)
        << "a press on an overlaid panel does not reach the bench below";
    EXPECT_EQ(session.view().show.focus, focus);
    resize(1600, 1000);
    EXPECT_FALSE(ui().sidebar.folded) << "the user folded nothing";
}

TEST_F(Folds, NoEditOfNumbersMovesAnything) {
    resize(1366, 768);
    const auto rects = [&] {
        std::vector<Rect> all;
        for (const Heatmap& map : ui().bench.figure.heatmaps) all.push_back(map.rect);
        return all;
    };
    const std::vector<Rect> before = rects();
    for (const double value : {-1e9, -1234.5, -0.5}) {
        session.edit("value", [&](Scene& scene) {
            scene.variants[0].mask.value.kind = ValueKind::number;
            scene.variants[0].mask.value.number = value;
        });
        session.wait();
        driver->settle();
        EXPECT_EQ(rects(), before) << value;
    }
    session.edit("tokens", [](Scene& scene) {
        for (int k = 0; k < 4; ++k) insert_token(scene, 0, Side::queries, 0, "another");
    });
    session.wait();
    driver->settle();
    EXPECT_FALSE(ui().sidebar.folded);
}

}  // namespace
}  // namespace maskscope
