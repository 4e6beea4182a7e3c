#pragma once
// The rows of a large result, which are computed again on reading instead of being stored.

#include "core/base/progress.h"
#include "core/result/request.h"

namespace maskscope {

class ComputedRows {
public:
    virtual ~ComputedRows() = default;
    // Returns the statistics of one row, which is computed unless they are known. Any thread.
    // Throws WorkError.
    virtual RowFigures figures(Index b, Index h, Index i) const = 0;
    // Returns the statistics if they are known, nullopt if the row was not computed yet. Returns at
    // once.
    virtual std::optional<RowFigures> known_figures(Index b, Index h, Index i) const = 0;
    // Returns some rows of one head, as Request.rows and .head do; the output `projected` is that
    // of all heads. Any thread. Throws Cancelled, WorkError.
    virtual VariantResult block(Index b, Index h, Rows rows, const std::bitset<stage_count>& stages,
                                Progress& progress) const = 0;
    // True for x − y of two variants: float64, without a mask, pads and statistics.
    virtual bool is_difference() const { return false; }
};

}  // namespace maskscope
