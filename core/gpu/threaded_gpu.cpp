#include "core/gpu/threaded_gpu.h"

#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/gl/program.h"

namespace maskscope {

Result PreparedBackend::compute_prepared(const Scene& scene, const Request& request,
                                         const Result* before, Progress& progress) {
    if (state_ == Preparation::under_way) throw gpu::PreparationError{};
    require_prepared();
    try {
        return compute_at_once(scene, request, before, progress);
    } catch (const gpu::PreparationError&) {
        // The second run starts from known scores, as after an edit.
        prepare([this, scene, request](Progress& own) {
            const Result first = compute(scene, request, nullptr, own);
            compute(scene, request, nullptr, own);
        });
        throw;
    }
}

void PreparedBackend::require_prepared() {
    const std::lock_guard lock(mutex_);
    if (const auto failure = std::exchange(failure_, std::nullopt)) throw WorkError(*failure);
}

void PreparedBackend::prepare(std::function<void(Progress&)> work) {
    if (state_.exchange(Preparation::under_way) == Preparation::under_way) return;
    const auto run = [this, work = std::move(work)] {
        try {
            work(progress_);
        } catch (const Cancellation&) {
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            try {
                failure_ = error.what();
            } catch (const std::bad_alloc&) {
                failure_.emplace();
            }
        }
        state_ = Preparation::done;
        state_.notify_all();
        if (when_prepared) when_prepared();
    };
    try {
        post(run);
    } catch (...) {
        state_ = Preparation::none;
        throw;
    }
}

bool PreparedBackend::take_prepared() {
    Preparation expected = Preparation::done;
    return state_.compare_exchange_strong(expected, Preparation::none);
}

void PreparedBackend::wait_while_preparing() { state_.wait(Preparation::under_way); }

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
    if (!begun_) throw gpu::PreparationError{};
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
