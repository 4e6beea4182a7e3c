// Tests difference, heads, batch and colours in the window: events in, view, scene and pixels out.

#include <algorithm>

#include "app/session/edits/bench_input.h"
#include "core/format/scene_json.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope::ui {
namespace {

Variant causal(const std::string& name, Apply apply) {
    Variant variant;
    variant.name = name;
    variant.mask.layers = {MaskLayer{}};
    variant.mask.apply = apply;
    return variant;
}

class BenchViews : public InPanels {
protected:
    // Opens the window over two sequences, four heads and three variants.
    BenchViews() {
        driver->push({.kind = InputEvent::Kind::resize, .at = {1600, 1400}});  // fits four variants
        Scene scene;
        scene.sequences = {{{"My", "name", "is", "Luke"}, std::nullopt},
                           {{"Hello", "world"}, std::nullopt}};
        scene.inputs = EmbeddingInputs{7, 4, 8, 8, 64};
        scene.variants = {causal("added", Apply::additive),
                          causal("multiplied", Apply::multiply_weights),
                          causal("open", Apply::none)};
        const fs::path file = folder.path() / "scene.json";
        std::ofstream(file) << write_scene(scene);
        EXPECT_TRUE(session.open(file));
        away();
    }

    void away() {
        driver->move({1590, 990});
        driver->settle();
    }
    const Figure& figure() { return driver->app().ui.bench.figure; }
    View& view() { return session.view(); }
    const Rect& bench() { return driver->app().panels.bench; }
    Point in_window(Point p) {
        return {p.x + driver->app().ui.bench.figure_at.x, p.y + driver->app().ui.bench.figure_at.y};
    }
    const Heatmap* heatmap(int variant, Index h) {
        const auto& all = figure().heatmaps;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Heatmap& map) {
            return map.variant == variant && map.h == h && map.cells->stage == StageKind::weights;
        });
        return found == all.end() ? nullptr : &*found;
    }
    Point middle(const Rect& r) { return in_window({r.x + r.w / 2, r.y + r.h / 2}); }
    void click_head(int variant, Index h, int modifiers = 0) {
        const Heatmap* map = heatmap(variant, h);
        ASSERT_TRUE(map) << "head " << h;
        driver->click(middle(map->rect), 0, modifiers);
        away();
    }
    void show_heads() {
        view().show.view = ViewKind::heads;
        driver->settle();
    }

    Folder folder;
};

TEST_F(BenchViews, TheDifferenceComesAndGoesByItsChip) {
    EXPECT_FALSE(heatmap(difference_variant, 0));
    click("A − B", bench());
    away();
    EXPECT_EQ(view().show.difference, (Difference{0, 1}));
    ASSERT_TRUE(heatmap(difference_variant, 0));
    EXPECT_TRUE(heatmap(difference_variant, 0)->cells->difference);
    click("A − B", bench());
    away();
    EXPECT_FALSE(view().show.difference);
    EXPECT_FALSE(heatmap(difference_variant, 0));
    EXPECT_FALSE(session.document().undo_name()) << "what is shown is no edit";
}

TEST_F(BenchViews, AltClickOnTheDifferenceEditsNoMask) {
    view().show.difference = Difference{0, 1};
    driver->settle();
    const Scene before = scene();
    driver->click(middle(heatmap(difference_variant, 0)->rect), 0, GLFW_MOD_ALT);
    driver->settle();
    EXPECT_EQ(scene().variants, before.variants);
    EXPECT_TRUE(view().show.focus) << "it pins the cell, as a click does";
}

TEST_F(BenchViews, AClickEnlargesAHeadAndEscapeGoesBack) {
    show_heads();
    EXPECT_EQ(figure().heatmaps.size(), 12u) << "four heads in three variants";
    click_head(1, 2);
    EXPECT_EQ(view().show.view, ViewKind::pipeline);
    EXPECT_EQ(view().show.heads, (std::vector<Index>{2}));
    EXPECT_TRUE(heatmap(0, 2));
    EXPECT_FALSE(view().show.focus) << "the click is used up";
    driver->key(GLFW_KEY_ESCAPE);
    away();
    EXPECT_EQ(view().show.view, ViewKind::heads);
    EXPECT_EQ(figure().heatmaps.size(), 12u);
    driver->key(GLFW_KEY_ESCAPE);
    away();
    EXPECT_EQ(view().show.view, ViewKind::heads) << "there is nothing more to leave";
}

