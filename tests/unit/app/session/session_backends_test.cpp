// Tests how the session chooses and changes its backend. The reference implementation stands in for
// the GPU, so that OpenGL is not needed; tests/ui/panels/switch_test.cpp uses the real GPU backend.

#include <cmath>
#include <cstdlib>
#include <limits>

#include "app/session/files/state_files.h"
#include "core/base/matrix.h"
#include "core/gl/program.h"
#include "core/gpu/speeds.h"
#include "core/gpu/threaded_gpu.h"
#include "tests/unit/app/session/session_parts.h"
#include "tests/unit/core/edit/edit_scenes.h"

namespace maskscope {
namespace {

// A backend that claims to be a GPU, prepares like one, and may fail like one.
class PlayedGpu : public PreparedBackend {
public:
    struct Orders {
        std::string failure;  // "" = none
        int made = 0;
        std::atomic<int> computed = 0, prepared = 0, rested = 0;
        std::atomic<bool> had_before = false;
        // The dtype that was prepared last computes at once; preparing waits until `held` is false.
        std::atomic<std::optional<Dtype>> dtype{};
        std::atomic<bool> held = false;
    };
    explicit PlayedGpu(Orders& orders) : orders_(orders) { ++orders.made; }
    ~PlayedGpu() override {
        cancel_preparation();
        if (thread_.joinable()) thread_.join();
    }
    std::string name() const override { return "gpu"; }
    void rest() override { ++orders_.rested; }
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override {
        ++orders_.computed;
        orders_.had_before = before != nullptr;
        if (!orders_.failure.empty()) throw WorkError(orders_.failure);
        orders_.dtype = scene.variants[0].dtype;
        Result result = PlainBackend().compute(scene, request, nullptr, progress);
        result.backend = "gpu";
        return result;
    }

private:
    Result compute_at_once(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) override {
        if (orders_.dtype.load() != scene.variants[0].dtype) throw gpu::PreparationError{};
        return compute_scene(scene, request, before, progress);
    }
    void post(std::function<void()> work) override {
        if (thread_.joinable()) thread_.join();
        ++orders_.prepared;
        thread_ = std::thread([this, work] {
            while (orders_.held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            work();
        });
    }
    Orders& orders_;
    std::thread thread_;
};

struct WithGpu : Tested {
    PlayedGpu::Orders orders;
    explicit WithGpu(double most_kept = most_numbers_kept) {
        session.offer_gpu(
            {[this] { return std::make_unique<PlayedGpu>(orders); }, "played", most_kept});
        opens(small_scene());
    }
    const std::string& backend_shown() {
        session.wait();
        return session.shown().backend;
    }
    void set_dtype(Dtype dtype) {
        session.edit("dtype", [&](Scene& s) { s.variants[0].dtype = dtype; });
        session.wait();
    }
};

TEST(SessionBackends, TheChosenBackendComputesTheSceneAgain) {
    WithGpu t;
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.orders.made, 0) << "before it is needed";
    const Scene scene = t.session.scene();
    EXPECT_TRUE(t.session.compute_with(ComputeWith::gpu));
    EXPECT_EQ(t.backend_shown(), "gpu");
    EXPECT_EQ(t.session.scene(), scene);
    EXPECT_EQ(t.session.document().undo_name(), std::nullopt) << "it is not an edit";
    EXPECT_EQ(t.orders.computed, 3) << "twice to prepare";
    t.session.update();
    EXPECT_EQ(t.orders.computed, 3);
    for (const auto choice : {ComputeWith::cpu, ComputeWith::plain}) {
        EXPECT_TRUE(t.session.compute_with(choice));
        EXPECT_EQ(t.backend_shown(), "cpu");
        EXPECT_EQ(t.session.results().backends().chosen(), choice);
    }
    EXPECT_EQ(t.message(), "");
}

TEST(SessionBackends, TheCpuComputesUntilTheGpuIsPrepared) {
    WithGpu t;
    EXPECT_EQ(t.backend_shown(), "cpu");
    t.orders.held = true;
    t.session.compute_with(ComputeWith::gpu);
    t.session.update();
    EXPECT_TRUE(t.session.results().backends().preparing());
    EXPECT_FALSE(t.session.computing()) << "the session does not wait";
    t.block({2, 0});
    t.session.update();
    EXPECT_EQ(t.session.shown().scene, t.session.scene()) << "edits are shown meanwhile";
    EXPECT_EQ(t.session.shown().backend, "cpu");
    EXPECT_EQ(t.orders.prepared, 1);
    const int woken = t.woken;
    t.orders.held = false;
    EXPECT_EQ(t.backend_shown(), "gpu") << "and then it takes over";
    while (t.woken == woken) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_EQ(t.message(), "");
}

TEST(SessionBackends, WhatNeedsOtherProgramsIsTheCpusAtFirst) {
    WithGpu t;
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "gpu");
    t.orders.held = true;
    t.session.edit("dtype", [](Scene& s) { s.variants[0].dtype = Dtype::float16; });
    t.session.update();
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_EQ(t.session.shown().backend, "cpu");
    t.orders.held = false;
    EXPECT_EQ(t.backend_shown(), "gpu");
    EXPECT_EQ(t.orders.prepared, 2);
}

TEST(SessionBackends, AClosedSceneLeavesNoMemoryBehind) {
    WithGpu t;
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "gpu");
    const int rested = t.orders.rested;
    t.block({2, 0});
    t.session.wait();
    EXPECT_EQ(t.orders.rested, rested) << "an edit goes on with it";
    t.opens(large_scene());
    EXPECT_EQ(t.orders.rested, rested + 1);
    t.session.compute_with(ComputeWith::cpu);
    EXPECT_EQ(t.orders.rested, rested + 2);
}

