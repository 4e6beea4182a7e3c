#include "core/threads/idle.h"

namespace maskscope {

Idle::Idle(std::chrono::milliseconds after, std::function<void()> work)
    : after_(after), work_(std::move(work)), thread_([this] { watch(); }) {}

Idle::~Idle() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Idle::busy() {
    const std::lock_guard lock(mutex_);
    if (!due_) changed_.notify_one();  // else it wakes by itself, and sees that it is early
    due_ = Clock::now() + after_;
}

void Idle::watch() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
        if (!due_) {
            changed_.wait(lock);
        } else if (const Clock::time_point due = *due_; Clock::now() < due) {
            changed_.wait_until(lock, due);
        } else {
            due_.reset();
            work_();
        }
    }
}

}  // namespace maskscope
