#pragma once

#include <atomic>
#include <optional>

#include "core/gl/gpu_thread.h"
#include "core/gpu/gpu_backend.h"
#include "core/gpu/prepared_backend.h"

namespace maskscope {

// The GPU backend in the thread that owns the GPU. Any thread may compute, one after another, and
// read the results.
class ThreadedGpu : public PreparedBackend {
public:
    // Throws WorkError if the system starts no more threads. Other failures, such as a missing
    // context, are thrown by the first computation.
    explicit ThreadedGpu(gpu::GpuThread::MakeContext make_context, GpuOptions options = {});
    ~ThreadedGpu() override;  // waits for the program that is being compiled
    std::string name() const override { return "gpu"; }
    void rest() override;

    // Runs the work in the thread of the GPU, with its backend. Throws what the work throws, and
    // WorkError as the constructor of GpuBackend.
    void run(const std::function<void(GpuBackend&)>& work);

private:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;
    Result compute_at_once(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) override;
    void post(std::function<void()> work) override;

    GpuOptions options_;
    std::optional<GpuBackend> backend_;       // made, used and destroyed in the thread
    std::atomic<bool> begun_ = false;         // backend_ is there
    std::atomic<bool> rests_ = false;         // it must, before it goes on
    std::shared_ptr<gpu::GpuThread> thread_;  // last: it uses the members above
};

}  // namespace maskscope