TEST(SessionBackends, OnlyItsOwnResultsAreReused) {
    WithGpu t;
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "gpu");
    EXPECT_FALSE(t.orders.had_before) << "the CPU made that one";
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "gpu");
    EXPECT_TRUE(t.orders.had_before);
}

TEST(SessionBackends, WithoutAGpuTheChoiceStaysAndAMessageSaysSo) {
    Tested t;
    t.opens(small_scene());
    EXPECT_FALSE(t.session.compute_with(ComputeWith::gpu));
    EXPECT_TRUE(t.wrong());
    EXPECT_EQ(t.message(), "Could not use the GPU: this machine offers no OpenGL 4.3");
    EXPECT_EQ(t.session.results().backends().chosen(), ComputeWith::cpu);
}

TEST(SessionBackends, AGpuFailureIsReportedOnceAndNotTriedAgain) {
    WithGpu t;
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "gpu");
    t.orders.failure = "the context was lost";
    for (const Scene& scene : {small_scene(), large_scene()}) {
        t.opens(scene);
        t.block({1, 0});
        EXPECT_EQ(t.backend_shown(), "cpu");
        EXPECT_EQ(t.session.shown().scene, t.session.scene()) << "the CPU goes on with it";
    }
    const int asked = t.orders.computed;
    EXPECT_EQ(t.session.results().backends().chosen(), ComputeWith::cpu);
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.orders.computed, asked);
    EXPECT_EQ(t.message(), "");
}

TEST(SessionBackends, TheMessageOfAFailureSaysWhyInOneLine) {
    WithGpu t;
    t.orders.failure = "scores.comp does not compile";
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.message(), "Computed on the CPU: scores.comp does not compile");
    EXPECT_FALSE(t.wrong());
}

TEST(SessionBackends, Float64IsTheCpusAndGoesBackWithItsDtype) {
    WithGpu t;
    t.session.compute_with(ComputeWith::gpu);
    t.set_dtype(Dtype::float64);
    EXPECT_EQ(t.session.shown().backend, "cpu");
    EXPECT_NE(t.message().find("float64"), std::string::npos);
    EXPECT_EQ(t.session.results().backends().chosen(), ComputeWith::gpu);
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.message(), "") << "it is reported once";
    t.set_dtype(Dtype::float16);
    EXPECT_EQ(t.session.shown().backend, "gpu");
    t.set_dtype(Dtype::float64);
    EXPECT_NE(t.message(), "");
}

// --- the faster backend

// A session whose speeds are known, as if they had been measured on this machine before.
struct Faster : WithGpu {
    Folder cache;
    explicit Faster(double gpu_numbers) {
        setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
        keep_speeds(cache_folder(), "played", {{0, 1000}, {0.01, gpu_numbers}});
        EXPECT_TRUE(session.compute_with(ComputeWith::automatic));
    }
    ~Faster() { unsetenv("XDG_CACHE_HOME"); }
};

TEST(SessionBackends, TheFasterOneComputesWhatIsLarge) {
    Faster t(1e6);
    EXPECT_EQ(t.backend_shown(), "cpu");
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.orders.made, 0) << "a small scene never visits the GPU";
    t.orders.held = true;
    t.opens(large_scene());
    for (int k = 0; k < 1000 && t.session.opening(); ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        t.session.update();
    }
    EXPECT_EQ(t.session.shown().backend, "cpu") << "until it is prepared";
    t.orders.held = false;
    EXPECT_EQ(t.backend_shown(), "gpu");
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "gpu");
    t.opens(small_scene());
    EXPECT_EQ(t.backend_shown(), "cpu");
    t.opens(large_scene());
    t.set_dtype(Dtype::float64);
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.message(), "") << "nobody asked for the GPU";
}

