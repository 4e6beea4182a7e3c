#pragma once
// The thread that owns the GPU: it makes a context current once, for as long as it lives.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace maskscope::gpu {

class GpuThread {
public:
    // A function that makes a context current in the calling thread, and returns an object that
    // keeps it current; the same thread releases it. Throws WorkError.
    using MakeContext = std::function<std::shared_ptr<void>()>;

    // make: called in the new thread, before the first work. Throws WorkError if the system cannot
    // start another thread.
    explicit GpuThread(MakeContext make);
    ~GpuThread();
    GpuThread(const GpuThread&) = delete;
    GpuThread& operator=(const GpuThread&) = delete;

    // Runs the work in this thread, after earlier work of other threads, and returns when it and
    // the GPU are done, so that other contexts may read the results. Runs the work directly if
    // called from this thread. Throws what the work throws, and WorkError if there is no context.
    void run(const std::function<void()>& work);
    bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
    // Runs the work in this thread as soon as no caller waits for run(). It must not throw, and is
    // dropped when the thread ends.
    void post(std::function<void()> work);
    // Waits for the work of calls of run() and ends the thread. Later calls of run() are refused,
    // and posted work is dropped. Call at most once.
    void stop();

private:
    struct WaitingCall {
        const std::function<void()>* work;
        std::exception_ptr error;
        bool done = false;
    };
    void serve();
    void serve_one(std::unique_lock<std::mutex>& lock);

    MakeContext make_;
    std::mutex mutex_;
    std::condition_variable changed_, done_;
    std::deque<WaitingCall*> waiting_;
    std::deque<std::function<void()>> posted_;
    bool stops_ = false;
    std::exception_ptr no_context_;
    std::thread thread_;  // last: it uses the members above
};

}  // namespace maskscope::gpu
