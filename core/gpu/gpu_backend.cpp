#include "core/gpu/gpu_backend.h"
#include "core/base/build.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/gl/headless.h"
#include "core/gpu/data/device.h"
#include "core/gpu/task.h"

namespace maskscope {

struct GpuBackend::State {
    gpu::Device device;
    gpu::InputStore inputs;
    gpu::KnownNumbers known;
};

namespace {

const Variant& variant_at(const Scene& scene, int variant) { return scene.variants[variant]; }

void refuse_float64(const Scene& scene, const std::vector<int>& variants) {
    for (const int variant : variants)
        if (variant_at(scene, variant).dtype == Dtype::float64)
            throw WorkError(fmt::format(
                "/variants/{}/dtype: the GPU does not support float64. Compute on the CPU, or "
                "choose another dtype",
                variant));
}

// --- what an edit did not change

bool same_numbers(const Variant& a, const Variant& b) {
    Variant renamed = a;
    renamed.name = b.name;
    return renamed == b;
}

// True if the result has everything requested.
bool has_stages(const VariantResult& result, const Request& request, const Inputs& inputs) {
    if (!result.allowed.remote()) return false;
    for (int k = 1; k < stage_count; ++k) {
        const auto kind = static_cast<StageKind>(k);
        const Stage& stage = result.stage(kind);
        if (stage.exists() ? !stage.remote() : wants(request, inputs, kind)) return false;
    }
    return true;
}

const VariantResult* find_before(const Result* before, const Scene& scene, const Variant& variant,
                                 const Request& request) {
    if (request.rows) return nullptr;  // requested rows are few, and in memory
    if (before == nullptr || before->backend != "gpu" || !same_inputs(before->scene, scene))
        return nullptr;
    for (std::size_t k = 0; k < before->variants.size(); ++k)
        if (same_numbers(before->scene.variants[k], variant) &&
            has_stages(before->variants[k], request, scene.inputs))
            return &before->variants[k];
    return nullptr;
}

}  // namespace

GpuBackend::GpuBackend(const GpuOptions& options, std::weak_ptr<gpu::GpuThread> thread)
    : state_(new State{
          gpu::Device(gpu::Programs(options.shaders.empty() ? shader_folder() : options.shaders,
                                    options.kept_programs),
                      std::make_shared<gpu::BufferPool>(std::move(thread)), options.buffer_limit),
          {},
          {}}) {
    if (options.subgroups) state_->device.subgroups = *options.subgroups;
}

GpuBackend::~GpuBackend() {
    const auto pool = state_->device.pool;
    state_.reset();
    pool->forget();
}

void GpuBackend::rest() {
    state_->inputs = {};
    state_->known = {};
    state_->device.pool->forget();
}

gpu::Programs& GpuBackend::programs() { return state_->device.programs; }
const gpu::BufferPool& GpuBackend::buffers() const { return *state_->device.pool; }

Result GpuBackend::compute_scene(const Scene& scene, const Request& request, const Result* before,
                                 Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<int> variants = variants_of(request, scene);
    refuse_float64(scene, variants);
    if (!gl::has_context()) throw WorkError("no OpenGL context is current in this thread");
    progress.done = 0;
    gpu::Device& device = state_->device;
    device.pool->begin_computation();
    gl::forget_errors();
    // If the pool has enough free memory, the GPU is not queried, because its driver answers
    // slowly.
    if (bytes_needed(scene, request) > device.pool->free_bytes())
        if (const auto free = gpu::free_bytes(device)) refuse_too_large(scene, request, *free);

    Result result{scene, "gpu", std::vector<VariantResult>(scene.variants.size()), 0, {}};
    gpu::Clock clock(device.software);
    gpu::Run run{device, state_->inputs, state_->known, scene, request, progress, clock};
    std::erase_if(run.known.scores, [](const auto& known) { return known.numbers.expired(); });
    for (const int index : variants)
        run.work += gpu::work_of(scene, request, variant_at(scene, index));
    // Between requests for rows of single variants, the inputs of all variants stay.
    const auto close = [&] {
        state_->inputs.close(request.rows ? scene.variants : std::vector<Variant>());
    };
    try {
        const bool same = before != nullptr && same_inputs(before->scene, scene);
        state_->inputs.open(scene, same ? before->inputs : nullptr, progress);
        for (const int index : variants) {
            if (progress.cancel) throw Cancellation{};
            const Variant& variant = variant_at(scene, index);
            VariantResult& made = result.variants[index];
            const VariantResult* known = find_before(before, scene, variant, request);
            if (known == nullptr) known = find_before(&result, scene, variant, request);
            made = known != nullptr ? *known : gpu::compute_variant(run, variant);
        }
        result.times = clock.times();
        result.inputs = state_->inputs.batch();
        gpu::check_context();
    } catch (const std::bad_alloc&) {
        close();
        throw WorkError("too large for the memory of this machine");
    } catch (...) {
        close();
        throw;
    }
    close();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    result.milliseconds = time.count();
    return result;
}

}  // namespace maskscope
