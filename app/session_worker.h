#pragma once
// One computation at a time, beside the thread that draws.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/backend.h"

namespace maskscope {

// How a computation ended: a result, or that it was cancelled, or one line that says why not.
struct Outcome {
    std::optional<Result> result;
    bool cancelled = false;
    std::string error;
};

// All stages of all variants. Throws nothing.
Outcome compute_outcome(Backend& backend, const Scene& scene, const Result* before,
                        Progress& progress);

class Worker {
public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();  // cancels, and waits for the end

    // Not while active(). wake is called from the worker's thread at the end (may be empty).
    void start(Backend& backend, Scene scene, std::shared_ptr<const Result> before,
               std::function<void()> wake);
    bool active() const { return thread_.joinable(); }  // started, and not taken yet
    bool finished() const { return active() && done_; }
    double progress() const { return active() ? progress_->done.load() : 0; }
    void cancel();
    Outcome take();  // waits for the end

private:
    std::thread thread_;
    std::unique_ptr<Progress> progress_;
    std::atomic<bool> done_ = false;
    Outcome outcome_;  // the worker's until done_
};

// About how many numbers computing the scene takes: the cells of all stages and variants, layers
// before, and the seeded projections.
double numbers_to_compute(const Scene& scene);

}  // namespace maskscope
