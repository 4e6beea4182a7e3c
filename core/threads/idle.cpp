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

Idle::Busy::Busy(Idle& idle) : idle_(idle) {
    const std::lock_guard lock(idle_.mutex_);
    ++idle_.busy_;
}

Idle::Busy::~Busy() {
    const std::lock_guard lock(idle_.mutex_);
    --idle_.busy_;
    // If a time is already set, the thread wakes then, and sees that it has to wait longer.
    if (!idle_.due_) idle_.changed_.notify_one();
    idle_.due_ = Clock::now() + idle_.after_;
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
            if (busy_ > 0) continue;  // the end of that work sets another time
            lock.unlock();
            work_();
            lock.lock();
        }
    }
}

}  // namespace maskscope
