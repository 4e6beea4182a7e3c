#include "app/commands/patience.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "core/base/progress.h"

namespace maskscope {

Patience::Patience(const std::string& work) : work_(work) {
    try {
        thread_ = std::thread([this] { wait(); });
    } catch (const std::system_error&) {  // no room for a thread: nothing is told
    }
}

Patience::~Patience() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Patience::wait() {
    using namespace std::chrono;
    const auto start = steady_clock::now();
    std::unique_lock lock(mutex_);
    for (seconds after(2);; after *= 4) {
        if (changed_.wait_until(lock, start + after, [&] { return done_; })) return;
        const double done = command_progress().done;
        const std::string share =
            done > 0 && done < 1 ? fmt::format("{:.0f} %", 100 * done) : std::string("at work");
        std::cerr << fmt::format("maskscope: {}: {} after {} s (Ctrl+C ends it)\n", work_, share,
                                 after.count());
    }
}

}  // namespace maskscope
