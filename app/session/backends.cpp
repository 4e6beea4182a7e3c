#include "app/session/backends.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ostream>

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/gpu/gpu_backend.h"

namespace maskscope {

namespace {

Result compute_once(Backend& backend, const Scene& scene, const Request& request) {
    return backend.compute(scene, request, nullptr, command_progress());
}

// With the GPU context that may hold its numbers.
struct Computed {
    std::unique_ptr<HeadlessContext> context;  // current
    std::unique_ptr<Backend> backend;
    Result result;
};

Computed on_gpu(const Scene& scene, const Request& request, bool software_too) {
    setenv("EGL_LOG_LEVEL", "fatal", 0);  // without a driver, print only our own message
    Computed computed{std::make_unique<HeadlessContext>(4, 3), nullptr, {}};
    if (const std::string renderer = renderer_name();
        !software_too && is_software_renderer(renderer))
        throw WorkError("no GPU found (the renderer is " + renderer + ")");
    computed.backend = std::make_unique<GpuBackend>();
    computed.result = compute_once(*computed.backend, scene, request);
    return computed;
}

// nullopt: the CPU is to compute.
std::optional<Computed> on_gpu_if_chosen(BackendChoice choice, const Scene& scene,
                                         const Request& request, std::ostream& notes) {
    if (choice == BackendChoice::cpu) return std::nullopt;
    if (choice == BackendChoice::gpu) return on_gpu(scene, request, true);
    try {
        return on_gpu(scene, request, false);
    } catch (const WorkError& error) {
        notes << "maskscope: computing on the CPU: " << printable(error.what()) << '\n';
        return std::nullopt;
    }
}

// A multiple of the rows that the kernels compute together, so that blocks change no bit.
Index rows_in_a_block(const Scene& scene, const Request& request) {
    constexpr double most_bytes = 64e6;
    constexpr Index step = 8;
    const Shape shape = shape_of(scene);
    const double row = 8.0 * double(scene.variants.size() * request.stages.count()) *
                       double(shape.b * shape.h) * double(shape.n_k);
    const double rows = std::clamp(most_bytes / row, 1.0, double(shape.n_q));
    return std::max(static_cast<Index>(rows) / step, Index(1)) * step;
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

}  // namespace

void compute_in_blocks(BackendChoice choice, int threads, const Scene& scene,
                       const Request& request, std::ostream& notes, const TakeBlock& take) {
    const Index n_q = shape_of(scene).n_q;
    if (const auto computed = on_gpu_if_chosen(choice, scene, request, notes))
        return take(computed->result, std::nullopt);
    CpuBackend cpu(threads);
    if (model_of(scene) != nullptr) return take(compute_once(cpu, scene, request), std::nullopt);
    Request some = request;
    const Index most = rows_in_a_block(scene, request);
    for (Index first = 0; first < n_q; first += most) {
        some.rows = {first, std::min(most, n_q - first)};
        take(compute_once(cpu, scene, some), some.rows);
    }
}

bool needs_float64(const Scene& scene) {
    return needs_float64(scene.inputs) ||
           std::ranges::any_of(scene.variants, [](const Variant& variant) {
               return variant.dtype == Dtype::float64;
           });
}

}  // namespace maskscope
