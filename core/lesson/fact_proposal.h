#pragma once
// Proposes a fact about the numbers at an address, which the teacher can edit.

#include <vector>

#include "core/lesson/lesson.h"
#include "core/result/request.h"

namespace maskscope {

// The smallest and largest number at an address, ignoring NaN. The address exists in the result's
// scene and has no `with`.
struct Extent {
    double low = 0, high = 0;
    bool all_nan = false, some_nan = false;
};
Extent extent_of(const Result& result, const Address& address);

// Returns the most informative fact that holds in `result`, tried in this order: NaN; exactly 0 (or
// exactly the Boolean); near 1 for a share; clearly more or less than in one of the variants
// `others`; below or above a round number; "not 0" if no bound is possible because some entries are
// NaN or infinite. `says` and `fails_with` are left empty.
Fact propose_fact(const Result& result, const Address& address, const std::vector<int>& others);

// Returns the fact with another relation, adjusted to be valid: `than` is added (0), or removed for
// nan, and `within` is removed unless it is near.
Fact with_relation(Fact fact, Relation is);

}  // namespace maskscope
