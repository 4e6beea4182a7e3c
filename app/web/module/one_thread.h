#pragma once
// Included before everything else in core.wasm: declares the parts of the standard library that the
// core uses, but that libc++ omits if there are no threads. With one thread, nothing ever waits,
// and no thread can be started.

#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#ifndef _LIBCPP_HAS_THREADS
#error "libc++'s configuration has changed: see what it calls threads now"
#endif
#if _LIBCPP_HAS_THREADS
#error "this libc++ has threads of its own"
#endif

namespace std {

class mutex {
public:
    void lock() {}
    void unlock() {}
    bool try_lock() { return true; }
};

class condition_variable {
public:
    void notify_one() {}
    void notify_all() {}
    template <class Lock, class Ready>
    void wait(Lock&, Ready) {}
};

class thread {
public:
    template <class... Work>
    explicit thread(const Work&...) {
        throw system_error(make_error_code(errc::resource_unavailable_try_again));
    }
    void join() {}
    static unsigned hardware_concurrency() { return 1; }
};
using jthread = thread;

}  // namespace std
