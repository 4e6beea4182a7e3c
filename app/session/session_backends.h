#pragma once
// What a session computes with, and what becomes of a scene that the GPU cannot compute.

#include <memory>
#include <optional>
#include <string>

#include "app/session/backends.h"
#include "core/compute/plain.h"
#include "core/result/difference.h"

namespace maskscope {

// What the session computes with. plain: the version that is read in class, stage after stage.
enum class ComputeWith { plain, cpu, gpu };

// How a computation ended: a result, or that it was cancelled, or one line that says why not.
struct Outcome {
    std::optional<Result> result;
    bool cancelled = false;
    std::string error;
    std::string fallback;  // why the CPU computed although the GPU was chosen
};

// The same scene on the other backend.
struct Comparison {
    std::string backend;  // that one's name
    double milliseconds = 0;
    std::vector<Timing> times;
    std::vector<StageDifference> differences;  // between it and what is shown
    bool cancelled = false;
    std::string error;  // one line, where it could not be computed
};

// Does a stage stand on the graphics card?
bool is_remote(const Result& result);

class Backends {
public:
    explicit Backends(std::unique_ptr<Backend> cpu) : cpu_(std::move(cpu)) {}

    void offer(GpuOffer gpu) { offer_ = std::move(gpu); }
    const GpuOffer& offered() const { return offer_; }
    // In the thread that draws. Throws WorkError where there is no GPU; the choice stays then.
    void choose(ComputeWith choice);
    ComputeWith chosen() const { return chosen_; }
    Backend& cpu() { return *cpu_; }

    // All stages of all variants, and never nothing because of the GPU: the CPU goes on, and
    // `fallback` says so. `before` is used where the same backend made it. beside: in another
    // thread than the one that draws. Throws nothing.
    Outcome compute(ComputeWith with, const Scene& scene, const Result* before, Progress& progress,
                    bool beside);

    // Runs the work beside the thread that draws, where the numbers of the result can be read:
    // those on the GPU need a context. Throws what `work` throws, and WorkError.
    void beside(const Result& result, const std::function<void()>& work) const;

    // Makes what compare() needs; in the thread that draws. Throws WorkError.
    void prepare_comparison();
    // Computes the scene of `shown` on the other of CPU and GPU. In the worker. Throws nothing.
    Comparison compare(const Result& shown, Progress& progress);

private:
    void need_gpu();
    Result on_gpu(const Scene& scene, const Result* before, Progress& progress, bool beside);

    std::unique_ptr<Backend> cpu_, gpu_;
    PlainBackend plain_;
    GpuOffer offer_;
    ComputeWith chosen_ = ComputeWith::cpu;
};

}  // namespace maskscope
