#pragma once
// One piece of work at a time, beside the thread that draws.

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "core/base/progress.h"

namespace maskscope {

class BackgroundWork {
public:
    BackgroundWork() = default;
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;
    ~BackgroundWork();  // cancels, and waits for the end

    // Not while active(). `work` throws nothing; what it writes may be read after join(). wake is
    // called from the worker's thread at the end (may be empty).
    void start(std::function<void(Progress&)> work, std::function<void()> wake);
    bool active() const { return thread_.joinable(); }  // started, and not joined yet
    bool finished_within(std::chrono::milliseconds time) const;
    bool finished() const { return finished_within(std::chrono::milliseconds(0)); }
    double progress() const { return active() ? progress_->done.load() : 0; }
    void cancel();
    bool cancelled() const { return active() && progress_->cancel; }
    void join();  // waits for the end

private:
    std::thread thread_;
    std::unique_ptr<Progress> progress_;
    std::future<void> done_;
};

}  // namespace maskscope
