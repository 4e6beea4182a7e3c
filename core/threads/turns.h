#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace maskscope {

// A mutex that threads get in the order in which they requested it, so that a thread that takes it
// repeatedly does not keep others out.
class Turns {
public:
    void lock() {
        std::unique_lock lock(mutex_);
        const std::uint64_t own = asked_++;
        changed_.wait(lock, [&] { return given_ == own; });
    }
    void unlock() {
        const std::lock_guard lock(mutex_);
        ++given_;
        changed_.notify_all();
    }

    std::uint64_t asked() {  // how often threads have requested it, since the start
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t asked_ = 0, given_ = 0;
};

}  // namespace maskscope
