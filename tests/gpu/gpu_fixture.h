#pragma once
// Provides one context and one backend for all tests of a program: shaders are compiled once, and
// the context stays current in the thread of the tests. A test with another context makes it in its
// own thread.

#include <gtest/gtest.h>

#include <thread>

#include "core/gl/headless.h"
#include "core/gpu/gpu_backend.h"
#include "core/scene/scene.h"
#include "tests/golden/compare_results.h"
#include "tests/support/computed.h"

namespace maskscope::golden {

// Returns the scene in float32, because the GPU has no float64.
inline Scene in_float32(Scene scene) {
    for (Variant& variant : scene.variants)
        if (variant.dtype == Dtype::float64) variant.dtype = Dtype::float32;
    return scene;
}

// The tolerances of every backend, except that subnormal numbers may become 0, and their products
// with infinity NaN.
inline constexpr Nearness near_on_gpu{.smallest = 1.2e-38};

// Runs work without the context that is current in the thread of the other tests.
template <class Work>
void in_another_thread(const Work& work) {
    std::thread(work).join();
}

class Gpu : public testing::Test {
protected:
    Gpu() { context(); }
    static const HeadlessContext& context() {
        static const HeadlessContext made(4, 3);
        return made;
    }
    static GpuBackend& backend() {
        static GpuBackend made;
        return made;
    }
    static Result compute(GpuBackend& backend, const Scene& scene, const Request& request = {},
                          const Result* before = nullptr) {
        Progress progress;
        return backend.compute(scene, request, before, progress);
    }
    static Result compute(const Scene& scene, const Request& request = {},
                          const Result* before = nullptr) {
        return compute(backend(), scene, request, before);
    }
};

}  // namespace maskscope::golden
