#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/result/result.h"

namespace maskscope {

struct Request {
    std::bitset<stage_count> stages = std::bitset<stage_count>().set();  // by StageKind, no depends
    std::vector<int> variants;                                           // empty = all
};

// Is the stage requested, and do these inputs have it?
bool wants(const Request& request, const Inputs& inputs, StageKind stage);
std::vector<int> lanes_of(const Request& request, const Scene& scene);  // those requested

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;
    // `before` is a result whose parts may be reused; nullptr is always allowed.
    // Throws WorkError if the scene does not fit in memory (before allocating), and Cancelled.
    virtual Result compute(const Scene& scene, const Request& request, const Result* before,
                           Progress& progress) = 0;
};

}  // namespace maskscope
