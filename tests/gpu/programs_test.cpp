// Tests which programs a scene needs, and how large they are.

#include <gtest/gtest.h>

#include "core/edit/edit.h"
#include "core/gl/program.h"
#include "tests/gpu/gpu_fixture.h"

namespace maskscope::golden {
namespace {

class ProgramsOnGpu : public Gpu {
protected:
    // Returns a scene in float32, with dot products and a causal mask.
    static Scene causal(Index n) {
        Scene scene;
        scene.sequences = {{std::vector<std::string>(static_cast<std::size_t>(n), "token"), {}}};
        scene.inputs = EmbeddingInputs{3, 2, 8, 8, 16};
        scene.variants = {Variant{}};
        scene.variants[0].mask.layers = {MaskLayer{}};
        return scene;
    }
    static std::size_t count() { return own().programs().linked().size(); }
    static GpuBackend& own() {
        static GpuBackend made;
        return made;
    }
};

// Small programs link fast: on an NVIDIA card the large ones took seconds. The limits are in KB, as
// llvmpipe stores programs. When dtype, score and stages were chosen at run time, mask, product,
// scores and softmax took 9 + 10 + 36 + 25 for a few tokens, and 9 + 32 + 39 + 28 for many. The
// log-sum-exp of a row takes half a KB.
TEST_F(ProgramsOnGpu, AreSmall) {
    if (!is_software_renderer(renderer_name())) GTEST_SKIP() << "the sizes are llvmpipe's";
    struct Limit {
        Index tokens;
        double scores, all;
    };
    for (const Limit& limit :
         {Limit{6, 12, 41}, Limit{16, 12, 41}, Limit{48, 18, 48}, Limit{130, 26, 58}}) {
        SCOPED_TRACE(limit.tokens);
        GpuBackend backend;
        compute(backend, causal(limit.tokens));
        double scores = 0, all = 0;
        for (const gpu::Programs::LinkedProgram& program : backend.programs().linked()) {
            const double size = static_cast<double>(program.bytes) / 1024;
            if (size == 0)
                GTEST_SKIP() << "this driver does not report sizes (it has no shader cache)";
            all += size;
            if (program.file == "scores.comp") scores += size;
        }
        EXPECT_GT(scores, 0);
        EXPECT_LE(scores, limit.scores);
        EXPECT_LE(all, limit.all);
    }
}

// Common edits link one program, which computes from known scores, and then no other.
TEST_F(ProgramsOnGpu, AreThereForCommonEdits) {
    Scene scene = causal(40);
    Result shown = compute(own(), scene);
    const std::size_t of_scene = count();
    EXPECT_EQ(of_scene, 4U);
    const auto flip = [&](Index i, Index j) {
        set_allowed(scene, {0}, 0, 0, {i, j}, false);
        shown = compute(own(), scene, {}, &shown);
    };
    flip(5, 3);  // from here on the scores are known
    EXPECT_LE(count(), of_scene + 1);
    const std::size_t before = count();
    flip(20, 7);
    for (int k = 1; k < 10; ++k) {
        scene.variants[0].scale = {ScaleKind::number, 0.05 * k};
        shown = compute(own(), scene, {}, &shown);
    }
    scene.variants[0].mask.value = {ValueKind::number, -3.5};
    shown = compute(own(), scene, {}, &shown);
    scene.inputs = EmbeddingInputs{4, 2, 8, 8, 16};
    compute(own(), scene, {}, &shown);
    EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace maskscope::golden
