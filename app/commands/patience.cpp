#include "app/commands/patience.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <iostream>

#include "core/base/progress.h"

namespace maskscope {

namespace {

// True if the process got less than half of a core in this time. Then the machine is busy, and the
// time that has passed does not show that the command itself is slow.
bool is_crowded(std::chrono::seconds wall) {
    return double(std::clock()) / CLOCKS_PER_SEC < double(wall.count()) / 2;
}

}  // namespace

Patience::Patience(const std::string& work) : work_(work) {
    try {
        thread_ = std::thread([this] { wait(); });
    } catch (
        const std::system_error&) {  // could not start the thread: run without progress messages
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
        while (steady_clock::now() - start < 4 * after && is_crowded(after))
            if (changed_.wait_for(lock, milliseconds(200), [&] { return done_; })) return;
        const double done = command_progress().whole();
        const std::string share =
            done > 0 && done < 1 ? fmt::format("{:.0f}%", 100 * done) : std::string("in progress");
        std::cerr << fmt::format("maskscope: {}: {} after {} s (Ctrl+C cancels)\n", work_, share,
                                 duration_cast<seconds>(steady_clock::now() - start).count());
    }
}

}  // namespace maskscope
