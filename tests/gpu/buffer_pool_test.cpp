// Buffers are reused: after its first pictures a window needs no new buffers from the driver.

#include <epoxy/gl.h>

#include "core/gpu/data/numbers.h"
#include "tests/gpu/gpu_fixture.h"

namespace maskscope::golden {
namespace {

Scene scene_of(std::size_t tokens, Index heads = 2) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(tokens, "word"), std::nullopt}};
    scene.inputs = EmbeddingInputs{3, heads, 8, 8, 8};
    scene.variants = {Variant{}, Variant{}};
    scene.variants[0].mask.layers = {MaskLayer{}};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    return scene;
}

class Buffers : public Gpu {
protected:
    // Computes like a window: the next result exists before the last one is freed.
    void show(const Scene& scene) { shown_ = compute(own_, scene, {}, &shown_); }
    // Returns how many buffers the driver makes while these scenes are shown in turn, again and
    // again.
    std::uint64_t made_by(const std::vector<Scene>& scenes) {
        const std::uint64_t before = own_.buffers().made();
        for (int k = 0; k < 30; ++k)
            for (const Scene& scene : scenes) show(scene);
        return own_.buffers().made() - before;
    }
    GpuBackend own_;
    Result shown_;
};

TEST_F(Buffers, OfEditsAndDragsAreUsedAgain) {
    for (const std::size_t tokens : {6, 100}) {
        Scene scene = scene_of(tokens), blocked = scene, scaled = scene;
        MaskLayer cell;
        cell.kind = LayerKind::blocked;
        cell.cells = {Cell{1, 0}};
        blocked.variants[1].mask.layers.push_back(cell);
        for (Variant& variant : scaled.variants) variant.scale = {ScaleKind::number, 0.5};
        for (const Scene& first : {scene, blocked, scaled, scene, blocked, scaled}) show(first);
        EXPECT_EQ(made_by({scene, blocked}), 0U) << "a cell, of " << tokens;
        EXPECT_EQ(made_by({scene, scaled}), 0U) << "the scale, of " << tokens;
        std::uint64_t made = own_.buffers().made();
        for (int k = 0; k < 100; ++k) {
            scaled.variants[0].scale = {ScaleKind::number, 0.1 + 0.01 * k};
            show(scaled);
        }
        EXPECT_EQ(own_.buffers().made(), made) << "a drag, of " << tokens;
    }
}

TEST_F(Buffers, OfStepsBackAndForthAreUsedAgain) {
    const std::vector<Scene> steps = {scene_of(6), scene_of(40), scene_of(9, 4)};
    for (int k = 0; k < 2; ++k)
        for (const Scene& step : steps) show(step);
    EXPECT_EQ(made_by(steps), 0U);
}

// Uploads into a buffer have been seen to overtake a shader that was still reading it.
TEST_F(Buffers, AreUsedAgainOnlyByTheNextComputation) {
    const auto pool = std::make_shared<gpu::BufferPool>();
    pool->begin_computation();
    const auto name_of_new = [&] { return gpu::Buffer(100, nullptr, pool).name(); };
    const unsigned first = name_of_new();
    EXPECT_NE(name_of_new(), first);
    pool->begin_computation();
    EXPECT_EQ(name_of_new(), first);
}

TEST_F(Buffers, AreDeletedWhenASceneIsClosed) {
    show(scene_of(60));
    const auto& weights =
        dynamic_cast<const GpuNumbers&>(*shown_.variants[0].stage(StageKind::weights).remote());
    const unsigned name = weights.buffer(0);
    own_.rest();
    EXPECT_EQ(own_.buffers().free_bytes(), 0);
    EXPECT_EQ(glIsBuffer(name), GL_TRUE) << "it is still shown";
    show(scene_of(4));
    EXPECT_EQ(glIsBuffer(name), GL_FALSE);
}

TEST_F(Buffers, ThatNothingHasUseForAreDeleted) {
    show(scene_of(200));
    for (int k = 0; k < 8; ++k) show(scene_of(4 + k % 2));
    // 200² numbers of one stage are 160 kB; those of 5 tokens take the smallest buffers.
    EXPECT_LT(own_.buffers().free_bytes(), 100'000);
}

}  // namespace
}  // namespace maskscope::golden
