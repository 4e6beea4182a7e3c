#pragma once
// Results of any length: above a limit no stage is kept, and rows are computed when they are read.

#include <memory>

#include "core/result/backend.h"

namespace maskscope {

// Half a GB of float32: beyond, a result is computed when it is read. Measured: an edit of a kept
// one shows sooner up to here; above, memory that is touched for the first time costs more than all
// else.
inline constexpr double most_numbers_kept = double(Index{1} << 27);

// Another backend. The stages, mask and figures of a result with more numbers than `most_kept` are
// those that it would keep, to the bit, but read through ComputedRows. Models and requests for some
// rows are always kept.
class LargeBackend : public Backend {
public:
    // of: not null. Computes rows in the thread that reads them, any one, and lives as long as the
    // results.
    explicit LargeBackend(std::shared_ptr<Backend> of, double most_kept = most_numbers_kept);
    // Wraps a CpuBackend.
    explicit LargeBackend(int threads = 0, double most_kept = most_numbers_kept);
    std::string name() const override { return of_->name(); }
    Result compute(const Scene& scene, const Request& request, const Result* before,
                   Progress& progress) override;

private:
    std::shared_ptr<Backend> of_;
    double most_kept_;
};

}  // namespace maskscope
