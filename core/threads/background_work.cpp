#include "core/threads/background_work.h"

namespace maskscope {

BackgroundWork::~BackgroundWork() {
    cancel();
    if (active()) thread_.join();
}

void BackgroundWork::run(std::function<void(Progress&)> work, std::function<void()> wake) {
    work_ = std::move(work);
    wake_ = std::move(wake);
    progress_ = std::make_unique<Progress>();
    std::promise<void> done;
    done_ = done.get_future();
    thread_ = std::thread([this, done = std::move(done)]() mutable {
        try {
            work_(*progress_);
        } catch (...) {
            error_ = std::current_exception();
        }
        done.set_value();
        if (wake_) wake_();
    });
}

bool BackgroundWork::finished_within(std::chrono::nanoseconds time) const {
    return active() && done_.wait_for(time) == std::future_status::ready;
}

void BackgroundWork::cancel() {
    if (active()) progress_->cancel = true;
}

void BackgroundWork::join() {
    thread_.join();
    work_ = nullptr;
    const auto take = std::exchange(take_, nullptr);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    take();
}

}  // namespace maskscope