TEST_F(BenchViews, TheTabOfThePipelineShowsAllStagesOfTheHead) {
    show_heads();
    click_head(1, 2);
    click("Pipeline", bench());
    away();
    EXPECT_FALSE(view().enlarged);
    EXPECT_EQ(view().show.heads, (std::vector<Index>{2}));
    EXPECT_TRUE(std::ranges::any_of(figure().heatmaps, [](const Heatmap& map) {
        return map.cells->stage != StageKind::weights && map.cells->stage != StageKind::allowed;
    }));
}

TEST_F(BenchViews, AChipLeadsBackToAllHeads) {
    show_heads();
    click_head(0, 1);
    click("‹ all heads", bench());
    away();
    EXPECT_EQ(figure().heatmaps.size(), 12u);
}

TEST_F(BenchViews, CtrlClickOnTwoHeadsComparesThemAndEscapeGoesBack) {
    show_heads();
    click_head(0, 3, GLFW_MOD_CONTROL);
    EXPECT_EQ(view().picked, (std::vector<Index>{3}));
    EXPECT_EQ(figure().heatmaps.size(), 12u);
    click_head(0, 3, GLFW_MOD_CONTROL);
    EXPECT_TRUE(view().picked.empty()) << "again: no longer picked";
    click_head(0, 3, GLFW_MOD_CONTROL);
    click_head(1, 0, GLFW_MOD_CONTROL);
    EXPECT_EQ(view().picked, (std::vector<Index>{3, 0}));
    EXPECT_EQ(figure().heatmaps.size(), 9u) << "two heads and their difference, in three variants";
    EXPECT_TRUE(heatmap(difference_variant, 3));
    driver->key(GLFW_KEY_ESCAPE);
    away();
    EXPECT_TRUE(view().picked.empty());
    EXPECT_EQ(figure().heatmaps.size(), 12u);
}

TEST_F(BenchViews, DigitsJumpToHeadsAndBack) {
    show_heads();
    driver->key(GLFW_KEY_3);
    away();
    EXPECT_EQ(view().show.view, ViewKind::pipeline);
    EXPECT_EQ(view().show.heads, (std::vector<Index>{2}));
    driver->key(GLFW_KEY_1);
    away();
    EXPECT_EQ(view().show.heads, (std::vector<Index>{0})) << "from one head to another";
    driver->key(GLFW_KEY_9);
    away();
    EXPECT_EQ(view().show.heads, (std::vector<Index>{0})) << "there are four";
    driver->key(GLFW_KEY_1);
    away();
    EXPECT_EQ(view().show.view, ViewKind::heads) << "the one that is shown leads back";
}

TEST_F(BenchViews, TheStageOfAllHeadsIsChosen) {
    show_heads();
    click("Scaled scores", bench());
    away();
    for (const Heatmap& map : figure().heatmaps) EXPECT_EQ(map.cells->stage, StageKind::scaled);
}

TEST_F(BenchViews, ChipsOfALayerChooseItsHeadsAndUndoBringsThemBack) {
    click("3");
    EXPECT_EQ(scene().variants[0].mask.layers[0].heads, (std::vector<Index>{0, 1, 3}));
    EXPECT_EQ(scene().variants[2].mask.layers[0].heads, (std::vector<Index>{0, 1, 3}))
        << "equal layers are edited together";
    EXPECT_TRUE(is_allowed(scene(), 0, 0, 2, {0, 3}));
    EXPECT_FALSE(is_allowed(scene(), 0, 0, 1, {0, 3}));
    click("3");
    EXPECT_FALSE(scene().variants[0].mask.layers[0].heads) << "“all heads” is not a list";
    driver->key(GLFW_KEY_Z, GLFW_MOD_CONTROL);
    driver->settle();
    EXPECT_EQ(scene().variants[0].mask.layers[0].heads, (std::vector<Index>{0, 1, 3}));
}

TEST_F(BenchViews, ALayerHoldsForOneHeadAtLeast) {
    for (const char* head : {"1", "2", "3", "4"}) click(head);
    EXPECT_EQ(scene().variants[0].mask.layers[0].heads, (std::vector<Index>{3}));
    ASSERT_TRUE(session.message());
    EXPECT_TRUE(session.message()->wrong);
}

