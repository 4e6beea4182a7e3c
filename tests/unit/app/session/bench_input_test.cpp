// Tests the pointer on the bench: a press, a drag and a release as the window passes them on.

#include "app/session/edits/bench_input.h"

#include <gtest/gtest.h>

#include "app/figure/layout/lay_out.h"
#include "core/compute/plain.h"

namespace maskscope {
namespace {

Scene scene_of(std::size_t tokens, Index heads = 1) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(tokens, "word"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, heads, 16, 4, 4};
    scene.variants.resize(1);
    scene.variants[0].name = "A";
    return scene;
}

class BenchInput : public testing::Test {
protected:
    void show(const Scene& scene, double width = 1600) {
        Lesson lesson;
        lesson.name = "one";
        lesson.steps.resize(1);
        lesson.steps[0].scene = scene;
        if (!scene.show)  // the mask is shown although nothing is blocked yet
            lesson.steps[0].scene.show.emplace().stages = {StageKind::allowed, StageKind::weights};
        ASSERT_TRUE(session.open_lesson(lesson, "."));
        LayoutOptions options;
        options.width = width;
        options.height = 900;
        figure = lay_out(session.results().bench(), options);
    }
    const Heatmap& heatmap(StageKind stage, int variant, Index h = 0) const {
        for (const Heatmap& map : figure.heatmaps)
            if (map.cells->stage == stage && map.variant == variant && map.h == h) return map;
        throw std::runtime_error("no such heatmap");
    }
    static Point middle(const Heatmap& map, Index i, Index j) {
        const Rect cell = cell_rect(map, i, j);
        return {cell.x + cell.w / 2, cell.y + cell.h / 2};
    }
    void move(std::optional<Point> at, bool pressed = false, bool held = true, bool alt = false) {
        BenchPointer pointer;
        pointer.at = at;
        pointer.pressed = pressed;
        pointer.held = held;
        pointer.alt = alt;
        use_pointer(session, drag, figure, pointer, 1);
    }
    // Holds the pointer still while the figure moves below it.
    void rest(Point at) {
        BenchPointer pointer;
        pointer.at = at;
        pointer.held = true;
        pointer.moved = false;
        use_pointer(session, drag, figure, pointer, 1);
    }
    void press(Point at, bool alt = false) { move(at, true, true, alt); }
    void release() { move(std::nullopt, false, false); }

    std::vector<Cell> blocked(Index h = 0) const {
        const Shape shape = shape_of(session.scene());
        std::vector<Cell> cells;
        for (Index i = 0; i < shape.n_q; ++i)
            for (Index j = 0; j < shape.n_k; ++j)
                if (!is_allowed(session.scene(), 0, 0, h, {i, j})) cells.push_back({i, j});
        return cells;
    }

