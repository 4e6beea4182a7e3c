// Results of long texts on the GPU keep no stage: where they are read they are what the GPU keeps.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/large/large_backend.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/parts_of_results.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random_scene.h"
#include "tests/support/surveys.h"

namespace maskscope::golden {
namespace {

class LargeOnGpu : public Gpu {
protected:
    // A backend that LargeBackend may hold.
    static std::shared_ptr<GpuBackend> shared() {
        context().make_current();
        static const auto made = std::make_shared<GpuBackend>();
        return made;
    }
};

TEST_F(LargeOnGpu, GoldenScenesAreAsKept) {
    LargeBackend large(shared(), 0);
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_as_kept(*shared(), large, in_float32(read_golden_scene(name)));
    }
}

TEST_F(LargeOnGpu, RandomScenesAreAsKept) {
    LargeBackend large(shared(), 0);
    for (std::uint64_t seed = 0; seed < 300 && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE(seed);
        expect_as_kept(*shared(), large, in_float32(random_scene(seed)));
    }
}

// Several blocks of rows and two dtypes: what is read holds no memory of the GPU but the inputs.
TEST_F(LargeOnGpu, ALongSentenceIsAsKept) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(150, "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 20, 24, 17};
    scene.variants.resize(2);
    MaskLayer causal, window;
    window.kind = LayerKind::window;
    window.left = 11;
    window.heads = {1};
    scene.variants[0].mask.layers = {causal, window};
    scene.variants[1].dtype = Dtype::float16;
    scene.variants[1].output.kind = OutputKind::projected;
    LargeBackend large(shared(), 0);
    expect_as_kept(*shared(), large, scene);
}

// Blocks are looked at in threads without a context.
TEST_F(LargeOnGpu, IsPicturedAsIfItWereKept) {
    LargeBackend large(shared(), 0);
    Progress progress;
    for (std::uint64_t seed = 0; seed < 60 && !HasFatalFailure(); ++seed) {
        const Scene scene = in_float32(random_scene(seed));
        const Result kept = compute(*shared(), scene),
                     read = large.compute(scene, {}, nullptr, progress);
        for (std::size_t lane = 0; lane < kept.variants.size(); ++lane) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " lane " << lane);
            expect_like_kept(read.variants[lane], kept.variants[lane]);
        }
    }
}

TEST_F(LargeOnGpu, FloatsOf64BitsAreRefusedAsIfTheyWereKept) {
    Scene scene = in_float32(random_scene(3));
    scene.variants.front().dtype = Dtype::float64;
    LargeBackend large(shared(), 0);
    Progress progress;
    EXPECT_THROW(large.compute(scene, {}, nullptr, progress), WorkError);
}

}  // namespace
}  // namespace maskscope::golden
