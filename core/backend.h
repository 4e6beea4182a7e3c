#pragma once

#include <atomic>
#include <bitset>
#include <string>
#include <vector>

#include "core/result.h"

namespace maskscope {

struct Request {
    std::bitset<stage_count> stages = std::bitset<stage_count>().set();  // by StageKind
    std::vector<int> variants;                                           // empty = all
};

// Shared by the worker that computes and the thread that shows it.
struct Progress {
    std::atomic<double> done = 0;  // 0 to 1
    std::atomic<bool> cancel = false;
};

struct Cancelled {};  // thrown by compute() once progress.cancel was seen

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;
    // `before` is a result whose parts may be reused; nullptr is always right.
    // Throws WorkError where the scene does not fit in memory (before allocating), and Cancelled.
    virtual Result compute(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) = 0;
};

}  // namespace maskscope