    Session session{std::make_unique<PlainBackend>()};
    BenchDrag drag;
    Figure figure;
};

using CellList = std::vector<Cell>;

TEST_F(BenchInput, AQuickDragLeavesNoHoles) {
    show(scene_of(8));
    const Heatmap& mask = heatmap(StageKind::allowed, shared_variant);
    press(middle(mask, 3, 1));
    move(middle(mask, 3, 4));
    release();
    EXPECT_EQ(blocked(), (CellList{{3, 1}, {3, 2}, {3, 3}, {3, 4}}));
    session.undo();
    EXPECT_EQ(blocked(), CellList{}) << "one step of undo";
}

TEST_F(BenchInput, ANewLayoutBelowARestingPointerPaintsNothing) {
    show(scene_of(8));
    const Heatmap& mask = heatmap(StageKind::allowed, shared_variant);
    press(middle(mask, 3, 1));
    rest(middle(mask, 6, 6));
    EXPECT_EQ(blocked(), (CellList{{3, 1}}));
    move(middle(mask, 6, 5));
    release();
    EXPECT_EQ(blocked(), (CellList{{3, 1}, {6, 5}})) << "it continues at the pointer";
}

TEST_F(BenchInput, ADragPaintsInTheHeatmapOfItsPressAlone) {
    Scene scene = scene_of(8);
    scene.show.emplace().stages = {StageKind::allowed, StageKind::weights, StageKind::output};
    show(scene);
    const Heatmap& mask = heatmap(StageKind::allowed, shared_variant);
    press(middle(mask, 3, 7));
    move(middle(heatmap(StageKind::weights, 0), 3, 0));
    EXPECT_EQ(blocked(), (CellList{{3, 7}})) << "the row between them was painted";
    move(middle(heatmap(StageKind::output, 0), 5, 2));
    EXPECT_EQ(blocked(), (CellList{{3, 7}})) << "the output's columns are components";
    move(std::nullopt);
    move(middle(mask, 5, 6));
    move(middle(mask, 5, 5));
    release();
    EXPECT_EQ(blocked(), (CellList{{3, 7}, {5, 5}, {5, 6}})) << "it goes on where it comes back";
    session.undo();
    EXPECT_EQ(blocked(), CellList{});
}

TEST_F(BenchInput, ADragIntoAnotherHeadPaintsNothingThere) {
    Scene scene = scene_of(4, 2);
    scene.show.emplace().heads = std::vector<Index>{0, 1};
    scene.show->view = ViewKind::pipeline;
    show(scene);
    press(middle(heatmap(StageKind::weights, 0, 0), 1, 2), true);
    move(middle(heatmap(StageKind::weights, 0, 1), 3, 0));
    release();
    EXPECT_EQ(blocked(), (CellList{{1, 2}}));
}

TEST_F(BenchInput, ThePressBesideAMaskBlocksItsQuery) {
    show(scene_of(4));
    const Heatmap& mask = heatmap(StageKind::allowed, shared_variant);
    press({mask.rect.x - 30, middle(mask, 2, 0).y});
    release();
    EXPECT_EQ(blocked(), (CellList{{2, 0}, {2, 1}, {2, 2}, {2, 3}}));
}

// No matter where a heatmap is pressed, no row or column of the mask beside it changes.
TEST_F(BenchInput, APressOnALayerBeforeDoesNotHitAHeader) {
    Scene scene = scene_of(8);
    const Inputs before = scene.inputs;
    scene.inputs = OutputInputs{LayerBefore{before, scene.variants[0]}, std::nullopt};
    scene.show.emplace().stages = {StageKind::allowed, StageKind::weights};
    show(scene, 480);
    for (const Heatmap& map : figure.heatmaps) {
        if (map.variant != foreign_variant) continue;
        for (double x = map.rect.x + 0.5; x < map.rect.right(); x += 4)
            for (Index i = 0; i < 8; ++i) {
                const Point at{x, middle(map, i, 0).y};
                press(at);
                release();
                ASSERT_EQ(blocked(), CellList{}) << x << ", row " << i;
            }
    }
}

TEST_F(BenchInput, CellsTooSmallToHitArePinnedAndNotFlipped) {
    show(scene_of(400));
    session.wait();
    LayoutOptions options;
    options.width = options.height = 900;
    figure = lay_out(session.results().bench(), options);
    const Heatmap& mask = heatmap(StageKind::allowed, shared_variant);
    ASSERT_LT(cell_rect(mask, 0, 0).w, 4);
    press(middle(mask, 300, 100));
    release();
    EXPECT_TRUE(blocked().empty());
    EXPECT_EQ(session.view().show.focus, (Cell{300, 100}));
    ASSERT_TRUE(session.message());
    EXPECT_NE(session.message()->text.find("Zoom in"), std::string::npos);
    press({mask.rect.x + 50, mask.rect.y - 5});
    release();
    EXPECT_TRUE(blocked().empty()) << "nor a whole column";
    press(middle(heatmap(StageKind::weights, 0), 30, 10), true);
    release();
    EXPECT_TRUE(blocked().empty()) << "nor with Alt";
}

// --- borders

MaskLayer layer_of_kind(LayerKind kind) {
    MaskLayer layer;
    layer.kind = kind;
    return layer;
}

class MaskBorders : public BenchInput {
protected:
    // Drags along `row` from the left edge of column `from` to that of column `to`.
    void drag_column(Index row, Index from, Index to) {
        const Heatmap mask = heatmap(StageKind::allowed, shared_variant);
        const auto at = [&](Index j) {
            return Point{mask.rect.x + double(j) * cell_rect(mask, 0, 0).w, middle(mask, row, 0).y};
        };
        press(at(from));
        for (Index k = 1; k <= 4; ++k)
            move(Point{at(from).x + (at(to).x - at(from).x) * double(k) / 4, at(from).y});
        release();
    }
    const MaskLayer& layer() const { return session.scene().variants[0].mask.layers[0]; }
    void show_layer(const MaskLayer& layer) {
        Scene scene = scene_of(8);
        scene.variants[0].mask.layers = {layer};
        show(scene);
    }
};

TEST_F(MaskBorders, TheEdgesOfAWindowAreDraggedAsOneStep) {
    MaskLayer window = layer_of_kind(LayerKind::window);
    window.left = 1;
    show_layer(window);
    drag_column(5, 4, 2);
    EXPECT_EQ(layer().left, 3);
    drag_column(5, 6, 8);
    EXPECT_EQ(layer().right, 2);
    session.undo();
    EXPECT_EQ(layer().right, 0);
    EXPECT_EQ(layer().left, 3);
    session.undo();
    EXPECT_EQ(layer(), window);
}

TEST_F(MaskBorders, ChunksSinksPrefixesAndDocumentsAreDragged) {
    MaskLayer chunks = layer_of_kind(LayerKind::chunked);
    chunks.size = 2;
    show_layer(chunks);
    drag_column(0, 4, 6);
    EXPECT_EQ(layer().size, 3) << "the second border is at 6";
    MaskLayer sinks = layer_of_kind(LayerKind::sinks);
    sinks.count = 1;
    show_layer(sinks);
    drag_column(3, 1, 4);
    EXPECT_EQ(layer().count, 4);
    MaskLayer prefix = layer_of_kind(LayerKind::prefix);
    prefix.length = 5;
    show_layer(prefix);
    drag_column(3, 5, 2);
    EXPECT_EQ(layer().length, 2);
    MaskLayer documents = layer_of_kind(LayerKind::documents);
    documents.lengths = {2, 3, 3};
    show_layer(documents);
    drag_column(0, 5, 8);
    EXPECT_EQ(layer().lengths, (std::vector<Index>{2, 5, 1})) << "none is emptied";
}

TEST_F(MaskBorders, ABorderWithinAGroupIsDragged) {
    MaskLayer group = layer_of_kind(LayerKind::any), window = layer_of_kind(LayerKind::window);
    group.layers = {layer_of_kind(LayerKind::causal), window};
    show_layer(group);
    drag_column(2, 3, 5);
    EXPECT_EQ(layer().layers[1].right, 2);
}

// Until the edited scene is laid out, the pointer is over the heatmaps of the previous scene.
TEST_F(MaskBorders, ARemovedVariantHasNone) {
    Scene scene = scene_of(8);
    scene.variants.resize(2);
    scene.variants[0].name = "A";
    scene.variants[1].name = "B";
    scene.variants[1].mask.layers = {layer_of_kind(LayerKind::window)};
    show(scene);
    const Heatmap mask = heatmap(StageKind::allowed, 1);
    const Rect cell = cell_rect(mask, 5, 6);
    const Point border{cell.x, cell.y + cell.h / 2};
    EXPECT_TRUE(border_at(session, drag, figure, border, 1));
    session.edit("remove a variant", [](Scene& one) { one.variants.pop_back(); });
    EXPECT_FALSE(border_at(session, drag, figure, border, 1));
    move(border);
    press(border);
    release();
    EXPECT_EQ(session.scene().variants.size(), 1u);
}

// Keys still work while a mouse button is held.
TEST_F(MaskBorders, ALayerThatHasNoSuchBorderAnyMoreStaysAsItIs) {
    MaskLayer documents = layer_of_kind(LayerKind::documents);
    documents.lengths = {2, 3, 3};
    MaskLayer fewer = documents;
    fewer.lengths = {2, 6};
    for (const MaskLayer& other : {fewer, layer_of_kind(LayerKind::window)}) {
        show_layer(documents);
        const Heatmap mask = heatmap(StageKind::allowed, shared_variant);
        const Rect cell = cell_rect(mask, 0, 5);
        press({cell.x, cell.y + cell.h / 2});
        move(Point{cell.x + cell.w, cell.y + cell.h / 2});
        EXPECT_EQ(layer().lengths, (std::vector<Index>{2, 4, 2}));
        session.edit("another", [&](Scene& s) { s.variants[0].mask.layers = {other}; });
        move(Point{cell.x - cell.w, cell.y + cell.h / 2});
        release();
        EXPECT_EQ(layer(), other);
    }
}

TEST_F(MaskBorders, APlainClickBesideABorderFlipsTheCell) {
    MaskLayer sinks = layer_of_kind(LayerKind::sinks);
    sinks.count = 4;
    show_layer(sinks);
    const Heatmap mask = heatmap(StageKind::allowed, shared_variant);
    const Rect cell = cell_rect(mask, 2, 3);
    press({cell.right() - 1, cell.y + cell.h / 2});
    release();
    EXPECT_FALSE(is_allowed(session.scene(), 0, 0, 0, {2, 3}));
    EXPECT_EQ(layer().count, 4);
    session.undo();
    EXPECT_TRUE(is_allowed(session.scene(), 0, 0, 0, {2, 3})) << "one step";
}

}  // namespace
}  // namespace maskscope
