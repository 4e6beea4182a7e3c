#include "app/session/session.h"

#include <cmath>

#include "tests/unit/app/session/session_parts.h"
#include "tests/unit/core/edit/edit_scenes.h"

namespace maskscope {
namespace {

TEST(Session, StartsWithASceneThatIsShown) {
    Tested t;
    EXPECT_NO_THROW(check_scene(t.session.scene()));
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_FALSE(t.session.results().bench().blocks.empty());
    EXPECT_TRUE(t.session.document().is_saved());
    EXPECT_EQ(t.session.document().path(), std::nullopt);
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
    EXPECT_EQ(t.session.lesson(), nullptr);
    EXPECT_EQ(t.session.words().caption, "");
}

TEST(Session, ShowsAnEditInTheSameFrame) {
    Tested t;
    t.opens(small_scene());
    EXPECT_TRUE(t.block({2, 0}));
    EXPECT_TRUE(t.session.shown().variants[0].is_allowed(0, 0, 2, 0));
    t.session.update();
    EXPECT_FALSE(t.session.shown().variants[0].is_allowed(0, 0, 2, 0));
    EXPECT_EQ(t.session.shown().variants[0].stage(StageKind::weights).at(0, 0, 2, 0), 0);
}

TEST(Session, ComputesOnlyWhatChanged) {
    Tested t;
    t.opens(small_scene());
    const int before = t.backend->computed;
    t.session.view().show.focus = Cell{1, 1};
    t.session.view().show.view = ViewKind::heads;
    t.session.view().zoom.x1 = 0.5;
    for (int frame = 0; frame < 3; ++frame) t.session.update();
    EXPECT_EQ(t.backend->computed, before);
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
    EXPECT_TRUE(t.session.edit("nothing", [](Scene&) {}));
    t.session.update();
    EXPECT_EQ(t.backend->computed, before);
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
}

TEST(Session, RefusesEditsThatLeaveNoValidScene) {
    Tested t;
    const Scene before = t.session.scene();
    EXPECT_FALSE(t.session.edit("name", [](Scene& scene) { scene.variants[0].name = ""; }));
    EXPECT_TRUE(t.wrong());
    EXPECT_NE(t.message().find("/variants/0/name"), std::string::npos);
    EXPECT_FALSE(t.session.edit("value", [](Scene& scene) {
        scene.variants[0].mask.value = {ValueKind::number, std::nan("")};
    }));
    EXPECT_FALSE(t.session.edit("remove", [](Scene& scene) { remove_variant(scene, 0); }));
    EXPECT_EQ(t.session.scene(), before);
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
    EXPECT_TRUE(t.session.edit("title", [](Scene& scene) { scene.title = "new"; }));
    EXPECT_EQ(t.message(), "");
}

TEST(Session, KeepsTheSceneWhateverAnEditThrows) {
    Tested t;
    const Scene before = t.session.scene();
    EXPECT_FALSE(t.session.edit("gone", [](Scene& s) {
        s.title = "half done";
        s.variants.at(7).name = "gone";
    }));
    EXPECT_TRUE(t.wrong());
    EXPECT_TRUE(t.message().starts_with("Could not make this edit: ")) << t.message();
    EXPECT_FALSE(t.session.edit("large", [](Scene&) { throw std::bad_alloc(); }));
    EXPECT_EQ(t.message(), "Not enough memory for this edit.");
    t.session.begin_lesson();
    EXPECT_FALSE(t.session.edit_lesson(
        "gone", [](Lesson& lesson, int&) { lesson.steps.at(7).title = "gone"; }));
    EXPECT_EQ(t.session.lesson()->steps.size(), 1U);
    EXPECT_EQ(t.session.scene(), before);
    EXPECT_EQ(t.session.document().undo_name(), "begin a lesson");
}

// --- history

TEST(History, BringsEverySceneBack) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        SceneMaker make(seed);
        Tested t;
        t.opens(make.scene());
        std::vector<Scene> scenes = {t.session.scene()};
        for (int k = 0; k < 20; ++k) {
            const Index n = shape_of(t.session.scene()).n_q;
            const Index at = make.below(n);
            t.session.edit("edit", [&](Scene& scene) {
                make.chance() ? insert_token(scene, 0, Side::queries, at, make.token())
                              : move_token(scene, 0, Side::queries, at, make.below(n));
            });
            if (t.session.scene() != scenes.back()) scenes.push_back(t.session.scene());
        }
        for (std::size_t k = scenes.size(); k-- > 0; t.session.undo())
            ASSERT_EQ(t.session.scene(), scenes[k]);
        for (const Scene& scene : scenes) {
            ASSERT_EQ(t.session.scene(), scene);
            t.session.redo();
        }
    }
}

