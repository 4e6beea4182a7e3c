#include "core/gl/gpu_thread.h"

#include <epoxy/gl.h>

#include <system_error>

#include "core/base/error.h"

namespace maskscope::gpu {

GpuThread::GpuThread(MakeContext make) : make_(std::move(make)) {
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error&) {
        throw WorkError("could not start a thread");
    }
}

GpuThread::~GpuThread() {
    if (thread_.joinable()) stop();
}

void GpuThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void GpuThread::run(const std::function<void()>& work) {
    if (is_this_thread()) {
        if (no_context_) std::rethrow_exception(no_context_);
        return work();
    }
    WaitingCall own{&work, nullptr};
    {
        std::unique_lock lock(mutex_);
        if (stops_) throw WorkError("the OpenGL context was lost");
        waiting_.push_back(&own);
        changed_.notify_one();
        done_.wait(lock, [&] { return own.done; });
    }
    if (own.error) std::rethrow_exception(own.error);
}

void GpuThread::post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    changed_.notify_one();
}

// Does one piece of work: work that a caller waits for comes before posted work. The lock is free
// while the work runs.
void GpuThread::serve_one(std::unique_lock<std::mutex>& lock) {
    if (waiting_.empty()) {
        const std::function<void()> work = std::move(posted_.front());
        posted_.pop_front();
        lock.unlock();
        work();
        return lock.lock();
    }
    WaitingCall& next = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr error = no_context_;
    if (!error) try {
            (*next.work)();
            glFinish();
        } catch (...) {
            error = std::current_exception();
        }
    lock.lock();
    next.error = error;
    next.done = true;
    done_.notify_all();
}

void GpuThread::serve() {
    std::shared_ptr<void> context;
    try {
        context = make_();
    } catch (...) {
        no_context_ = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return stops_ || !waiting_.empty() || !posted_.empty(); });
        if (stops_ && waiting_.empty()) break;
        serve_one(lock);
    }
    posted_.clear();
}

}  // namespace maskscope::gpu
