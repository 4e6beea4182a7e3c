#include "app/session/session_backends.h"

#include <algorithm>
#include <new>

#include "app/show/bench/bench_survey.h"
#include "core/base/error.h"
#include "core/compute/layers_before.h"
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

// Computes the scene, and once more from the same scores, as after an edit.
void rehearse(Backend& gpu, const Scene& scene, const Request& request, Progress& progress) {
    const Result first = gpu.compute(scene, request, nullptr, progress);
    gpu.compute(scene, request, nullptr, progress);
}

constexpr const char* no_float64 = "the GPU has no float64; the CPU computes this scene.";

}  // namespace

bool takes_long(const Result& result) {
    return numbers_to_compute(result.scene) > most_numbers_at_once;
}

// --- the GPU, in any thread

Result SharedGpu::compute(const Scene& scene, const Request& request, const Result* before,
                          Progress& progress) {
    if (!request.rows) return gpu_->compute_prepared(scene, request, before, progress);
    if (!failure()) try {
            return gpu_->compute_prepared(scene, request, before, progress);
        } catch (const gpu::NotPrepared&) {
            if (insists_ == std::this_thread::get_id()) throw;
        } catch (const WorkError& error) {
            give_up(error.what());
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
    gpu_ = offer_.make();
    shared_gpu_ = std::make_shared<SharedGpu>(gpu_, cpu_);
    gpu_of_any_length_ = std::make_unique<LargeBackend>(shared_gpu_, offer_.most_kept);
}

bool Backends::withdraw() {
    const bool was_used = gpu_ != nullptr;
    if (preparation_) preparation_->cancel = true;
    wait_until_prepared();
    if (shared_gpu_) shared_gpu_->give_up("the OpenGL context was lost");
    gpu_of_any_length_.reset();
    shared_gpu_.reset();
    gpu_.reset();
    offer_ = {};
    speeds_.reset();
    failed_.reset();
    prepared_for_.reset();
    if (chosen_ == ComputeWith::gpu) chosen_ = ComputeWith::cpu;
    return was_used;
}

void Backends::choose(ComputeWith choice) {
    if (choice == ComputeWith::gpu) need_gpu();
    if (choice == ComputeWith::gpu || choice == ComputeWith::automatic) {
        if (shared_gpu_) shared_gpu_->forget_failure();
        const std::lock_guard lock(mutex_);
        failed_.reset();
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

// --- preparing

// What prepares the GPU for a scene is a rehearsal. Before it is chosen for its speed, that is
// measured.
void Backends::prepare(ComputeWith with, const Scene& scene, const Request& request) {
    if (preparing()) return;
    std::pair next(scene, request.rows.has_value());
    if (prepared_for_ == next && !(with == ComputeWith::automatic && !speeds_))
        throw WorkError("the GPU cannot be prepared for this scene");
    prepared_for_ = std::move(next);
    preparing_ = true;
    preparation_ = std::make_shared<Progress>();
    const bool measures = with == ComputeWith::automatic && !speeds_;
    const auto work = [this, scene, request, measures, gpu = gpu_.get(), progress = preparation_,
                       renderer = offer_.renderer] {
        std::optional<Speeds> speeds;
        std::optional<std::string> failed;
        try {
            if (measures) speeds = speeds_of(*gpu, renderer, *progress);
            if (!speeds || speeds->gpu_is_faster(numbers_to_compute(scene)))
                rehearse(*gpu, scene, request, *progress);
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            failed = error.what();
        }
        const std::lock_guard lock(mutex_);
        if (speeds) speeds_ = speeds;
        failed_ = failed;
    };
    const auto done = [this] {
        {
            const std::lock_guard lock(mutex_);
            was_prepared_ = true;
            preparing_ = false;
        }
        prepared_.notify_all();
        if (wake_) wake_();
    };
    try {
        gpu_->prepare(work, done);
    } catch (...) {
        preparing_ = false;
        throw;
    }
}

void Backends::wait_until_prepared() {
    std::unique_lock lock(mutex_);
    prepared_.wait(lock, [&] { return !preparing_; });
}

void Backends::require_gpu() {
    const std::lock_guard lock(mutex_);
    if (failed_) throw WorkError(*failed_);
}

bool Backends::gpu_is_faster(const Scene& scene) {
    const std::lock_guard lock(mutex_);
    if (!speeds_) throw gpu::NotPrepared{};
    return speeds_->gpu_is_faster(numbers_to_compute(scene));
}

// --- computing

// False: the CPU is to compute the scene.
bool Backends::compute_on_gpu(ComputeWith with, const Scene& scene, const Result* before,
                              Progress& progress, Outcome& outcome) try {
    try {
        require_gpu();
        if (with == ComputeWith::automatic && !gpu_is_faster(scene)) return false;
        const SharedGpu::Insists insists(*shared_gpu_);
        Result result = compute_with(*gpu_of_any_length_, scene, before, progress);
        if (const auto failure = gpu_failure()) throw WorkError(*failure);
        outcome.result = std::move(result);
        return true;
    } catch (const gpu::NotPrepared&) {
        Request request;
        if (numbers_to_compute(scene) > offer_.most_kept) request.rows = {0, 1};
        prepare(with, scene, request);
        outcome.preparing = true;
    }
    return false;
} catch (const WorkError& error) {
    outcome.fallback = error.what();
    return false;
}

Outcome Backends::compute(ComputeWith with, const Scene& scene, const Result* before,
                          Progress& progress) {
    return outcome_of([&](Outcome& outcome) {
        if (with == ComputeWith::gpu && needs_float64(scene))
            outcome.fallback = no_float64;
        else if (may_take_gpu(with, scene) &&
                 compute_on_gpu(with, scene, before, progress, outcome))
            return;
        Backend& backend = with == ComputeWith::plain ? plain_ : *cpu_;
        outcome.result = compute_with(backend, scene, before, progress);
    });
}

// --- the other backend

Comparison Backends::compare(const Result& shown, Progress& progress) {
    Comparison comparison;
    const bool other_is_gpu = shown.backend == "cpu";
    const Outcome outcome = outcome_of([&](Outcome& other) {
        if (needs_float64(shown.scene)) throw WorkError("the GPU has no float64.");
        if (is_computed_when_read(shown))
            throw WorkError("it is too long: its numbers are computed when they are read.");
        require_gpu();
        try {
            other.result = other_is_gpu ? gpu_->compute_prepared(shown.scene, {}, nullptr, progress)
                                        : cpu_->compute(shown.scene, {}, nullptr, progress);
        } catch (const gpu::NotPrepared&) {  // again when it is
            prepare(ComputeWith::gpu, shown.scene, {});
            throw Cancelled{};
        }
        comparison.differences = differences(shown, *other.result, progress);
        comparison.times = other.result->times;
        comparison.milliseconds = other.result->milliseconds;
    });
    comparison.backend = other_is_gpu ? "gpu" : "cpu";
    comparison.cancelled = outcome.cancelled;
    comparison.error = outcome.error;
    return comparison;
}

}  // namespace maskscope
