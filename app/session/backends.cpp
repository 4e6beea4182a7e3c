#include "app/session/backends.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/gpu/gpu_backend.h"

namespace maskscope {

namespace {

Result compute_all(Backend& backend, const Scene& scene) {
    return backend.compute(scene, Request(), nullptr, command_progress());
}

Computed on_cpu(int threads, const Scene& scene) {
    Computed computed{nullptr, std::make_unique<CpuBackend>(threads), {}};
    computed.result = compute_all(*computed.backend, scene);
    return computed;
}

Computed on_gpu(const Scene& scene, bool software_too) {
    setenv("EGL_LOG_LEVEL", "fatal", 0);  // without a driver, print only our own message
    Computed computed{std::make_unique<HeadlessContext>(4, 3), nullptr, {}};
    if (const std::string renderer = renderer_name();
        !software_too && is_software_renderer(renderer))
        throw WorkError("no GPU found (the renderer is " + renderer + ")");
    computed.backend = std::make_unique<GpuBackend>();
    computed.result = compute_all(*computed.backend, scene);
    return computed;
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

Computed compute_on(BackendChoice choice, int threads, const Scene& scene, std::ostream& notes) {
    if (choice == BackendChoice::cpu) return on_cpu(threads, scene);
    if (choice == BackendChoice::gpu) return on_gpu(scene, true);
    try {
        return on_gpu(scene, false);
    } catch (const WorkError& error) {
        notes << "maskscope: computing on the CPU: " << printable(error.what()) << '\n';
    }
    return on_cpu(threads, scene);
}

bool needs_float64(const Scene& scene) {
    return needs_float64(scene.inputs) ||
           std::ranges::any_of(scene.variants, [](const Variant& variant) {
               return variant.dtype == Dtype::float64;
           });
}

}  // namespace maskscope
