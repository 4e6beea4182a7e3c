#pragma once
// A fact proposed from what stands at an address; who teaches may change it.

#include <vector>

#include "core/lesson/lesson.h"
#include "core/result/backend.h"

namespace maskscope {

// The smallest and largest number that the entries of an address take, NaN apart. The address
// exists in the result's scene, and has no `with`.
struct Extent {
    double low = 0, high = 0;
    bool all_nan = false, some_nan = false;
};
Extent extent_of(const Result& result, const Address& address);

// What holds there and says most: NaN; exactly 0 (or a truth as it is); near 1 where that is a
// share; clearly more or less than in the first of `others` where it is so; else below or above a
// round number that is well away. It holds in result, without says and fails_with. Where entries
// disagree about NaN, or a single infinity leaves nothing to say, it is "not 0".
Fact propose_fact(const Result& result, const Address& address, const std::vector<int>& others);

// The fact with another relation or another right side, so that it is whole: a number to compare
// with where there was none, none with NaN, and no `within` but with near.
Fact with_relation(Fact fact, Relation is);

}  // namespace maskscope
