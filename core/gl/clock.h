#pragma once
// Measures the parts of a computation.

#include <chrono>
#include <string>
#include <vector>

#include "core/result/result.h"

namespace maskscope::gpu {

// The times of passes, in the order in which they first came. The GPU runs asynchronously: its
// passes are timed by queries of its own clock, read at the end.
class Clock {
public:
    explicit Clock(bool software) : software_(software) {}
    ~Clock();
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;

    void on_cpu(const std::string& what);  // from the last call of any of these until now
    void on_gpu(const std::string& what);  // dispatched since then
    std::vector<Timing> times();           // waits for the GPU

private:
    void add(const std::string& what, double milliseconds);
    unsigned query_time();

    struct Pass {
        std::string what;
        unsigned start, end;  // queries
    };
    bool software_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    unsigned last_query_ = 0;
    std::vector<unsigned> queries_;
    std::vector<Pass> passes_;
    std::vector<Timing> times_;
};

}  // namespace maskscope::gpu
