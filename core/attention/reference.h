#pragma once
// A variant against the mask of another one: what its own mask cannot say.

#include <memory>

#include "core/result/result.h"

namespace maskscope {

struct ReferenceFigures {
    // Weight on keys that the reference blocks; NaN if the row is, and the reference blocks a key.
    double leak = 0;
    Index missing = 0;  // keys that the reference allows, and this variant blocks
};

// Compares one row with that of the variant's reference, whose result has its weights. first: the
// query of the result's first row.
ReferenceFigures reference_figures(const Result& result, int lane, Index b, Index h, Index i,
                                   Index first = 0);

// The cells that the reference of a lane allows, by its rules; it may be a variant that was not
// asked for.
class ReferenceMask {
public:
    // The lane has a reference.
    ReferenceMask(const Result& result, int lane);
    // The keys that it allows for query i, [n_k].
    std::vector<std::uint8_t> row(Index b, Index h, Index i) const;
    // One of them; those of the last row are kept.
    bool allows(Index b, Index h, Index i, Index j) const;
    // The same mask, whose sequence 0, head 0 and query 0 are these.
    ReferenceMask from(Index b, Index h, Index i) const;
    bool operator==(const ReferenceMask& other) const;

private:
    struct LastRow;
    Scene scene_;  // without its variants, and what says nothing of the mask
    std::vector<MaskLayer> layers_;
    Shape shape_;
    Index b_ = 0, h_ = 0, i_ = 0;
    std::shared_ptr<LastRow> last_;
};

// nullptr if the lane has no reference.
std::shared_ptr<const ReferenceMask> reference_of(const Result& result, int lane);
// Either may be null.
bool is_same(const std::shared_ptr<const ReferenceMask>& x,
             const std::shared_ptr<const ReferenceMask>& y);

}  // namespace maskscope
