#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/compute/backend.h"
#include "core/gl/gpu_thread.h"
#include "core/gpu/gpu_backend.h"

namespace maskscope {

// A backend that may have to prepare, for example compile GPU programs. Callers that can get the
// numbers elsewhere need not wait for that. All functions may be called from any thread.
class PreparedBackend : public Backend {
public:
    // Does what compute() does, but does not wait for preparation. If something has to be prepared
    // first, this throws gpu::PreparationError at once, and prepares for this call in the
    // background. Throws what require_prepared() throws.
    Result compute_prepared(const Scene& scene, const Request& request, const Result* before,
                            Progress& progress);
    // Throws WorkError, once, if the last preparation failed.
    void require_prepared();
    // Runs other work in the background, unless some is under way. An exception from it counts as a
    // failed preparation.
    void prepare(std::function<void(Progress&)> work);

    enum class Preparation { none, under_way, done };
    Preparation preparation() const { return state_; }
    bool take_prepared();  // true once after each preparation
    void wait_while_preparing();
    // Called in the background after each preparation. Set it before the first.
    std::function<void()> when_prepared;

    // Frees, in the background, the memory that it keeps for the next computation.
    virtual void rest() = 0;

protected:
    // Throws gpu::PreparationError.
    virtual Result compute_at_once(const Scene& scene, const Request& request, const Result* before,
                                   Progress& progress) = 0;
    virtual void post(std::function<void()> work) = 0;  // runs it in the background
    void cancel_preparation() { progress_.cancel = true; }

private:
    std::atomic<Preparation> state_ = Preparation::none;
    Progress progress_;
    std::mutex mutex_;
    std::optional<std::string> failure_;
};

// The GPU backend in the thread that owns the GPU. Any thread may compute, one after another, and
// read the results.
class ThreadedGpu : public PreparedBackend {
public:
    // Throws WorkError if the system cannot start another thread. Other failures, such as a missing
    // context, are thrown by the first computation.
    explicit ThreadedGpu(gpu::GpuThread::MakeContext make_context, GpuOptions options = {});
    ~ThreadedGpu() override;  // waits for the program that is being compiled
    std::string name() const override { return "gpu"; }
    void rest() override;

    // Runs the work in the thread of the GPU, with its backend. Throws what the work and the
    // constructor of GpuBackend throw.
    void run(const std::function<void(GpuBackend&)>& work);

private:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;
    Result compute_at_once(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) override;
    void post(std::function<void()> work) override;

    GpuOptions options_;
    std::optional<GpuBackend> backend_;       // made, used and destroyed in the thread
    std::atomic<bool> begun_ = false;         // true once backend_ exists
    std::atomic<bool> rests_ = false;         // true if the backend must rest before its next work
    std::shared_ptr<gpu::GpuThread> thread_;  // last: it uses the members above
};

}  // namespace maskscope
