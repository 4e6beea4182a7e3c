// Tests the bench in the window: events in, scene and pixels out.

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/session/files/load.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/paint/label_atlas.h"
#include "app/window/panels/words.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "tests/ui/harness.h"

namespace maskscope::ui {
namespace {

class BenchPanel : public testing::Test {
protected:
    BenchPanel() {
        const LoadedLesson loaded = load_lesson("lesson:additive-or-multiplicative");
        session.open_lesson(loaded.lesson, loaded.folder);
        using enum StageKind;
        session.view().show.stages = {scaled, logits, softmax, weights};
        session.wait();
        driver.move({1590, 990});
        driver.settle();
    }

    const Heatmap& heatmap(StageKind stage, int variant = -1) {
        const auto& all = driver.app().ui.bench.figure.heatmaps;
        return *std::find_if(all.begin(), all.end(), [&](const Heatmap& map) {
            return map.cells->stage == stage && map.variant == variant;
        });
    }
    Point in_window(Point p) {
        return {p.x + driver.app().ui.bench.figure_at.x, p.y + driver.app().ui.bench.figure_at.y};
    }
    Point middle(const Heatmap& map, Cell cell) {
        const Rect r = cell_rect(map, cell.i, cell.j);
        return in_window({r.x + r.w / 2, r.y + r.h / 2});
    }
    // Returns the colour of a cell beside its number, away from its edges.
    Colour fill(StageKind stage, int variant, Cell cell) {
        const Rect r = cell_rect(heatmap(stage, variant), cell.i, cell.j);
        const Point at = in_window({r.x + r.w / 2, r.y + 5});
        return driver.pixels().at(at.x, at.y);
    }
    RowFigures row(int variant, Index i) {
        return session.shown().variants[std::size_t(variant)].row(0, 0, i);
    }
    double weight(int variant, Cell cell) {
        return session.shown()
            .variants[std::size_t(variant)]
            .stage(StageKind::weights)
            .at(0, 0, cell.i, cell.j);
    }
    bool allows(Cell cell, int variant = 0) {
        return is_allowed(session.scene(), variant, 0, 0, cell);
    }
    void click(StageKind stage, Cell cell, int variant = -1, int modifiers = 0) {
        driver.click(middle(heatmap(stage, variant), cell), 0, modifiers);
        driver.move({1590, 990});
        driver.settle();
    }