TEST(History, TakesADragAsOneStep) {
    Tested t;
    t.opens(small_scene());
    const Scene before = t.session.scene();
    for (Index j = 0; j < 3; ++j) t.block({2, j}, "paint");
    const Scene painted = t.session.scene();
    t.session.end_merge();
    t.block({0, 0}, "paint");
    EXPECT_EQ(t.session.document().undo_name(), "block a cell");
    t.session.undo();
    EXPECT_EQ(t.session.scene(), painted);
    t.session.undo();
    EXPECT_EQ(t.session.scene(), before);
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt);
    EXPECT_EQ(t.session.document().redo_name(), "block a cell");
    t.session.redo();
    EXPECT_EQ(t.session.scene(), painted);
    t.block({0, 1});  // a new edit discards what could be redone
    EXPECT_EQ(t.session.document().redo_name(), std::nullopt);
}

TEST(History, BringsShownVariantsBackWithTheirVariant) {
    Tested t;
    t.opens(small_scene());
    t.session.view().show.variants = {1};
    t.session.edit("remove a variant", [](Scene& scene) { remove_variant(scene, 1); });
    EXPECT_EQ(t.session.view().show.variants, std::nullopt);
    t.session.undo();
    EXPECT_EQ(t.session.view().show.variants, (std::vector<int>{1}));
    t.session.redo();
    EXPECT_EQ(t.session.view().show.variants, std::nullopt);
}

TEST(History, IsNotEndless) {
    Tested t;
    for (int k = 0; k < 1100; ++k)
        t.session.edit("title", [&](Scene& scene) { scene.title = std::to_string(k); });
    int steps = 0;
    for (; t.session.document().undo_name(); ++steps) t.session.undo();
    EXPECT_EQ(steps, 1000);
}

// --- large scenes

TEST(Worker, ComputesLargeScenesBesideTheFrames) {
    Tested t;
    t.backend->held = true;
    EXPECT_TRUE(t.opens(large_scene()));
    EXPECT_TRUE(t.session.computing());
    EXPECT_NE(t.session.shown().scene, t.session.scene());  // the old result stays meanwhile
    EXPECT_FALSE(t.session.results().bench().blocks.empty());
    t.backend->held = false;
    t.session.wait();
    EXPECT_FALSE(t.session.computing());
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_EQ(t.woken, 1);
}

TEST(Worker, IsSupersededByANewerEdit) {
    Tested t;
    t.opens(large_scene());
    t.session.wait();
    t.backend->held = true;
    t.block({5, 0});
    t.session.update();
    EXPECT_TRUE(t.session.computing());
    t.block({5, 1});
    t.session.update();
    t.backend->held = false;
    t.session.wait();
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_FALSE(t.session.shown().variants[0].is_allowed(0, 0, 5, 1));
    EXPECT_FALSE(t.session.message());
}

TEST(Worker, CanBeCancelled) {
    Tested t;
    t.opens(large_scene());
    t.session.wait();
    const Scene shown = t.session.shown().scene;
    t.backend->held = true;
    t.block({5, 0});
    t.session.update();
    t.session.cancel();
    t.session.wait();
    t.session.update();
    EXPECT_FALSE(t.session.computing());
    EXPECT_EQ(t.session.shown().scene, shown);
    EXPECT_NE(t.session.scene(), shown);
    EXPECT_TRUE(t.wrong());
    t.backend->held = false;
    t.block({5, 1});  // the next edit computes again
    t.session.wait();
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
}

TEST(Worker, MayFinishWhenTheSessionEnds) {
    Tested t;
    t.backend->held = true;
    t.opens(large_scene());
    EXPECT_TRUE(t.session.computing());
}

