#pragma once

#include <memory>

#include "core/compute/backend.h"

namespace maskscope {

// The fast CPU backend: computes all stages of a few rows of one head at a time, while they are in
// cache, on a pool of threads and with the machine's widest vector instructions. It agrees with the
// reference implementation exactly in NaN, infinities and empty rows, otherwise within the dtype's
// rounding.
class CpuBackend : public Backend {
public:
    // threads: 1 to 256; 0 means one for each core.
    explicit CpuBackend(int threads = 0);
    ~CpuBackend() override;
    std::string name() const override { return "cpu"; }

    struct State;

protected:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;

private:
    std::unique_ptr<State> state_;
};

}  // namespace maskscope