    Session session{std::make_unique<PlainBackend>()};
    Driver driver{session};
};

TEST_F(BenchPanel, AClickOnTheRingChangesMaskWeightsAndRowSumAndUndoBringsThemBack) {
    const Cell ring = session.view().show.ring.value();
    const Pixels before = driver.pixels();
    const Colour blocked = fill(StageKind::weights, 0, ring);
    const double sum = row(1, ring.i).sum;
    EXPECT_FALSE(allows(ring));
    EXPECT_EQ(weight(0, ring), 0);

    click(StageKind::allowed, ring);
    EXPECT_TRUE(allows(ring, 0));
    EXPECT_TRUE(allows(ring, 1)) << "equal layers are edited together";
    EXPECT_GT(weight(0, ring), 0.5);
    EXPECT_GT(row(1, ring.i).sum, sum + 0.5);
    EXPECT_NE(fill(StageKind::weights, 0, ring), blocked);
    const auto& sums = driver.app().ui.bench.figure.sums;
    const auto bar = std::find_if(sums.begin(), sums.end(), [&](const SumBar& other) {
        return other.variant == 1 && other.row == ring.i;
    });
    ASSERT_NE(bar, sums.end());
    const Point at = in_window({bar->rect.x + 0.7 * bar->rect.w, bar->rect.y + bar->rect.h / 2});
    EXPECT_EQ(driver.pixels().at(at.x, at.y), theme(ThemeKind::dark)[Role::odd]);
    EXPECT_NE(before.at(at.x, at.y), theme(ThemeKind::dark)[Role::odd]);

    driver.key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver.settle();
    EXPECT_FALSE(allows(ring));
    EXPECT_EQ(fill(StageKind::weights, 0, ring), blocked);
    EXPECT_FALSE(session.document().undo_name());
}

TEST_F(BenchPanel, APaintedCellTurnsBlockedOnTheScreen) {
    const Cell cell{4, 2};
    const Colour open = fill(StageKind::weights, 0, cell);
    click(StageKind::allowed, cell);
    EXPECT_FALSE(allows(cell));
    EXPECT_EQ(weight(0, cell), 0);
    EXPECT_NE(fill(StageKind::weights, 0, cell), open);
}

TEST_F(BenchPanel, ADragPaintsALineInOneStep) {
    const Heatmap mask = heatmap(StageKind::allowed);
    driver.drag(middle(mask, {5, 0}), middle(mask, {5, 4}));
    driver.settle();
    for (Index j = 0; j < 5; ++j) EXPECT_FALSE(allows({5, j})) << j;
    EXPECT_TRUE(allows({5, 5}));
    session.undo();
    for (Index j = 0; j < 6; ++j) EXPECT_TRUE(allows({5, j})) << j;
}

TEST_F(BenchPanel, AHeaderBlocksItsColumnAndAllowsItAgain) {
    const Rect rect = heatmap(StageKind::allowed).rect;
    const Point header = in_window({rect.x + rect.w / 12, rect.y - 10});
    driver.click(header);
    driver.settle();
    for (Index i = 0; i < 6; ++i) EXPECT_FALSE(allows({i, 0}));
    driver.click(header);
    driver.settle();
    for (Index i = 0; i < 6; ++i) EXPECT_TRUE(allows({i, 0}));
}

TEST_F(BenchPanel, AClickElsewherePinsAndAltClickBlocks) {
    click(StageKind::weights, {4, 1}, 1);
    EXPECT_EQ(session.view().show.focus, (Cell{4, 1}));
    EXPECT_TRUE(allows({4, 1}));
    click(StageKind::weights, {4, 1}, 1, GLFW_MOD_ALT);
    EXPECT_FALSE(allows({4, 1}));
}

TEST_F(BenchPanel, ThePointerIsLinkedThroughEveryStage) {
    driver.move(middle(heatmap(StageKind::scaled), {3, 2}));
    driver.settle();
    ASSERT_TRUE(session.view().hovered);
    EXPECT_EQ(session.view().hovered->i, 3);
    // The frame of the cell is white, in every heatmap.
    for (const Heatmap& map : driver.app().ui.bench.figure.heatmaps) {
        const Rect r = cell_rect(map, 3, 2);
        const Pixels pixels = driver.pixels();
        bool white = false;
        for (double dy = -3; dy <= 3; ++dy) {
            const Point at = in_window({r.x + r.w / 2, r.y + dy});
            white |= pixels.at(at.x, at.y) == Colour{255, 255, 255};
        }
        EXPECT_TRUE(white) << static_cast<int>(map.cells->stage);
    }
}

// Turns the wheel while a modifier key is down.
void wheel_with(ui::Driver& driver, int key, Point at, double steps) {
    driver.push({.kind = InputEvent::Kind::key, .code = key, .down = true});
    driver.wheel(at, steps);
    driver.push({.kind = InputEvent::Kind::key, .code = key, .down = false});
    driver.settle();
}

TEST_F(BenchPanel, CtrlAndTheWheelZoomAllHeatmapsAtThePointerAndADoubleClickFits) {
    const Point at = middle(heatmap(StageKind::scaled), {2, 4});
    driver.wheel(at, 2);
    EXPECT_EQ(session.view().zoom, Zoom{}) << "it scrolls";
    wheel_with(driver, GLFW_KEY_LEFT_CONTROL, at, 2);
    const Zoom zoom = session.view().zoom;
    EXPECT_LT(zoom.x1 - zoom.x0, 0.7);
    for (const Heatmap& map : driver.app().ui.bench.figure.heatmaps) EXPECT_EQ(map.zoom, zoom);
    const Cell under = *cell_at(
        heatmap(StageKind::scaled),
        {at.x - driver.app().ui.bench.figure_at.x, at.y - driver.app().ui.bench.figure_at.y});
    EXPECT_EQ(under, (Cell{2, 4})) << "what is under the pointer stays under it";
    driver.double_click(in_window({driver.app().ui.bench.seen->w - 5, 2}));
    driver.settle();
    EXPECT_EQ(session.view().zoom, Zoom{});
}

// The window is too small for the smallest cells.
TEST_F(BenchPanel, TheWheelScrollsAndTokensStay) {
    driver.push({.kind = InputEvent::Kind::resize, .at = {1200, 600}});
    driver.settle();
    const BenchState& bench = driver.app().ui.bench;
    ASSERT_GT(bench.whole.width, bench.seen->w);
    ASSERT_GT(bench.whole.height, bench.seen->h);
    const Rect tabs = driver.app().panels.bench;
    const Point at{tabs.x + tabs.w / 2, tabs.y + tabs.h - 60};
    const auto names = [&](const std::string& token) {
        return std::ranges::count(bench.figure.texts, token, &Text::text);
    };
    wheel_with(driver, GLFW_KEY_LEFT_SHIFT, at, 100);  // from the place of the fact
    ASSERT_GT(names("Luke"), 0);
    driver.wheel(at, -2);
    EXPECT_GT(bench.seen->y, 0);
    EXPECT_EQ(bench.seen->x, 0);
    EXPECT_GT(names("Luke"), 0);
    wheel_with(driver, GLFW_KEY_LEFT_SHIFT, at, -2);
    EXPECT_GT(bench.seen->x, 0);
    EXPECT_GT(names("Luke"), 0);
    EXPECT_EQ(session.view().zoom, Zoom{});
}

// The bench is laid out once for each change, and not in a frame in which nothing changes.
TEST_F(BenchPanel, IsLaidOutOnceAChange) {
    driver.move({1590, 990});
    driver.settle();
    const BenchState& bench = driver.app().ui.bench;
    const auto layouts_of = [&](const auto& change) {
        const std::uint64_t before = bench.layouts;
        change();
        session.wait();
        driver.settle();
        return bench.layouts - before;
    };
    EXPECT_EQ(layouts_of([] {}), 0U);
    EXPECT_EQ(layouts_of([&] {
                  session.edit("block", [](Scene& scene) {
                      set_allowed(scene, {0, 1}, 0, 0, Cell{4, 2}, false);
                  });
              }),
              1U);
    EXPECT_EQ(layouts_of([&] { driver.wheel({1590, 600}, -1); }), 0U) << "it only scrolls";
}

TEST_F(BenchPanel, AStepThatAsksCoversWhatLiesAfterTheFork) {
    session.go_to_step(2);  // it does not name what it covers
    driver.settle();
    ASSERT_TRUE(session.view().asks());
    EXPECT_TRUE(driver.app().ui.bench.figure.sums.empty());
    for (const Heatmap& map : driver.app().ui.bench.figure.heatmaps) EXPECT_EQ(map.variant, -1);
    driver.key(GLFW_KEY_PAGE_DOWN);
    driver.settle();
    EXPECT_FALSE(session.view().asks());
    EXPECT_FALSE(driver.app().ui.bench.figure.sums.empty());
}

// --- explanations

class Explained : public BenchPanel {
protected:
    // True if a text is drawn while the pointer is at a point of the window.
    bool says(Point at, const std::string& part) {
        driver.move(at);
        driver.settle();
        return std::ranges::any_of(driver.app().labels->drawn(), [&](const auto& label) {
            return label.text.find(part) != std::string::npos;
        });
    }
    Point text_of_figure(const std::string& text) {
        for (const Text& one : driver.app().ui.bench.figure.texts)
            if (one.text == text) {
                const Rect r = text_rect(one);
                return in_window({r.x + r.w / 2, r.y + r.h / 2});
            }
        ADD_FAILURE() << "nothing says " << text;
        return {};
    }
    Point label_in(const std::string& text, const Rect& within) {
        driver.settle();
        for (const auto& label : driver.app().labels->drawn()) {
            const Point at{label.rect.x + label.rect.w / 2, label.rect.y + label.rect.h / 2};
            if (label.text == text && within.contains(at)) return at;
        }
        ADD_FAILURE() << "nothing says " << text;
        return {};
    }
    // Opens the panels, and with them the chips above the bench.
    void explore() {
        driver.app().ui.commands.push_back(maskscope::explore);
        driver.settle();
    }
    bool is_bold(const std::string& token) {
        return std::ranges::any_of(driver.app().ui.bench.figure.texts, [&](const Text& text) {
            return text.text == token && text.style.weight == Weight::bold;
        });
    }
};

TEST_F(Explained, TermsOfTheFigureOnHover) {
    for (const char* term : {"Mask", "Softmax input", "+ M", "softmax", "× m", "Weights",
                             "Row sums", "blocked", "weight lost", "keys →"})
        EXPECT_TRUE(says(text_of_figure(term), explanation(term).substr(0, 12))) << term;
    EXPECT_FALSE(says(text_of_figure("Mask"), "In the file:")) << "that is for authors";
    EXPECT_EQ(explanation("Luke"), "") << "a token is not a term";
}

TEST_F(BenchPanel, APressBesideAMaskWithoutTokensFlipsNoRow) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>{"a", "b", "c", "d", "e"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 1, 4, 4, 8};
    scene.variants.resize(2);
    scene.variants[0].name = "A";
    scene.variants[1].name = "B";
    scene.variants[0].mask.layers = {MaskLayer{}};
    MaskLayer window;
    window.kind = LayerKind::window;
    scene.variants[1].mask.layers = {window};
    driver.push({.kind = InputEvent::Kind::resize, .at = {2000, 1000}});  // so that nothing scrolls
    ASSERT_TRUE(session.open_scene(scene, ".", "two masks"));
    driver.settle();
    const auto& figure = driver.app().ui.bench.figure;
    for (const Heatmap& map : std::vector(figure.heatmaps)) {
        if (map.cells->stage != StageKind::allowed) continue;
        const Rect beside{map.rect.x - 80, map.rect.y, 80, map.rect.h};
        const bool has_tokens = std::ranges::any_of(figure.texts, [&](const Text& text) {
            return text.anchor == Anchor::right && beside.contains(text.at);
        });
        driver.click(in_window({map.rect.x - 30, map.rect.y + map.rect.h * 0.3}));
        EXPECT_EQ(session.document().undo_name().has_value(), has_tokens)
            << "variant " << map.variant;
        while (session.document().undo_name()) session.undo();
        driver.settle();
    }
}

TEST_F(BenchPanel, AClickInASecondHeadPinsItsCell) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>{"a", "b", "c"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 4, 4, 8};
    scene.variants.resize(2);
    scene.variants[0].name = "A";
    scene.variants[1].name = "B";
    MaskLayer window;
    window.kind = LayerKind::window;
    scene.variants[1].mask.layers = {window};
    scene.show.emplace().heads = std::vector<Index>{0, 1};
    scene.show->stages = {StageKind::weights};
    ASSERT_TRUE(session.open_scene(scene, ".", "two heads"));
    driver.settle();
    const auto maps = driver.app().ui.bench.figure.heatmaps;
    for (const Heatmap& map : maps)
        if (map.h == 1 && map.variant == 0 && map.cells->stage == StageKind::weights)
            driver.click(middle(map, {2, 1}));
    driver.move({1590, 990});
    driver.settle();
    const Shape shape = session.shown().variants[0].shape;
    EXPECT_EQ(session.view().show.focus, (Cell{2, 1}));
    EXPECT_EQ(place_of_focus(session.view(), shape), std::pair(Index(0), Index(1)));
    driver.key(GLFW_KEY_UP);
    EXPECT_EQ(session.view().show.focus, (Cell{1, 1}));
    EXPECT_EQ(place_of_focus(session.view(), shape), std::pair(Index(0), Index(1)));
    session.view().show.heads = std::vector<Index>{0};
    EXPECT_EQ(place_of_focus(session.view(), shape), std::pair(Index(0), Index(0)));
}

