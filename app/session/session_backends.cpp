#include "app/session/session_backends.h"

#include <algorithm>
#include <new>

#include "core/base/error.h"
#include "core/compute/layers_before.h"
#include "core/compute/memory.h"

namespace maskscope {

namespace {

// Turns exceptions into an outcome. WorkErrors of the GPU are handled by the caller.
template <class Compute>
Outcome outcome_of(const Compute& compute) {
    Outcome outcome;
    try {
        compute(outcome);
    } catch (const Cancelled&) {
        outcome.cancelled = true;
    } catch (const std::bad_alloc&) {
        outcome.error = "There is not enough memory for this scene.";
    } catch (const InputError& error) {
        outcome.error = error.place + (error.place.empty() ? "" : ": ") + error.what();
    } catch (const std::exception& error) {
        outcome.error = error.what();
    }
    return outcome;
}

Result compute_with(Backend& backend, const Scene& scene, const Result* before,
                    Progress& progress) {
    const bool own = before != nullptr && before->backend == backend.name();
    auto layers = layers_before(scene, backend, before, progress);
    Result result = backend.compute(scene, Request{}, own ? before : nullptr, progress);
    result.layers_before = std::move(layers);
    return result;
}

constexpr const char* no_float64 = "the GPU has no float64; the CPU computes this scene.";

}  // namespace

bool is_remote(const Result& result) {
    return std::ranges::any_of(result.variants, [](const VariantResult& variant) {
        return std::ranges::any_of(variant.stages, [&](const Stage& stage) {
            return stage.remote() != nullptr && !variant.computed;
        });
    });
}

void Backends::need_gpu() {
    if (gpu_) return;
    if (!offer_.make) throw WorkError("this machine offers no OpenGL 4.3");
    gpu_ = offer_.make();
}

void Backends::choose(ComputeWith choice) {
    if (choice == ComputeWith::gpu) need_gpu();
    chosen_ = choice;
}

Result Backends::on_gpu(const Scene& scene, const Result* before, Progress& progress, bool beside) {
    if (!beside) return compute_with(*gpu_, scene, before, progress);
    Result result;
    offer_.beside([&] { result = compute_with(*gpu_, scene, before, progress); });
    return result;
}

Outcome Backends::compute(ComputeWith with, const Scene& scene, const Result* before,
                          Progress& progress, bool beside) {
    return outcome_of([&](Outcome& outcome) {
        if (with == ComputeWith::gpu && needs_float64(scene)) outcome.fallback = no_float64;
        if (with == ComputeWith::gpu && outcome.fallback.empty()) {
            try {
                outcome.result = on_gpu(scene, before, progress, beside);
                return;
            } catch (const WorkError& error) {
                outcome.fallback = error.what();
            }
        }
        Backend& backend = with == ComputeWith::plain ? plain_ : *cpu_;
        outcome.result = compute_with(backend, scene, before, progress);
    });
}

void Backends::beside(const Result& result, const std::function<void()>& work) const {
    is_remote(result) ? offer_.beside(work) : work();
}

// --- the other backend

Comparison Backends::compare(const Result& shown, Progress& progress) {
    Comparison comparison;
    const bool other_is_gpu = shown.backend == "cpu";
    const Outcome outcome = outcome_of([&](Outcome& other) {
        if (needs_float64(shown.scene)) throw WorkError("the GPU has no float64.");
        offer_.beside([&] {
            Backend& backend = other_is_gpu ? *gpu_ : *cpu_;
            other.result = backend.compute(shown.scene, Request{}, nullptr, progress);
            comparison.differences = differences(shown, *other.result, progress);
            comparison.times = other.result->times;
            comparison.milliseconds = other.result->milliseconds;
            other.result.reset();  // while the context that it may need is current
        });
    });
    comparison.backend = other_is_gpu ? "gpu" : "cpu";
    comparison.cancelled = outcome.cancelled;
    comparison.error = outcome.error;
    return comparison;
}

}  // namespace maskscope
