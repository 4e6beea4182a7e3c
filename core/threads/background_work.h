#pragma once
// Runs one piece of work at a time on a background thread.

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/progress.h"

namespace maskscope {

class BackgroundWork {
public:
    BackgroundWork() = default;
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;
    ~BackgroundWork();  // cancels, and waits for the end; the result is not taken

    // Starts work; not while active(). work(progress) runs in a thread of its own; join() passes
    // its result to take(), or throws what it threw. Work, take and the result are freed in the
    // thread that joins. wake is called from the worker's thread at the end (may be empty).
    template <class Work, class Take>
    void start(Work work, Take take, const std::function<void()>& wake) {
        using Outcome = decltype(work(std::declval<Progress&>()));
        auto made = std::make_shared<std::optional<Outcome>>();
        take_ = [made, take = std::move(take)]() mutable { take(std::move(**made)); };
        run([made, work = std::move(work)](Progress& progress) { made->emplace(work(progress)); },
            wake);
    }
    bool active() const { return thread_.joinable(); }  // started, and not joined yet
    bool finished_within(std::chrono::nanoseconds time) const;
    bool finished() const { return finished_within(std::chrono::nanoseconds(0)); }
    double progress() const { return active() ? progress_->done.load() : 0; }
    void cancel();
    bool cancelled() const { return progress_ && progress_->cancel; }  // also in take()
    void join();  // waits for the end, and takes the result

private:
    void run(std::function<void(Progress&)> work, std::function<void()> wake);

    std::function<void(Progress&)> work_;
    std::function<void()> take_, wake_;
    std::unique_ptr<Progress> progress_;
    std::exception_ptr error_;
    std::future<void> done_;
    std::thread thread_;
};

}  // namespace maskscope
