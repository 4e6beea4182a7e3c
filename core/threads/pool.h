#pragma once
// Threads that sleep until there is work that falls into independent parts.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace maskscope {

// Returns how many threads to use: one for each core of the machine, from 1 to `most`.
int machine_threads(int most);

class Pool {
public:
    // threads: at least 1, including the thread that calls run(). There are fewer if the system
    // cannot start as many.
    explicit Pool(int threads);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    int threads() const { return static_cast<int>(others_.size()) + 1; }
    // The way in which threads get parts: each takes the next part that is left, or gets the same
    // parts in every run (so that the memory of these parts is near the thread).
    enum class Shares { next, fixed };
    using Work = std::function<void(std::size_t part, int thread)>;
    // Calls work(part, thread) for each part from 0 on, in any order, in all threads; returns when
    // all are done. The first exception of a part is thrown here, once the others have ended; parts
    // that had not begun are left out. One run at a time.
    void run(std::size_t parts, Shares shares, const Work& work);

private:
    struct Run {
        const Work* work = nullptr;
        std::size_t parts = 0;
        Shares shares = Shares::next;
    };
    void wait_for_work(int thread);
    void work_on(const Run& run, int thread);
    std::size_t take_part();

    std::mutex mutex_;
    std::condition_variable begun_, ended_;
    Run run_;
    std::size_t next_ = 0;  // the next part; guarded by mutex_ like everything below
    std::size_t runs_ = 0;  // runs so far in which other threads took part
    int busy_ = 0;          // other threads that have not ended this run
    std::exception_ptr error_;
    std::atomic<bool> failed_ = false;  // true if error_ is set; read without mutex_
    bool stop_ = false;
    std::vector<std::thread> others_;
};

}  // namespace maskscope