TEST_F(Explained, RowSumsSayWhatTheyAre) {
    const auto bar = [&](int variant, Index row) {
        for (const SumBar& one : driver.app().ui.bench.figure.sums)
            if (one.variant == variant && one.row == row)
                return in_window({one.rect.x + one.rect.w / 2, one.rect.y + one.rect.h / 2});
        ADD_FAILURE() << "no such sum";
        return Point{};
    };
    EXPECT_TRUE(says(bar(0, 2), "sum to 1, all on"));
    EXPECT_TRUE(says(bar(1, 2), "multiplies"));
    session.edit("none", [](Scene& s) { s.variants[1].mask.apply = Apply::none; });
    driver.settle();
    EXPECT_TRUE(says(bar(1, 0), "leaks"));
}

TEST_F(Explained, AChipShowsWhatOutputsDependOn) {
    explore();
    const Rect bench = driver.app().panels.bench;
    const Rect tools{bench.x, bench.y, bench.w, 120};
    const auto drawn = [&] {
        return std::ranges::count_if(driver.app().ui.bench.figure.heatmaps, [](const Heatmap& map) {
            return map.cells->stage == StageKind::depends;
        });
    };
    session.view().show.stages = {StageKind::weights};
    driver.settle();
    EXPECT_EQ(drawn(), 0);
    const Point chip = label_in("Influence", tools);
    EXPECT_TRUE(says(chip, "How much replacing"));
    driver.click(chip);
    driver.settle();
    session.wait();
    driver.settle();
    EXPECT_EQ(drawn(), 2);
    EXPECT_TRUE(says(text_of_figure("Influence"), "How much replacing"));
    ASSERT_TRUE(session.edit("given scores", [](Scene& s) {
        s.inputs = ScoresInputs{make_array({6, 6}, std::vector<double>(36, 0.5)), {}, {}};
        for (Variant& variant : s.variants) variant.scale.kind = ScaleKind::none;
    }));
    session.wait();
    driver.settle();
    EXPECT_EQ(drawn(), 0);
    for (const auto& label : driver.app().labels->drawn()) EXPECT_NE(label.text, "Influence");
}

