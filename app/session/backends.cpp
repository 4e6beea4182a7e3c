#include "app/session/backends.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ostream>

#include "app/session/files/own_folders.h"
#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/cpu/cpu_backend.h"
#include "core/gl/headless.h"
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
    setenv("EGL_LOG_LEVEL", "fatal", 0);  // if there is no driver, only our own message is printed
    Gpu gpu{std::make_unique<ThreadedGpu>([] { return std::make_shared<HeadlessContext>(4, 3); },
                                          GpuOptions{.kept_programs = kept_programs()}),
            ""};
    gpu.backend->run([&](GpuBackend&) { gpu.renderer = renderer_name(); });
    return gpu;
}

// Returns a multiple of the rows that are computed together (of a tile on the GPU, of the CPU's
// kernels), so that blocks change no bit, and few rows are computed twice.
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

// A GPU that was not requested by name failed. Errors of files (a full disk) are thrown as such.
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

// Returns nullopt if the CPU is as fast. Throws WorkError if there is no GPU.
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
        } catch (const CannotCompute& cannot) {  // all rows are then taken again
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

}  // namespace maskscope
