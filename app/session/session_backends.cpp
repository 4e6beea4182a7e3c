#include "app/session/session_backends.h"

#include <algorithm>
#include <new>

#include "app/session/files/own_folders.h"
#include "app/show/bench/bench_survey.h"
#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/memory.h"
#include "core/gl/program.h"

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
        outcome.error = "Not enough memory for this scene.";
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

constexpr const char* no_float64 = "the GPU does not support float64; the CPU computes this scene.";

}  // namespace

bool takes_long(const Result& result) {
    return numbers_to_compute(result.scene) > most_numbers_at_once;
}

// --- the GPU, in any thread

std::shared_ptr<PreparedBackend> SharedGpu::gpu() const {
    const std::lock_guard lock(mutex_);
    if (!gpu_) throw WorkError(failure_.value_or(""));
    return gpu_;
}

Result SharedGpu::compute_scene(const Scene& scene, const Request& request, const Result* before,
                                Progress& progress) {
    if (!request.rows) return gpu()->compute_prepared(scene, request, before, progress);
    if (!failure()) try {
            return gpu()->compute_prepared(scene, request, before, progress);
        } catch (const gpu::NotPrepared&) {
            if (insists_ == std::this_thread::get_id()) throw;
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

void SharedGpu::forget_failure() {
    const std::lock_guard lock(mutex_);
    failure_.reset();
}

void SharedGpu::withdraw(const std::string& why) {
    const std::lock_guard lock(mutex_);
    failure_ = why;
    gpu_.reset();
}

// --- the choice

void Backends::need_gpu() {
    if (gpu_) return;
    if (!offer_.make) throw WorkError("this machine offers no OpenGL 4.3");
    std::shared_ptr<PreparedBackend> gpu = offer_.make();
    gpu->when_prepared = wake_;
    auto shared = std::make_shared<SharedGpu>(gpu, cpu_);
    gpu_of_any_length_ = std::make_unique<LargeBackend>(shared, offer_.most_kept);
    speeds_ = kept_speeds(cache_folder(), offer_.renderer);
    shared_gpu_ = std::move(shared);
    gpu_ = std::move(gpu);
}

bool Backends::withdraw() {
    const bool was_used = gpu_ != nullptr;
    if (shared_gpu_) shared_gpu_->withdraw("the OpenGL context was lost");
    gpu_of_any_length_.reset();
    shared_gpu_.reset();
    gpu_.reset();  // its thread ends here, even if results are still held
    offer_ = {};
    speeds_.reset();
    if (chosen_ == ComputeWith::gpu) chosen_ = ComputeWith::cpu;
    return was_used;
}

void Backends::choose(ComputeWith choice) {
    if (choice == ComputeWith::gpu) need_gpu();
    if (choice == ComputeWith::gpu || choice == ComputeWith::automatic) {
        if (shared_gpu_) shared_gpu_->forget_failure();
    } else {
        rest();
    }
    chosen_ = choice;
}

void Backends::rest() {
    if (gpu_) gpu_->rest();
}

bool Backends::may_take_gpu(ComputeWith with, const Scene& scene) const {
    if (with == ComputeWith::gpu) return true;
    return with == ComputeWith::automatic && !needs_float64(scene) &&
           numbers_to_compute(scene) > most_numbers_at_once;
}

bool Backends::preparing() const {
    return gpu_ && gpu_->preparation() != PreparedBackend::Preparation::none;
}

void Backends::wait_while_preparing() {
    if (gpu_) gpu_->wait_while_preparing();
}

// --- how fast they are

std::optional<Speeds> Backends::speeds() const {
    const std::lock_guard lock(mutex_);
    return speeds_;
}

void Backends::measure_speeds() {
    gpu_->prepare([this, gpu = gpu_.get(), renderer = offer_.renderer](Progress& progress) {
        const Speeds speeds = speeds_of(*gpu, renderer, progress);
        const std::lock_guard lock(mutex_);
        speeds_ = speeds;
    });
}

// --- computing

// Returns false if the CPU must compute the scene.
bool Backends::compute_on_gpu(ComputeWith with, const Scene& scene, const Result* before,
                              Progress& progress, Outcome& outcome) {
    try {
        gpu_->require_prepared();
        if (with == ComputeWith::automatic) {
            const auto known = speeds();
            if (!known) throw gpu::NotPrepared{};
            if (!known->gpu_is_faster(numbers_to_compute(scene))) return false;
        }
        const SharedGpu::Insists insists(*shared_gpu_);
        Result result = compute_with(*gpu_of_any_length_, scene, before, progress);
        if (const auto failure = gpu_failure()) throw WorkError(*failure);
        outcome.result = std::move(result);
        return true;
    } catch (const gpu::NotPrepared&) {
        outcome.preparing = true;
    } catch (const WorkError& error) {
        outcome.fallback = error.what();
    }
    return false;
}

Outcome Backends::compute(ComputeWith with, const Scene& scene, const Result* before,
                          Progress& progress) {
    Outcome computed = outcome_of([&](Outcome& outcome) {
        if (with == ComputeWith::gpu && needs_float64(scene))
            outcome.fallback = no_float64;
        else if (may_take_gpu(with, scene) &&
                 compute_on_gpu(with, scene, before, progress, outcome))
            return;
        Backend& backend = with == ComputeWith::plain ? plain_ : *cpu_;
        outcome.result = compute_with(backend, scene, before, progress);
    });
    if (computed.preparing && with == ComputeWith::automatic && !speeds()) try {
            measure_speeds();               // now that the CPU is free
        } catch (const std::exception&) {}  // the CPU is used then
    return computed;
}

}  // namespace maskscope
