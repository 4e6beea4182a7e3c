#pragma once
// A variant against the mask of another one: what its own mask cannot say.

#include "core/result/result.h"

namespace maskscope {

struct ReferenceFigures {
    // Weight on keys that the reference blocks; NaN if the row is, and the reference blocks a key.
    double leak = 0;
    Index missing = 0;  // keys that the reference allows, and this variant blocks
};

// Of one row of a variant that has a reference, whose result has its weights. first: the query that
// the result's first row is.
ReferenceFigures reference_figures(const Result& result, int lane, Index b, Index h, Index i,
                                   Index first = 0);

// The keys that the reference of a lane allows for query i, [n_k]; empty without a reference.
std::vector<std::uint8_t> reference_row(const Result& result, int lane, Index b, Index h, Index i);

}  // namespace maskscope
