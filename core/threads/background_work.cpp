#include "core/threads/background_work.h"

namespace maskscope {

BackgroundWork::~BackgroundWork() {
    cancel();
    if (active()) join();
}

void BackgroundWork::start(std::function<void(Progress&)> work, std::function<void()> wake) {
    progress_ = std::make_unique<Progress>();
    std::promise<void> done;
    done_ = done.get_future();
    thread_ = std::thread([progress = progress_.get(), work = std::move(work),
                           wake = std::move(wake), done = std::move(done)]() mutable {
        work(*progress);
        done.set_value();
        if (wake) wake();
    });
}

bool BackgroundWork::finished_within(std::chrono::milliseconds time) const {
    return active() && done_.wait_for(time) == std::future_status::ready;
}

void BackgroundWork::cancel() {
    if (active()) progress_->cancel = true;
}

void BackgroundWork::join() { thread_.join(); }

}  // namespace maskscope
