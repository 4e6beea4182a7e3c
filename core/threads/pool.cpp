#include "core/threads/pool.h"

#include <algorithm>

namespace maskscope {

int machine_threads(int most) {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most);
}

Pool::Pool(int threads) {
    others_.reserve(static_cast<std::size_t>(threads - 1));
    try {
        for (int thread = 1; thread < threads; ++thread)
            others_.emplace_back([this, thread] { wait_for_work(thread); });
    } catch (const std::exception&) {  // the threads that did start do the work
    }
}

Pool::~Pool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    begun_.notify_all();
    for (std::thread& other : others_) other.join();
}

void Pool::wait_for_work(int thread) {
    std::size_t seen = 0;
    for (;;) {
        Run run;
        {
            std::unique_lock lock(mutex_);
            begun_.wait(lock, [&] { return stop_ || runs_ != seen; });
            if (stop_) return;
            seen = runs_;
            run = run_;
        }
        work_on(run, thread);
        const std::lock_guard lock(mutex_);
        if (--busy_ == 0) ended_.notify_one();
    }
}

std::size_t Pool::take_part() {
    const std::lock_guard lock(mutex_);
    return next_++;
}

void Pool::work_on(const Run& run, int thread) {
    const bool fixed = run.shares == Shares::fixed;
    try {
        std::size_t part = fixed ? static_cast<std::size_t>(thread) : take_part();
        while (part < run.parts && !failed_) {
            (*run.work)(part, thread);
            part = fixed ? part + static_cast<std::size_t>(threads()) : take_part();
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        failed_ = true;
    }
}

void Pool::run(std::size_t parts, Shares shares, const Work& work) {
    const Run run{&work, parts, shares};
    {
        const std::lock_guard lock(mutex_);
        run_ = run;
        next_ = 0;
        error_ = nullptr;
        failed_ = false;
        busy_ = parts > 1 ? static_cast<int>(others_.size()) : 0;
        if (busy_ > 0) ++runs_;
    }
    if (parts > 1) begun_.notify_all();
    if (parts <= 1 && parts > 0) {
        work(0, 0);
        return;
    }
    work_on(run, 0);
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return busy_ == 0; });
    if (error_) std::rethrow_exception(error_);
}

}  // namespace maskscope
