#pragma once

#include <memory>

#include "core/result/backend.h"

namespace maskscope {

// The fast CPU backend: the stages of some rows of one head at a time, while they stay in cache,
// over heads and blocks of rows on a pool of threads, with the widest vector instructions that the
// machine has. Agrees with PlainBackend exactly in NaN, infinities and empty rows, and within the
// rounding of the dtype in numbers.
class CpuBackend : public Backend {
public:
    // threads: 1 to 256; 0 = as many as the machine has.
    explicit CpuBackend(int threads = 0);
    ~CpuBackend() override;
    std::string name() const override { return "cpu"; }
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress) override;

    struct State;

private:
    std::unique_ptr<State> state_;
};

}  // namespace maskscope
