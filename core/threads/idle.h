#pragma once
// Runs a function once nothing has been computed for a while.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace maskscope {

class Idle {
public:
    // Calls work() in a thread of its own once nothing has been Busy for this long; once each time.
    // work() may still be running when the next Busy begins.
    Idle(std::chrono::milliseconds after, std::function<void()> work);
    Idle(const Idle&) = delete;
    Idle& operator=(const Idle&) = delete;
    ~Idle();  // waits for work() if it is running, but not for the time to pass

    // Hold one while computing. Any thread, any number at a time; neither its construction nor its
    // end waits for work.
    class Busy {
    public:
        explicit Busy(Idle& idle);
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        ~Busy();

    private:
        Idle& idle_;
    };

private:
    using Clock = std::chrono::steady_clock;
    void watch();

    const std::chrono::milliseconds after_;
    const std::function<void()> work_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int busy_ = 0;
    std::optional<Clock::time_point> due_;  // nullopt: nothing to do, asleep
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace maskscope
