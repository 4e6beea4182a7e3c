// Tests a session over results whose rows are computed when they are read.

#include <gtest/gtest.h>

#include "app/session/computing.h"
#include "app/show/bench/bench_survey.h"
#include "app/show/cells/cell_texels.h"
#include "app/views/plane/plane_view.h"
#include "core/cpu/cpu_backend.h"
#include "core/large/large_backend.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

class LongSession : public testing::Test {
protected:
    void SetUp() override {
        Scene scene = small_scene(std::vector<std::string>(300, "word"));
        scene.variants.resize(1);
        scene.variants[0].mask.layers.emplace_back();
        scene.show.emplace();
        scene.show->stages = {StageKind::allowed, StageKind::weights};
        write_bytes(folder / "scene.json", write_scene(scene));
    }
    void settle() {
        session.wait();  // however long it takes with sanitizers
        ASSERT_FALSE(session.computing());
    }
    bool is_shown() const {
        return !session.shown().variants.empty() && shape_of(session.shown().scene).n_q == 300;
    }
    const BenchStage& weights() const {
        return session.results().bench().blocks.front().variants.front().stages.back();
    }

    Folder folder;
    Session session{std::make_unique<LargeBackend>(2, 0), {}};
};

TEST_F(LongSession, SurveysWhatItShows) {
    ASSERT_TRUE(session.open(folder / "scene.json"));
    settle();
    ASSERT_TRUE(session.shown().variants[0].computed);
    EXPECT_EQ(weights().stage, StageKind::weights);
    EXPECT_EQ(weights().note.find("sampled"), std::string::npos) << weights().note;
    Progress progress;
    const Result kept = CpuBackend(1).compute(session.scene(), Request(), nullptr, progress);
    const SharedCells cells = cells_of(kept.variants[0], StageKind::weights, 0, 0);
    EXPECT_EQ(weights().limits, limits_of_sources({cells->source}, StageKind::weights));
    for (Index i = 0; i < 300; i += 7)
        for (Index j = 0; j < 300; j += 11)
            EXPECT_EQ(value_at(*weights().cells, i, j), value_at(*cells, i, j));
    const CellPlaces places{0, {{0, 1}, {150, 151}, {299, 300}}, {{0, 300}}};
    EXPECT_EQ(texels_of(*weights().cells, places), texels_of(*cells, places));
}

