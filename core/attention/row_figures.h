#pragma once
// Computes the statistics of one row of weights.

#include <cstdint>
#include <memory>

#include "core/base/matrix.h"
#include "core/result/result.h"

namespace maskscope {

// Computes the statistics of row i from the rounded weights, the sensitivity and the rounded logits
// (the last two empty if the inputs have none), all [rows, n_k]; pads [n_k], 1 if the key is a pad
// token.
RowFigures row_figures(const Matrix& weights, const Matrix& sensitivity, const Matrix& logits,
                       const Allowed& allowed, const std::uint8_t* pads, Index i);

// The statistics of a row that compare it with the mask of the variant's reference. They show
// faults that the variant's own mask cannot show.
struct ReferenceFigures {
    // Weight on keys that the reference blocks; NaN if the row has a NaN and the reference blocks a
    // key.
    double leak = 0;
    Index missing = 0;  // keys that the reference allows, and this variant blocks
};

// Compares one row with the mask of the variant's reference. The result must have the variant's
// weights. first: the query of the result's first row.
ReferenceFigures reference_figures(const Result& result, int index, Index b, Index h, Index i,
                                   Index first = 0);

// The cells that the reference of a variant allows, by its rules. The reference need not be among
// the requested variants.
class ReferenceMask {
public:
    // Makes the mask of a variant's reference, which must exist.
    ReferenceMask(const Result& result, int variant);
    // Returns the keys that the reference allows for query i, [n_k].
    std::vector<std::uint8_t> row(Index b, Index h, Index i) const;
    // True if the reference allows this cell. The row of the last call is cached.
    bool allows(Index b, Index h, Index i, Index j) const;
    // Returns the same mask, counted from this sequence, head and query.
    ReferenceMask from(Index b, Index h, Index i) const;
    bool operator==(const ReferenceMask& other) const;

private:
    struct LastRow;
    Scene scene_;  // without its variants, and without everything that does not affect the mask
    std::vector<MaskLayer> layers_;
    Shape shape_;
    Index b_ = 0, h_ = 0, i_ = 0;
    std::shared_ptr<LastRow> last_;
};

// Returns the mask of a variant's reference; nullptr if it has no reference.
std::shared_ptr<const ReferenceMask> reference_of(const Result& result, int variant);
// True if the masks are equal; either may be null.
bool is_same(const std::shared_ptr<const ReferenceMask>& x,
             const std::shared_ptr<const ReferenceMask>& y);

}  // namespace maskscope