TEST(SessionBackends, TheFasterOneMayBeTheCpu) {
    Faster t(10);
    t.opens(large_scene());
    EXPECT_EQ(t.backend_shown(), "cpu");
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.session.results().backends().chosen(), ComputeWith::automatic);
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "gpu") << "if the GPU is chosen, it is used";
}

TEST(SessionBackends, AGpuThatFailsIsNotAskedAgainForItsSpeed) {
    Faster t(1e6);
    t.orders.failure = "scores.comp does not compile";
    t.opens(large_scene());
    t.session.wait();
    EXPECT_EQ(t.message(), "Computed on the CPU: scores.comp does not compile");
    EXPECT_EQ(t.session.results().backends().chosen(), ComputeWith::cpu);
    const int asked = t.orders.prepared;
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.orders.prepared, asked);
}

TEST(Speeds, AreKeptForThisMachine) {
    Folder folder;
    const Speeds speeds{{0.1, 2000}, {0.5, 1e6}};
    EXPECT_FALSE(kept_speeds(folder.path(), "one"));
    keep_speeds(folder.path() / "new", "one", speeds);
    EXPECT_EQ(kept_speeds(folder.path() / "new", "one"), speeds);
    EXPECT_FALSE(kept_speeds(folder.path() / "new", "another"));
    keep_speeds("", "one", speeds);
    EXPECT_FALSE(kept_speeds("", "one"));
    for (const char* bytes : {"", "{}", "[1]", "{\"machine\": 3}", "\xff"}) {
        write_bytes(folder.path() / "new" / "speeds.json", bytes);
        EXPECT_FALSE(kept_speeds(folder.path() / "new", "one")) << bytes;
    }
}

TEST(Speeds, AreMeasured) {
    PlainBackend slow;
    PlayedGpu::Orders orders;
    PlayedGpu gpu(orders);
    Progress progress;
    const Speeds speeds = measure_speeds(slow, gpu, progress, 4, 24);
    for (const Speed& speed : {speeds.cpu, speeds.gpu}) {
        EXPECT_GE(speed.fixed, 0);
        EXPECT_GT(speed.numbers, 0);
        EXPECT_LT(speed.milliseconds(10), speed.milliseconds(1e9));
    }
    progress.cancel = true;
    EXPECT_THROW(measure_speeds(slow, gpu, progress, 4, 24), Cancellation);
}

TEST(Speeds, AreNotMeasuredForAGpuWithWrongNumbers) {
    PlainBackend right;
    class Wrong : public PlainBackend {
        Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                             Progress& progress) override {
            Result result = PlainBackend::compute_scene(scene, request, before, progress);
            Matrix weights = result.variants[0].stage(StageKind::weights).head(0, 0);
            weights.row(1).reverseInPlace();  // [a, b, 0, …] is [0, …, b, a]
            result.variants[0].stage(StageKind::weights).set_head(0, 0, weights);
            return result;
        }
    } wrong;
    Progress progress;
    try {
        measure_speeds(right, wrong, progress, 4, 24);
        FAIL() << "the wrong numbers were accepted";
    } catch (const WorkError& error) {
        EXPECT_TRUE(std::string(error.what())
                        .starts_with("the GPU's numbers are wrong on this machine: weights at "
                                     "[1, 0] is 0 (expected 0."))
            << error.what();
    }
}

TEST(Speeds, AreComparedForEachSize) {
    const Speeds speeds{{0, 1000}, {1, 10'000}};  // the GPU: 1 ms more, but ten times as fast
    EXPECT_FALSE(speeds.gpu_is_faster(500));
    EXPECT_TRUE(speeds.gpu_is_faster(5000));
}

// --- long texts: their numbers are computed when they are read

struct LongOnGpu : WithGpu {
    LongOnGpu() : WithGpu(0) {
        opens(large_scene());
        session.compute_with(ComputeWith::gpu);
        session.wait();
    }
    double weight(Index i, Index j) const {
        return session.shown().variants[0].stage(StageKind::weights).at(0, 0, i, j);
    }
};

TEST(LongOnGpu, TheWindowAndTheWorkerRead) {
    LongOnGpu t;
    EXPECT_EQ(t.session.shown().backend, "gpu");
    ASSERT_TRUE(t.session.shown().variants[0].computed);
    t.session.edit("scale", [](Scene& s) { s.variants[0].scale = {ScaleKind::number, 0.5}; });
    for (Index i = 0; i < 200; ++i) {
        t.session.update();
        EXPECT_GE(t.weight(i, 199 - i), 0);
    }
    t.session.wait();
    EXPECT_EQ(t.session.shown().backend, "gpu");
    EXPECT_EQ(t.message(), "");
}

TEST(LongOnGpu, RowsAreTheCpusWhileItPrepares) {
    LongOnGpu t;
    t.orders.held = true;
    t.session.edit("dtype", [](Scene& s) { s.variants[0].dtype = Dtype::float16; });
    while (t.session.shown().scene != t.session.scene()) t.session.update();
    const int asked = t.orders.computed;
    EXPECT_GE(t.weight(7, 3), 0) << "the session does not wait for the GPU";
    EXPECT_EQ(t.orders.computed, asked);
    t.orders.held = false;
    EXPECT_EQ(t.backend_shown(), "gpu");
    EXPECT_EQ(t.message(), "");
}

TEST(LongOnGpu, AFailureWhileItIsReadIsTheCpusAndIsSaidOnce) {
    LongOnGpu t;
    const double before = t.weight(150, 3);
    t.orders.failure = "the context was lost";
    EXPECT_EQ(t.weight(150, 3), before) << "known";
    EXPECT_GT(t.weight(7, 3), 0) << "a row that was not read yet";
    t.session.wait();
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.message(), "Computed on the CPU: the context was lost");
    EXPECT_EQ(t.session.results().backends().chosen(), ComputeWith::cpu);
    const int asked = t.orders.computed;
    t.block({2, 0});
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.orders.computed, asked) << "not tried again";
    t.orders.failure.clear();
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "gpu") << "until it is chosen again";
    EXPECT_TRUE(t.session.shown().variants[0].computed);
}