TEST(Refusal, OfAnEditKeepsItBesideTheOldResult) {
    Tested t;
    t.opens(small_scene());
    t.backend->most = 3;
    t.session.edit("insert", [](Scene& s) { insert_token(s, 0, Side::queries, 0, "x"); });
    t.session.update();
    EXPECT_EQ(t.message(), "too large, 8 tokens would fit");
    EXPECT_EQ(shape_of(t.session.shown().scene).n_q, 3);
    const int computed = t.backend->computed;
    t.session.update();  // not again in every frame
    EXPECT_EQ(t.backend->computed, computed);
    t.session.undo();
    t.session.update();
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
}

TEST(Refusal, OpeningAnInvalidSceneRestoresTheOldOne) {
    for (const Scene& scene : {small_scene({"a", "b", "c", "d", "e"}), large_scene()}) {
        Tested t;
        t.opens(small_scene());
        t.block({2, 0});
        t.session.update();
        const Scene before = t.session.scene();
        t.backend->most = 3;
        t.opens(scene);
        t.session.wait();
        EXPECT_EQ(t.session.scene(), before);
        EXPECT_EQ(t.session.document().undo_name(), "block a cell");
        EXPECT_TRUE(t.wrong());
        EXPECT_EQ(t.message(), "one: too large, 8 tokens would fit");
    }
}

TEST(Worker, SaysThatWhatIsShownIsOfTheDocumentBefore) {
    Tested t;
    t.opens(small_scene());
    EXPECT_FALSE(t.session.opening());
    t.backend->held = true;
    t.opens(large_scene());
    EXPECT_TRUE(t.session.opening());
    t.backend->held = false;
    t.session.wait();
    EXPECT_FALSE(t.session.opening());
}

TEST(Refusal, LeavesADocumentThatWasEditedMeanwhile) {
    Tested t;
    t.opens(small_scene());
    t.session.update();
    t.backend->held = true;
    t.opens(large_scene());
    ASSERT_TRUE(t.session.computing());
    ASSERT_TRUE(
        t.session.edit("rename", [](Scene& s) { rename_token(s, 0, Side::queries, 0, "mine"); }));
    t.session.cancel();
    t.backend->held = false;
    t.session.wait();
    EXPECT_EQ(t.session.scene().sequences[0].queries[0], "mine");
    EXPECT_EQ(t.session.document().undo_name(), "rename");
    EXPECT_FALSE(t.session.document().is_saved());
}

// --- the bench

std::vector<SharedCells> cells_of(const Bench& bench) {
    std::vector<SharedCells> cells;
    for (const BenchBlock& block : bench.blocks) {
        for (const BenchStage& stage : block.shared) cells.push_back(stage.cells);
        for (const BenchVariant& variant : block.variants)
            for (const BenchStage& stage : variant.stages) cells.push_back(stage.cells);
    }
    return cells;
}

TEST(BenchOfASession, IsKeptUntilSomethingOnItChanges) {
    Tested t;
    t.opens(small_scene());
    const auto before = cells_of(t.session.results().bench());
    t.session.view().hovered = CellRef{};
    t.session.view().zoom.x1 = 0.5;
    t.session.view().show.focus = Cell{0, 0};
    t.session.update();
    EXPECT_EQ(cells_of(t.session.results().bench()), before);
    t.session.view().show.stages = {StageKind::weights};
    EXPECT_EQ(cells_of(t.session.results().bench()), before);  // only the next update computes
    t.session.update();
    EXPECT_LT(cells_of(t.session.results().bench()).size(), before.size());
}

TEST(BenchOfASession, SharesCellsThatDidNotChange) {
    Scene scene = small_scene();
    scene.variants[0].mask.layers.resize(1);
    scene.variants[0].mask.layers[0].kind = LayerKind::blocked;
    scene.variants[0].mask.layers[0].rows = {1};  // a row of NaN, which equals itself here
    Tested t;
    t.opens(scene);
    const auto before = cells_of(t.session.results().bench());
    t.session.edit("mask of B", [](Scene& s) { set_allowed(s, {1}, 0, 0, {2, 0}, false); });
    t.session.update();
    const auto after = cells_of(t.session.results().bench());
    std::size_t shared = 0;
    for (const SharedCells& cells : after)
        shared += std::find(before.begin(), before.end(), cells) != before.end() ? 1U : 0U;
    EXPECT_GE(shared, 3U);            // the scaled scores, and A's stages
    EXPECT_LT(shared, after.size());  // B's weights
}

}  // namespace
}  // namespace maskscope
