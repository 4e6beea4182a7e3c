#include "core/gpu/threaded_gpu.h"

namespace maskscope {

ThreadedGpu::ThreadedGpu(gpu::GpuThread::MakeContext make_context, GpuOptions options)
    : options_(std::move(options)),
      thread_(std::make_shared<gpu::GpuThread>(std::move(make_context))) {}

ThreadedGpu::~ThreadedGpu() {
    cancel_preparation();
    try {
        thread_->run([&] { backend_.reset(); });
    } catch (const std::exception&) {}  // there was no context, and so no backend
    thread_->stop();
}

void ThreadedGpu::run(const std::function<void(GpuBackend&)>& work) {
    thread_->run([&] {
        if (!backend_) backend_.emplace(options_, thread_);
        begun_ = true;
        if (rests_.exchange(false)) backend_->rest();
        work(*backend_);
    });
}

Result ThreadedGpu::compute_scene(const Scene& scene, const Request& request, const Result* before,
                                  Progress& progress) {
    Result result;
    run([&](GpuBackend& backend) { result = backend.compute(scene, request, before, progress); });
    return result;
}

Result ThreadedGpu::compute_at_once(const Scene& scene, const Request& request,
                                    const Result* before, Progress& progress) {
    if (!begun_) throw gpu::NotPrepared{};
    Result result;
    run([&](GpuBackend& backend) {
        struct Hurry {
            gpu::Programs& programs;
            explicit Hurry(gpu::Programs& of) : programs(of) { programs.wait_for_compiler(false); }
            ~Hurry() { programs.wait_for_compiler(true); }
        };
        const Hurry hurry(backend.programs());
        result = backend.compute(scene, request, before, progress);
    });
    return result;
}

void ThreadedGpu::post(std::function<void()> work) { thread_->post(std::move(work)); }

void ThreadedGpu::rest() {
    rests_ = true;
    thread_->post([this] {
        if (backend_ && rests_.exchange(false)) backend_->rest();
    });
}

}  // namespace maskscope
