#include "app/session/backends.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <ostream>

#include "app/session/files/state_files.h"
#include "app/show/bench/bench_survey.h"
#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/memory.h"
#include "core/cpu/cpu_backend.h"
#include "core/gl/headless.h"
#include "core/gl/program.h"
#include "core/gpu/speeds.h"
#include "core/gpu/threaded_gpu.h"

namespace maskscope {

namespace {

Result compute_once(Backend& backend, const Scene& scene, const Request& request) {
    return backend.compute(scene, request, nullptr, command_progress());
}

struct Gpu {
    std::unique_ptr<ThreadedGpu> backend;
    std::string renderer;
};

Gpu open_gpu() {
    setenv("EGL_LOG_LEVEL", "fatal", 0);  // without a driver, print only our own message
    Gpu gpu{std::make_unique<ThreadedGpu>([] { return std::make_shared<HeadlessContext>(4, 3); },
                                          GpuOptions{.kept_programs = kept_programs()}),
            ""};
    gpu.backend->run([&](GpuBackend&) { gpu.renderer = renderer_name(); });
    return gpu;
}

// Returns a multiple of the number of rows that are computed together (in a tile on the GPU, by a
// kernel on the CPU), so that blocks do not change any bit, and few rows are computed twice.
Index rows_in_a_block(const Scene& scene, const Request& request, double most_bytes) {
    const Shape shape = shape_of(scene);
    const double row = 8.0 * double(scene.variants.size() * request.stages.count()) *
                       double(shape.b * shape.h) * double(shape.n_k);
    const auto rows = static_cast<Index>(std::clamp(most_bytes / row, 1.0, double(shape.n_q)));
    const Index step = rows < 128 ? 8 : 128;
    return std::max(rows / step, Index(1)) * step;
}

bool needs_float64(const Inputs& inputs);

bool needs_float64(const LayerBefore& layer) {
    return layer.variant.dtype == Dtype::float64 || needs_float64(layer.inputs);
}

bool needs_float64(const Inputs& inputs) {
    const auto* output = std::get_if<OutputInputs>(&inputs);
    if (output == nullptr) return false;
    return needs_float64(*output->of) || (output->keys && needs_float64(**output->keys));
}

// A failure of a GPU that was not requested by name, so that the CPU takes over. Errors of files,
// such as a full disk, stay as they are.
struct CannotCompute {
    std::string why;
};

template <class Work>
auto or_cannot(const Work& work) {
    try {
        return work();
    } catch (const WorkError& error) {
        throw CannotCompute{error.what()};
    }
}

// Returns the GPU if it computes this scene faster than the CPU does; otherwise nullopt. Throws
// WorkError if there is no GPU.
std::optional<Gpu> faster_gpu(const Scene& scene) {
    Gpu gpu = open_gpu();
    if (is_software_renderer(gpu.renderer))
        throw WorkError("no GPU found (the renderer is " + gpu.renderer + ")");
    const double numbers = numbers_to_compute(scene);
    if (numbers <= most_numbers_at_once || maskscope::needs_float64(scene)) return std::nullopt;
    const Speeds speeds = speeds_of(*gpu.backend, gpu.renderer, command_progress());
    if (!speeds.gpu_is_faster(numbers)) return std::nullopt;
    return gpu;
}

using Compute = std::function<Result(const Request&)>;

void compute_in_blocks(const Compute& compute, const Scene& scene, const Request& request,
                       const TakeBlock& take, double most_bytes) {
    if (is_trained(scene.inputs)) return take(compute(request), std::nullopt);
    const Index n_q = shape_of(scene).n_q, most = rows_in_a_block(scene, request, most_bytes);
    Progress& progress = command_progress();
    progress.pieces = double((n_q - 1) / most + 1);
    Request some = request;
    for (Index first = 0; first < n_q; first += most) {
        progress.done = 0;
        progress.pieces_before = double(first / most);
        some.rows = {first, std::min(most, n_q - first)};
        take(compute(some), some.rows);
    }
}

}  // namespace

void compute_in_blocks(Backend& backend, const Scene& scene, const Request& request,
                       const TakeBlock& take, double most_bytes) {
    const auto compute = [&](const Request& some) { return compute_once(backend, scene, some); };
    compute_in_blocks(compute, scene, request, take, most_bytes);
}

void compute_in_blocks(BackendChoice choice, int threads, const Scene& scene,
                       const Request& request, std::ostream& notes, const TakeBlock& take) {
    if (choice == BackendChoice::gpu)
        return compute_in_blocks(*open_gpu().backend, scene, request, take);
    if (choice == BackendChoice::automatic) try {
            if (const auto gpu = or_cannot([&] { return faster_gpu(scene); })) {
                const auto compute = [&](const Request& some) {
                    return or_cannot([&] { return compute_once(*gpu->backend, scene, some); });
                };
                return compute_in_blocks(compute, scene, request, take, block_bytes);
            }
        } catch (const CannotCompute& cannot) {  // the CPU then starts from the first row
            notes << "maskscope: computing on the CPU: " << printable(cannot.why) << '\n';
        }
    CpuBackend cpu(threads);
    compute_in_blocks(cpu, scene, request, take);
}

Speeds speeds_of(Backend& gpu, const std::string& renderer, Progress& progress) {
    if (const auto kept = kept_speeds(cache_folder(), renderer)) return *kept;
    CpuBackend cpu(0);
    const Speeds speeds = measure_speeds(cpu, gpu, progress);
    keep_speeds(cache_folder(), renderer, speeds);
    return speeds;
}

bool needs_float64(const Scene& scene) {
    return needs_float64(scene.inputs) ||
           std::ranges::any_of(scene.variants, [](const Variant& variant) {
               return variant.dtype == Dtype::float64;
           });
}

namespace {

// Runs a computation, and turns its exceptions into an outcome. The caller handles WorkErrors of
// the GPU.
template <class Compute>
Outcome outcome_of(const Compute& compute) {
    Outcome outcome;
    try {
        compute(outcome);
    } catch (const Cancellation&) {
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

constexpr const char* no_float64 =
    "the GPU does not support float64, so the CPU computes this scene.";

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
        } catch (const gpu::PreparationError&) {
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
    gpu_.reset();  // ends its thread, even if results are still held
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
            if (!known) throw gpu::PreparationError{};
            if (!known->gpu_is_faster(numbers_to_compute(scene))) return false;
        }
        const SharedGpu::GpuOnly insists(*shared_gpu_);
        Result result = compute_with(*gpu_of_any_length_, scene, before, progress);
        if (const auto failure = gpu_failure()) throw WorkError(*failure);
        outcome.result = std::move(result);
        return true;
    } catch (const gpu::PreparationError&) {
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
            measure_speeds();               // because the CPU is free now
        } catch (const std::exception&) {}  // the CPU is used if this fails
    return computed;
}

}  // namespace maskscope
