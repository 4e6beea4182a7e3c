#pragma once
// The backends of a session, with the CPU as fallback for scenes that the GPU cannot compute.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/session/backends.h"
#include "core/compute/plain.h"
#include "core/result/difference.h"
#include "core/threads/turns.h"

namespace maskscope {

// What the session computes with. plain: the version that is read in class, stage after stage.
enum class ComputeWith { plain, cpu, gpu };

// The outcome of a computation: a result, a cancellation, or a one-line error.
struct Outcome {
    std::optional<Result> result;
    bool cancelled = false;
    std::string error;
    std::string fallback;  // why the CPU was used although the GPU was chosen
};

// The same scene on the other backend.
struct Comparison {
    std::string backend;  // that one's name
    double milliseconds = 0;
    std::vector<Timing> times;
    std::vector<StageDifference> differences;  // between it and what is shown
    bool cancelled = false;
    std::string error;  // one line, if it could not be computed
};

// Whether any stage is stored on the GPU.
bool is_remote(const Result& result);
// Whether what reads all its numbers is for another thread than the window's: not where they are on
// the GPU, which only that can read.
bool takes_long(const Result& result);

// The GPU of a session. Computes in the calling thread, any one: the threads take turns, and each
// has a current context in its turn. Rows of a long result that the GPU fails to compute are the
// CPU's, so that whoever reads them gets numbers; failure() says why, and the session goes on with
// the CPU.
class SharedGpu : public Backend {
public:
    // Call with the window's context current. Throws WorkError. cpu: not null.
    SharedGpu(const GpuOffer& offer, std::shared_ptr<Backend> cpu);
    std::string name() const override { return gpu_->name(); }
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress) override;

    // Why rows were the CPU's, since the last forget_failure(). Any thread.
    std::optional<std::string> failure() const;
    void forget_failure();
    void give_up(const std::string& why);  // from now on rows are the CPU's

private:
    Result on_gpu(const Scene& scene, const Request& request, const Result* before,
                  Progress& progress);

    std::shared_ptr<Backend> gpu_, cpu_;
    std::function<void(const std::function<void()>& work)> beside_;
    Turns turns_;
    mutable std::mutex mutex_;
    std::optional<std::string> failure_;
};

class Backends {
public:
    explicit Backends(std::unique_ptr<Backend> cpu) : cpu_(std::move(cpu)) {}

    void offer(GpuOffer gpu) { offer_ = std::move(gpu); }
    // The offer, on the UI thread, while no work is under way. Returns whether it was ever used.
    bool withdraw();
    const GpuOffer& offered() const { return offer_; }
    // Call on the UI thread. Throws WorkError without a GPU; the choice stays then.
    void choose(ComputeWith choice);
    ComputeWith chosen() const { return chosen_; }
    Backend& cpu() { return *cpu_; }

    // Computes all stages of all variants. If the GPU fails the CPU takes over, and `fallback` says
    // why. `before` is used if the same backend made it. Any thread. Does not throw.
    Outcome compute(ComputeWith with, const Scene& scene, const Result* before, Progress& progress);
    // Why the CPU computes rows of a long result of the GPU, if it does; any thread.
    std::optional<std::string> gpu_failure() const {
        return shared_gpu_ ? shared_gpu_->failure() : std::nullopt;
    }

    // Runs the work on the worker with access to the numbers of the result: those on the GPU need a
    // context. Throws what `work` throws, and WorkError.
    void beside(const Result& result, const std::function<void()>& work) const;

    // Creates the GPU backend, which compare() needs; call on the UI thread. Throws WorkError.
    void need_gpu();
    // Computes the scene of `shown` on the other of CPU and GPU, on the worker. Does not throw.
    Comparison compare(const Result& shown, Progress& progress);

private:
    std::shared_ptr<Backend> cpu_;
    std::shared_ptr<SharedGpu> shared_gpu_;
    std::unique_ptr<Backend> gpu_;  // results of any length, by shared_gpu_
    PlainBackend plain_;
    GpuOffer offer_;
    ComputeWith chosen_ = ComputeWith::cpu;
};

}  // namespace maskscope