TEST_F(BenchViews, TheBatchStandsBesideThePipelineAndAClickSelects) {
    const double left = driver->app().ui.bench.figure_at.x;
    click("all 2 sequences", bench());
    away();
    EXPECT_GT(driver->app().ui.bench.figure_at.x, left + 100);
    driver->click(place("2", {bench().x, bench().y + 120, 160, 400}));  // its length
    away();
    EXPECT_EQ(view().show.sequences, (std::vector<Index>{1}));
    EXPECT_EQ(figure().heatmaps.front().b, 1);
    click("all 2 sequences", bench());
    away();
    EXPECT_EQ(driver->app().ui.bench.figure_at.x, left);
}

TEST_F(BenchViews, AMaskThatBlocksNothingIsThereToBePainted) {
    session.edit("open", [](Scene& s) {
        for (Variant& variant : s.variants) variant.mask.layers.clear();
    });
    away();
    const auto mask = [&]() -> const Heatmap* {
        for (const Heatmap& map : figure().heatmaps)
            if (map.cells->stage == StageKind::allowed) return &map;
        return nullptr;
    };
    ASSERT_TRUE(mask());
    const Point cell = middle(cell_rect(*mask(), 1, 2));
    for (const bool blocked : {true, false}) {
        driver->click(cell);
        away();
        EXPECT_EQ(is_allowed(session.scene(), 0, 0, 0, {1, 2}), !blocked);
        EXPECT_TRUE(mask());
    }
}

TEST_F(BenchViews, LogarithmicColoursShowSmallWeights) {
    driver->push({.kind = InputEvent::Kind::resize, .at = {1600, 1000}});  // the target's size
    away();
    const auto fill = [&] {
        const Heatmap& map = *heatmap(1, 0);
        const Rect cell = cell_rect(map, 2, 0);
        const Point at = in_window({cell.x + cell.w / 2, cell.y + 5});
        return driver->pixels().at(at.x, at.y);
    };
    const auto expected = [&] {
        const Heatmap& map = *heatmap(1, 0);
        return fill_of(value_at(*map.cells, 2, 0), StageKind::weights, map.limits, map.map);
    };
    const auto near = [](Colour x, Colour y) {  // 8 bits a channel, a map of 1024 steps
        return std::abs(x.r - y.r) <= 4 && std::abs(x.g - y.g) <= 4 && std::abs(x.b - y.b) <= 4;
    };
    const Colour linear = fill();
    EXPECT_TRUE(near(linear, expected()));
    click("logarithmic", bench());
    away();
    EXPECT_EQ(view().colouring.logarithmic, true);
    EXPECT_NE(fill(), linear);
    EXPECT_TRUE(near(fill(), expected()));
    view().colouring.map = ColourMap::magma;
    driver->settle();
    EXPECT_TRUE(near(fill(), expected()));
}

TEST_F(BenchViews, AFrameInWhichNothingChangedLaysNothingOut) {
    const Text* before = figure().texts.data();
    for (int k = 0; k < 3; ++k) frame(driver->app());
    EXPECT_EQ(figure().texts.data(), before);
    driver->move(middle(heatmap(0, 0)->rect));
    driver->settle();
    EXPECT_TRUE(std::any_of(figure().texts.begin(), figure().texts.end(), [](const Text& text) {
        return text.style.weight == Weight::bold && text.text == "is";
    })) << "the token that is pointed at is bold";
}

TEST_F(BenchViews, ALongTokenIsShortenedAndShownWholeAtThePointer) {
    const std::string longest(60, 'w');
    session.edit("rename", [&](Scene& s) { rename_token(s, 0, Side::queries, 1, longest); });
    away();
    const auto cut = std::find_if(figure().texts.begin(), figure().texts.end(),
                                  [&](const Text& text) { return text.text == longest; });
    ASSERT_NE(cut, figure().texts.end());
    driver->move(in_window({cut->at.x - 10, cut->at.y}));
    driver->settle();
    EXPECT_TRUE(shows_part("www", {0, 0, 1600, 1000}));
}

}  // namespace
}  // namespace maskscope::ui
