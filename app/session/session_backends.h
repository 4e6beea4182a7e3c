#pragma once
// The backends of a session, with the CPU as fallback for scenes that the GPU cannot compute.

#include <memory>
#include <optional>
#include <string>

#include "app/session/backends.h"
#include "core/compute/plain.h"
#include "core/result/difference.h"

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

class Backends {
public:
    explicit Backends(std::unique_ptr<Backend> cpu) : cpu_(std::move(cpu)) {}

    void offer(GpuOffer gpu) { offer_ = std::move(gpu); }
    const GpuOffer& offered() const { return offer_; }
    // Call on the UI thread. Throws WorkError without a GPU; the choice stays then.
    void choose(ComputeWith choice);
    ComputeWith chosen() const { return chosen_; }
    Backend& cpu() { return *cpu_; }

    // Computes all stages of all variants. If the GPU fails the CPU takes over, and `fallback` says
    // why. `before` is used if the same backend made it. beside: called on the worker rather
    // than the UI thread. Does not throw.
    Outcome compute(ComputeWith with, const Scene& scene, const Result* before, Progress& progress,
                    bool beside);

    // Runs the work on the worker with access to the numbers of the result: those on the GPU need a
    // context. Throws what `work` throws, and WorkError.
    void beside(const Result& result, const std::function<void()>& work) const;

    // Creates the GPU backend, which compare() needs; call on the UI thread. Throws WorkError.
    void need_gpu();
    // Computes the scene of `shown` on the other of CPU and GPU, on the worker. Does not throw.
    Comparison compare(const Result& shown, Progress& progress);

private:
    Result on_gpu(const Scene& scene, const Result* before, Progress& progress, bool beside);

    std::unique_ptr<Backend> cpu_, gpu_;
    PlainBackend plain_;
    GpuOffer offer_;
    ComputeWith chosen_ = ComputeWith::cpu;
};

}  // namespace maskscope
