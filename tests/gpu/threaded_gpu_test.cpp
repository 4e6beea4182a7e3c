// Tests the thread that owns the GPU.

#include "core/gpu/threaded_gpu.h"

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include <latch>

#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/gl/headless.h"
#include "tests/golden/compare_results.h"
#include "tests/gpu/gpu_fixture.h"

namespace maskscope {
namespace {

using golden::in_another_thread;

Scene scene_of(std::size_t tokens) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(tokens, "word"), std::nullopt}};
    scene.inputs = EmbeddingInputs{3, 2, 8, 8, 8};
    scene.variants = {Variant{}};
    scene.variants[0].mask.layers = {MaskLayer{}};
    return scene;
}

std::shared_ptr<void> headless() { return std::make_shared<HeadlessContext>(4, 3); }

// Expects that the GPU is not prepared for the scene, and waits until it is.
void prepare(ThreadedGpu& gpu, const Scene& scene) {
    Progress progress;
    EXPECT_THROW(gpu.compute_prepared(scene, {}, nullptr, progress), gpu::PreparationError);
    gpu.wait_while_preparing();
    EXPECT_TRUE(gpu.take_prepared());
    EXPECT_FALSE(gpu.take_prepared());
}

TEST(ThreadedGpu, MakesItsContextCurrentOnce) {
    const auto before = gl::times_made_current();
    {
        ThreadedGpu gpu(headless);
        Result shown;
        for (int k = 0; k < 100; ++k) {
            Progress progress;
            Scene scene = scene_of(k % 3 == 0 ? 6 : 40);
            scene.variants[0].scale = {ScaleKind::number, 0.1 + 0.01 * k};
            progress.cancel = k % 10 == 9;
            try {
                shown = gpu.compute(scene, {}, &shown, progress);
                EXPECT_FALSE(progress.cancel);
            } catch (const Cancellation&) {
                EXPECT_TRUE(progress.cancel);
            }
        }
        in_another_thread(
            [&] { EXPECT_GT(shown.variants[0].stage(StageKind::weights).at(0, 0, 3, 1), 0); });
    }
    EXPECT_EQ(gl::times_made_current(), before + 1);
}

TEST(ThreadedGpu, AnyThreadComputesAndReads) {
    ThreadedGpu gpu(headless);
    const Scene scene = scene_of(6);
    Progress progress;
    const Result expected = PlainBackend().compute(scene, {}, nullptr, progress);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&] {
            Progress own;
            for (int again = 0; again < 5; ++again) {
                const Result result = gpu.compute(scene, {}, nullptr, own);
                EXPECT_EQ(golden::first_difference(scene, expected, result, golden::near_on_gpu),
                          "");
            }
        });
    for (std::thread& thread : threads) thread.join();
}

TEST(ThreadedGpu, ComputesAtOnceOnlyWhatItIsPreparedFor) {
    ThreadedGpu gpu(headless);
    Progress progress;
    Scene scene = scene_of(6);
    prepare(gpu, scene);
    EXPECT_EQ(gpu.compute_prepared(scene, {}, nullptr, progress).backend, "gpu");
    scene.variants[0].scale = {ScaleKind::number, 2};
    scene.variants[0].mask.layers.clear();
    EXPECT_NO_THROW(gpu.compute_prepared(scene, {}, nullptr, progress)) << "an edit";
    scene.variants[0].score.kind = ScoreKind::gaussian;
    prepare(gpu, scene);  // needs another program
    EXPECT_NO_THROW(gpu.compute_prepared(scene, {}, nullptr, progress));
}