TEST(LongOnGpu, AFailureOfTheFirstRowIsOneOfTheScene) {
    WithGpu t(0);
    t.orders.failure = "scores.comp does not compile";
    t.session.compute_with(ComputeWith::gpu);
    EXPECT_EQ(t.backend_shown(), "cpu");
    EXPECT_EQ(t.message(), "Computed on the CPU: scores.comp does not compile");
}

// --- dragging

TEST(Dragging, ShowsWhatIsSoonDoneOnTheWayAndAlwaysTheLastValue) {
    Tested t;
    t.opens(large_scene());
    t.session.wait();
    ASSERT_LE(t.session.shown().milliseconds, 500) << "200 tokens take some milliseconds";
    const auto allows = [&t](Index j) {
        return t.session.shown().variants[0].is_allowed(0, 0, 5, j);
    };
    const auto drag = [&t](Index j) {
        t.block({5, j}, "drag");
        t.session.update();
    };
    const int computed = t.backend->computed;
    t.backend->held = true;
    for (Index j = 0; j < 3; ++j) drag(j);
    EXPECT_TRUE(allows(0)) << "nothing is done yet";
    const int woken = t.woken;
    t.backend->held = false;
    while (t.woken == woken) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    t.backend->held = true;
    t.session.update();
    EXPECT_FALSE(allows(0)) << "the first value shows";
    EXPECT_TRUE(allows(2));
    EXPECT_FALSE(t.session.shown().scene == t.session.scene());
    EXPECT_TRUE(t.session.computing()) << "an earlier value is not shown as the last one";
    t.backend->held = false;
    t.session.wait();
    EXPECT_EQ(t.session.shown().scene, t.session.scene());
    EXPECT_FALSE(allows(2));
    EXPECT_EQ(t.backend->computed, computed + 2) << "the values between came together";
}

TEST(Dragging, OfAnotherKindIsNotWaitedFor) {
    Tested t;
    t.opens(large_scene());
    t.session.wait();
    const Scene before = t.session.scene();
    t.backend->held = true;
    t.block({5, 0}, "drag");
    t.session.update();
    t.session.undo();
    t.backend->held = false;
    t.session.wait();
    EXPECT_EQ(t.session.shown().scene, before) << "what was undone is not shown";
}

// Work in the background may read rows of the GPU's result, so it must end before the context does.
TEST(SessionBackends, WhatIsMadeOfTheGpusResultEndsBeforeItsContext) {
    for (const ComputeWith choice : {ComputeWith::cpu, ComputeWith::gpu}) {
        WithGpu t;
        t.session.compute_with(choice);
        t.session.wait();
        std::atomic<bool> ended = false;
        ASSERT_TRUE(t.session.make_aside("a.png", "Could not export",
                                         [&](Progress& progress) -> std::function<void()> {
                                             while (!progress.cancel) std::this_thread::yield();
                                             ended = true;
                                             throw Cancellation{};
                                         }));
        t.session.withdraw_gpu();
        EXPECT_EQ(ended, choice == ComputeWith::gpu);
        EXPECT_EQ(t.session.made_aside(), ended ? "" : "a.png");
        EXPECT_EQ(t.message(), ended ? "Could not export: cancelled." : "");
        t.session.cancel();
        t.session.wait();
        EXPECT_EQ(t.session.shown().backend, "cpu");
    }
}

}  // namespace
}  // namespace maskscope