// If drawing computed numbers that no survey has seen, the window would not respond meanwhile.
TEST_F(LongSession, ComputesNothingToDrawAnotherView) {
    Scene scene = small_scene(std::vector<std::string>(300, "word"));
    std::get<EmbeddingInputs>(scene.inputs).heads = 3;
    scene.variants.resize(2);
    scene.variants[0].mask.layers.emplace_back();
    write_bytes(folder / "scene.json", write_scene(scene));
    ASSERT_TRUE(session.open(folder / "scene.json"));
    for (int k = 0; k < 10'000 && (session.update(), !is_shown()); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(is_shown());
    const auto look_at = [&](int k) {
        View& view = session.view();
        view.show.view = k % 3 == 0 ? ViewKind::heads : ViewKind::pipeline;
        view.picked.clear();
        if (k % 2 == 0) view.picked = {0, 1 + k % 4 / 2};
        view.show.stages = {k % 4 < 2 ? StageKind::weights : StageKind::scores};
        view.show.difference.reset();
        if (k % 5 == 0) view.show.difference = Difference{0, 1};
    };
    for (int k = 0; k < 300; ++k) {
        look_at(k);
        session.update();
        each_stage(session.results().bench(), [&](const BenchStage& stage) {
            if (stage.cells->source && stage.cells->source->computed) {
                EXPECT_TRUE(stage.cells->source->asks) << k;
            }
        });
    }
    settle();
    each_stage(session.results().bench(), [](const BenchStage& stage) {
        EXPECT_EQ(stage.cells->source ? stage.cells->source->seen : 1, 1);
    });
}

// Stages that are equal are drawn once, as for a result that is kept. No rows are read to find out
// which are equal.
TEST_F(LongSession, DrawsTheSameStages) {
    for (const ScaleKind scale : {ScaleKind::sqrt_d_k, ScaleKind::none})
        for (const bool masked : {false, true})
            for (const Apply apply : {Apply::additive, Apply::multiply_weights}) {
                Scene scene = small_scene(std::vector<std::string>(60, "word"));
                scene.variants[1].scale.kind = scene.variants[0].scale.kind = scale;
                for (Variant& variant : scene.variants) {
                    variant.mask.apply = apply;
                    if (masked) variant.mask.layers.emplace_back();
                }
                write_bytes(folder / "stages.json", write_scene(scene));
                Session kept{std::make_unique<CpuBackend>(1), {}};
                ASSERT_TRUE(session.open(folder / "stages.json"));
                ASSERT_TRUE(kept.open(folder / "stages.json"));
                settle();
                kept.wait();
                const auto drawn = [](const Session& one) {
                    std::vector<std::pair<int, StageKind>> stages;
                    for (const BenchVariant& entry : one.results().bench().blocks.front().variants)
                        for (const BenchStage& stage : entry.stages)
                            stages.emplace_back(stage.variant, stage.stage);
                    return stages;
                };
                EXPECT_EQ(drawn(session), drawn(kept));
            }
}

TEST_F(LongSession, FollowsAnEdit) {
    ASSERT_TRUE(session.open(folder / "scene.json"));
    settle();
    ASSERT_TRUE(session.edit("block a cell", [](Scene& scene) {
        set_allowed(scene, {0}, 0, 0, {200, 100}, false);
    }));
    settle();
    EXPECT_EQ(value_at(*weights().cells, 200, 100), 0);
    EXPECT_NE(signs_at(*weights().cells, 200, 100) & sign::blocked, 0);
    session.undo();
    settle();
    EXPECT_GT(value_at(*weights().cells, 200, 100), 0);
}

// A cancelled survey stays a sample and says so; single cells are still exact.
TEST_F(LongSession, StaysASampleIfItIsCancelled) {
    ASSERT_TRUE(session.open(folder / "scene.json"));
    for (int k = 0; k < 10'000 && !is_shown(); ++k) session.update();
    session.cancel();
    settle();
    ASSERT_TRUE(is_shown());
    EXPECT_GT(value_at(*weights().cells, 299, 5), 0);
}

// The pass has enough parts that it can be stopped between two of them.
TEST_F(LongSession, SaysWhatThePassWillTakeAndGoesOnByHand) {
    Scene scene = small_scene(std::vector<std::string>(1500, "word"));
    scene.inputs = EmbeddingInputs{7, 1, 64, 64, 64};
    // With a softcap, the reference implementation computes the scene, which is slow.
    for (Variant& variant : scene.variants) variant.softcap.emplace();
    scene.show = session.scene().show;  // else the old scene would be sampled for other stages
    write_bytes(folder / "scene.json", write_scene(scene));
    ASSERT_TRUE(session.open(folder / "scene.json"));
    EXPECT_FALSE(session.results().sampling());  // the scene before was not a sample
    std::optional<Sampling> sampling;
    const auto update = [&] {
        session.update();
        sampling = session.results().sampling();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    for (int k = 0; k < 20'000 && (update(), !sampling || !sampling->seconds); ++k) {}
    ASSERT_TRUE(sampling);
    EXPECT_FALSE(sampling->stopped);
    EXPECT_GT(sampling->seen, 0);
    EXPECT_GT(*sampling->seconds, 0);
    session.cancel();
    for (int k = 0; k < 20'000 && (update(), session.computing()); ++k) {}
    ASSERT_TRUE(sampling && sampling->stopped);
    const double seen = sampling->seen;
    EXPECT_LT(seen, 1);
    session.go_on();
    EXPECT_TRUE(session.computing());
    settle();
    EXPECT_FALSE(session.results().sampling());
    EXPECT_EQ(weights().cells->source->seen, 1);
}

// The weights of the earlier layer are a sample, too, and are completed later.
TEST_F(LongSession, SurveysTheLayerBefore) {
    Scene scene = small_scene(std::vector<std::string>(300, "word"));
    Variant first = scene.variants[0];
    first.mask.layers.emplace_back();
    scene.inputs = OutputInputs{SharedValue<LayerBefore>(LayerBefore{scene.inputs, first}), {}};
    write_bytes(folder / "scene.json", write_scene(scene));
    ASSERT_TRUE(session.open(folder / "scene.json"));
    const auto earlier = [&]() -> const BenchStage& {
        return session.results().bench().blocks.front().earlier.front();
    };
    for (int k = 0; k < 10'000 && (session.update(), !is_shown()); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(is_shown());
    EXPECT_TRUE(earlier().cells->source->asks);
    settle();
    EXPECT_EQ(earlier().note, "weights");
    Session kept{std::make_unique<CpuBackend>(1), {}};
    ASSERT_TRUE(kept.open(folder / "scene.json"));
    kept.wait();
    const BenchStage& all = kept.results().bench().blocks.front().earlier.front();
    for (Index i = 0; i < 300; i += 7)
        EXPECT_EQ(row_of(*earlier().cells, i).values, row_of(*all.cells, i).values);
    const CellPlaces places{0, {{0, 1}, {150, 151}, {299, 300}}, {{0, 300}}};
    EXPECT_EQ(texels_of(*earlier().cells, places), texels_of(*all.cells, places));
}

// The plane is computed in the background, and the window continues to draw meanwhile.
TEST_F(LongSession, MakesTheOutputPlane) {
    for (const int tokens : {300, 1000}) {
        Scene scene = small_scene(std::vector<std::string>(std::size_t(tokens), "word"));
        scene.show.emplace().view = ViewKind::plane;
        write_bytes(folder / "scene.json", write_scene(scene));
        ASSERT_TRUE(session.open(folder / "scene.json"));
        // Until then, the plane of the previous text is not shown in its place.
        do {
            session.update();
            const PlaneView* plane = plane_of(session.results().bench().views);
            const bool is_there = shape_of(session.shown().scene).n_q == tokens;
            if (is_there && plane) {
                ASSERT_EQ(plane->plots.front().n_q, tokens);
            }
        } while (session.computing());
        ASSERT_TRUE(plane_of(session.results().bench().views));
    }
    EXPECT_EQ(session.results().bench().views.failure, "");
    const PlanePlot& plot = plane_of(session.results().bench().views)->plots.front();
    EXPECT_LT(plot.rows.size(), 600U);
    const Index row = plot.rows[5] + 1;
    session.view().show.focus = Cell{row, 0};
    settle();
    EXPECT_TRUE(std::ranges::binary_search(
        plane_of(session.results().bench().views)->plots.front().rows, row));
    ASSERT_TRUE(session.results().finished_views(session.view()));
    EXPECT_EQ(plane_of(*session.results().finished_views(session.view())),
              plane_of(session.results().bench().views));
    session.view().hovered = CellRef{0, StageKind::weights, 0, 0, row + 1, 0};
    EXPECT_TRUE(session.results().finished_views(session.view())) << "a file shows no pointer";
    session.view().show.focus = Cell{row + 1, 0};
    EXPECT_EQ(session.results().finished_views(session.view()), nullptr)
        << "this row is not in the sample";
}

// A preview draws what the window knows, and makes no pass of its own.
TEST_F(LongSession, KnowsAllThatAPreviewOfItShows) {
    for (const ViewKind kind : {ViewKind::pipeline, ViewKind::heads, ViewKind::plane}) {
        Scene scene = small_scene(std::vector<std::string>(300, "word"));
        scene.show.emplace().view = kind;
        scene.show->stages = {StageKind::logits, StageKind::softmax, StageKind::weights};
        write_bytes(folder / "scene.json", write_scene(scene));
        ASSERT_TRUE(session.open(folder / "scene.json"));
        settle();
        const Sources& known = session.results().bench().sources;
        const Sources shown = sources_so_far(session.shown(), session.view(), known);
        EXPECT_FALSE(shown.empty());
        for (const auto& [key, source] : shown) EXPECT_EQ(source, known.at(key)) << int(kind);
    }
}

}  // namespace
}  // namespace maskscope
