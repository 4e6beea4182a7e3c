#include "app/window/context/mask_check.h"

#include <chrono>
#include <new>

#include "core/base/error.h"

namespace maskscope {

namespace {

using Clock = std::chrono::steady_clock;

// How long a frame waits for results, so that those of a small scene appear together with the edit
// that changed them.
constexpr std::chrono::milliseconds patience{8};

// Runs a test. Throws only Cancellation: after other errors, the outcome is that the test does not
// apply.
TestResult outcome_of(const MaskTest& test, const Scene& scene, int variant, Progress& progress) {
    try {
        return test_mask(test, scene, variant, progress, 1);
    } catch (const std::bad_alloc&) {
        return {TestOutcome::not_applicable, "there is not enough memory for this test"};
    } catch (const std::exception& error) {
        return {TestOutcome::not_applicable, error.what()};
    }
}

}  // namespace

void MaskCheck::take() {
    try {
        worker_.join();
    } catch (const Cancellation&) {  // the results would belong to another scene
    }
}

void MaskCheck::refresh(const Scene& scene, int variant, const std::function<void()>& wake) {
    const bool same = variant == variant_ && scene == scene_;
    if (!same) worker_.cancel();
    if (worker_.finished()) take();
    if (worker_.active()) return;
    if (!same) {
        scene_ = scene;
        variant_ = variant;
        results_.clear();
    }
    const auto until = Clock::now() + patience;
    while (results_.size() < mask_tests().size()) {
        const MaskTest& test = mask_tests()[results_.size()];
        worker_.start(
            [&test, scene, variant](Progress& progress) {
                return outcome_of(test, scene, variant, progress);
            },
            [this](TestResult result) { results_.push_back(std::move(result)); }, wake);
        if (!worker_.finished_within(until - Clock::now())) return;
        take();
    }
}

}  // namespace maskscope