// Whatever is requested (some rows of some stages, or a layer for the next one), the GPU is
// prepared for it in one go, so that no caller has to ask repeatedly.
TEST(ThreadedGpu, PreparesForWhatWasAskedFor) {
    ThreadedGpu gpu(headless);
    Progress progress;
    const Scene scene = scene_of(40);
    prepare(gpu, scene);
    for (const StageKind kind : {StageKind::weights, StageKind::output, StageKind::logits})
        for (const bool some : {false, true}) {
            Request request;
            request.stages.reset().set(static_cast<std::size_t>(kind));
            if (some) request.rows = {3, 5};
            try {
                gpu.compute_prepared(scene, request, nullptr, progress);
            } catch (const gpu::PreparationError&) {
                gpu.wait_while_preparing();
                EXPECT_NO_THROW(gpu.compute_prepared(scene, request, nullptr, progress));
            }
        }
}

TEST(ThreadedGpu, NobodyWaitsWhileItPrepares) {
    ThreadedGpu gpu(headless);
    const Scene scene = scene_of(6);
    prepare(gpu, scene);
    std::latch begun(1), goes_on(1);
    gpu.prepare([&](Progress&) {
        begun.count_down();
        goes_on.wait();
    });
    begun.wait();
    Progress progress;
    EXPECT_THROW(gpu.compute_prepared(scene, {}, nullptr, progress), gpu::PreparationError);
    goes_on.count_down();
    gpu.wait_while_preparing();
    EXPECT_NO_THROW(gpu.compute_prepared(scene, {}, nullptr, progress));
}

TEST(ThreadedGpu, SaysWhyThereIsNoContext) {
    ThreadedGpu gpu([]() -> std::shared_ptr<void> { throw WorkError("no context here"); });
    Progress progress;
    const auto error_of = [&](auto compute) -> std::string {
        try {
            compute();
        } catch (const WorkError& error) {
            return error.what();
        } catch (const gpu::PreparationError&) {
            return "not prepared";
        }
        return "";
    };
    const auto now = [&] { gpu.compute(scene_of(3), {}, nullptr, progress); };
    const auto prepared = [&] { gpu.compute_prepared(scene_of(3), {}, nullptr, progress); };
    EXPECT_EQ(error_of(now), "no context here");
    for (int k = 0; k < 2; ++k) {  // another request tries again
        EXPECT_EQ(error_of(prepared), "not prepared");
        gpu.wait_while_preparing();
        EXPECT_EQ(error_of(prepared), "no context here");
    }
}

TEST(ThreadedGpu, ResultsOutliveIt) {
    auto gpu = std::make_unique<ThreadedGpu>(headless);
    Progress progress;
    Result result = gpu->compute(scene_of(3), {}, nullptr, progress);
    gpu.reset();
    in_another_thread(
        [&] { EXPECT_THROW(result.variants[0].stage(StageKind::weights).float32s(), WorkError); });
}

// The buffers of a ThreadedGpu may have the same names as those of another, current context.
TEST(ThreadedGpu, ResultsThatOutliveItLeaveOtherContextsAlone) {
    in_another_thread([] {
        auto gpu = std::make_unique<ThreadedGpu>(headless);
        Progress progress;
        Result result = gpu->compute(scene_of(3), {}, nullptr, progress);
        const HeadlessContext other(4, 3);
        GpuBackend own;
        const Result kept = own.compute(scene_of(3), {}, nullptr, progress);
        gpu.reset();
        EXPECT_THROW(result.variants[0].stage(StageKind::weights).float32s(), WorkError);
        result = {};
        EXPECT_FALSE(kept.variants[0].stage(StageKind::weights).float32s().empty());
    });
}

TEST(ThreadedGpu, MemoryReturnsWhenASceneIsClosed) {
    ThreadedGpu gpu(headless);
    Progress progress;
    Result result = gpu.compute(scene_of(100), {}, nullptr, progress);
    gpu.rest();
    result = {};
    double free = -1;
    // Jobs posted earlier run earlier.
    gpu.prepare(
        [&](Progress&) { gpu.run([&](GpuBackend& own) { free = own.buffers().free_bytes(); }); });
    gpu.wait_while_preparing();
    EXPECT_EQ(free, 0);
}

}  // namespace
}  // namespace maskscope
