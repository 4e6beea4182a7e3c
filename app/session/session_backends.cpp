#include "app/session/session_backends.h"

#include <algorithm>
#include <new>

#include "app/show/bench/bench_survey.h"
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

bool takes_long(const Result& result) {
    return !is_remote(result) && numbers_to_compute(result.scene) > most_numbers_at_once;
}

// --- the GPU, in any thread

SharedGpu::SharedGpu(const GpuOffer& offer, std::shared_ptr<Backend> cpu)
    : gpu_(offer.make()), cpu_(std::move(cpu)), beside_(offer.beside) {}

// Nobody takes a turn with a context of the worker's in hand: the context comes after the turn.
Result SharedGpu::on_gpu(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) {
    const std::lock_guard turn(turns_);
    Result result;
    beside_([&] { result = gpu_->compute(scene, request, before, progress); });
    return result;
}

Result SharedGpu::compute(const Scene& scene, const Request& request, const Result* before,
                          Progress& progress) {
    if (!request.rows) return on_gpu(scene, request, before, progress);
    if (!failure()) try {
            return on_gpu(scene, request, before, progress);
        } catch (const WorkError& error) {
            const std::lock_guard lock(mutex_);
            failure_ = error.what();
        }
    return cpu_->compute(scene, request, before, progress);
}

std::optional<std::string> SharedGpu::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void SharedGpu::give_up(const std::string& why) {
    const std::lock_guard lock(mutex_);
    failure_ = why;
}

void SharedGpu::forget_failure() {
    const std::lock_guard lock(mutex_);
    failure_.reset();
}

// --- the choice

void Backends::need_gpu() {
    if (gpu_) return;
    if (!offer_.make) throw WorkError("this machine offers no OpenGL 4.3");
    shared_gpu_ = std::make_shared<SharedGpu>(offer_, cpu_);
    gpu_ = std::make_unique<LargeBackend>(shared_gpu_, offer_.most_kept);
}

bool Backends::withdraw() {
    const bool was_used = gpu_ != nullptr;
    if (shared_gpu_) shared_gpu_->give_up("the OpenGL context was lost");
    gpu_.reset();
    shared_gpu_.reset();
    offer_ = {};
    if (chosen_ == ComputeWith::gpu) chosen_ = ComputeWith::cpu;
    return was_used;
}

void Backends::choose(ComputeWith choice) {
    if (choice == ComputeWith::gpu) {
        need_gpu();
        shared_gpu_->forget_failure();
    }
    chosen_ = choice;
}

Outcome Backends::compute(ComputeWith with, const Scene& scene, const Result* before,
                          Progress& progress) {
    return outcome_of([&](Outcome& outcome) {
        if (with == ComputeWith::gpu && needs_float64(scene)) outcome.fallback = no_float64;
        if (with == ComputeWith::gpu && outcome.fallback.empty()) {
            try {
                outcome.result = compute_with(*gpu_, scene, before, progress);
                if (const auto failure = gpu_failure()) throw WorkError(*failure);
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
        if (is_computed_when_read(shown))
            throw WorkError("it is too long: its numbers are computed when they are read.");
        Backend& backend = other_is_gpu ? *gpu_ : *cpu_;
        other.result = backend.compute(shown.scene, Request{}, nullptr, progress);
        offer_.beside([&] {
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