TEST_F(Explained, TheFocusIsNamedWhilePinnedToo) {
    EXPECT_FALSE(is_bold("Luke"));
    session.view().show.focus = Cell{4, 1};
    driver.settle();
    EXPECT_TRUE(is_bold("Luke"));
    EXPECT_TRUE(is_bold("My")) << "its column";
    driver.key(GLFW_KEY_UP);
    EXPECT_TRUE(is_bold("is")) << "it moves with the keys";
}

TEST_F(Explained, BoldNamesAreNoShorter) {
    session.edit("long", [](Scene& s) {
        set_sentence(s, 0, Side::queries, {"<sos>", "students", "asked", "questions", "<eos>"});
    });
    session.wait();
    const auto names = [&] {
        driver.settle();
        std::vector<std::string> all;
        for (const Text& text : driver.app().ui.bench.figure.texts) {
            all.push_back(text.text);
            if (text.style.weight == Weight::bold && text.max_width > 0) {
                EXPECT_LE(measure(text.text, text.style).width, text.max_width + 0.5) << text.text;
            }
        }
        std::ranges::sort(all);
        return all;
    };
    session.view().show.focus.reset();
    const auto before = names();
    for (Index k = 0; k < 5; ++k) {
        session.view().show.focus = Cell{k, k};
        EXPECT_EQ(names(), before) << k;
    }
}

TEST_F(Explained, TheFocusIsNamedAmongManyTokens) {
    session.edit("many", [](Scene& s) {
        std::vector<std::string> words;
        for (int k = 0; k < 200; ++k) words.push_back("t" + std::to_string(k));
        set_sentence(s, 0, Side::queries, words);
    });
    session.wait();
    for (const Index i : {Index{101}, Index{103}, Index{199}}) {
        session.view().show.focus = Cell{i, i - 50};
        driver.settle();
        EXPECT_TRUE(is_bold("t" + std::to_string(i))) << i;
        EXPECT_TRUE(is_bold("t" + std::to_string(i - 50))) << i;
    }
}

}  // namespace
}  // namespace maskscope::ui
