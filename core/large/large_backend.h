#pragma once
// Results of any length: above a limit no stage is kept, and rows are computed when they are read.

#include <memory>

#include "core/compute/backend.h"

namespace maskscope {

// Half a GB of float32; larger results are computed when they are read. Measured: up to here an
// edit of a kept result shows sooner; above, memory that is touched for the first time costs more
// than everything else.
inline constexpr double most_numbers_kept = double(Index{1} << 27);

// Wraps another backend. The stages, mask and statistics of a result with more numbers than
// `most_kept` are the same, to the bit, but read through ComputedRows. Results of models and of
// requests for some rows are always kept.
class LargeBackend : public Backend {
public:
    // of: not null. It computes rows in whichever thread reads them, and lives as long as the
    // results.
    explicit LargeBackend(std::shared_ptr<Backend> of, double most_kept = most_numbers_kept);
    // Wraps a CpuBackend.
    explicit LargeBackend(int threads = 0, double most_kept = most_numbers_kept);
    std::string name() const override { return of_->name(); }

private:
    Result compute_scene(const Scene& scene, const Request& request, const Result* before,
                         Progress& progress) override;
    std::shared_ptr<Backend> of_;
    double most_kept_;
};

}  // namespace maskscope
