#pragma once
// Proposes a fact about the numbers at an address, which the teacher can edit.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/compute/backend.h"
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

// Returns the first of these facts that holds in `result`: all entries are NaN; not 0, if some are
// NaN; exactly 0 (or exactly the Boolean); if some are infinite, a bound on the finite side, or not
// 0 without such a side; near 1, for a share; clearly more or less than in one of the variants
// `others`; below or above a round number; not 0. `says` and `fails_with` are left empty.
Fact propose_fact(const Result& result, const Address& address, const std::vector<int>& others);

// Returns the fact with another relation, adjusted to be valid: `than` is added (0), or removed for
// nan, and `within` is removed unless the relation is near.
Fact with_relation(Fact fact, Relation is);

// --- what a fact depends on: a change of one decision in the scene that makes the fact fail

// The least margin of a clear failure. A fact that fails by less fails only by rounding; == and !=
// are meant exactly.
inline constexpr double clear_miss = 1e-3;

// Returns changes that might make the fact fail, the most instructive first: apply, value, layers,
// scale, dtype, empty_rows, order, normalizer, score and output, in each variant that the fact
// reads, then in all these variants together; then the inputs, the seed before the tokens. Some
// leave an invalid scene, and some change nothing.
std::vector<Fields> changes_to_try(const Scene& scene, const Fact& fact);

struct Failure {
    Fields fields;         // for fails_with
    Verdict verdict;       // the verdict on the fact with these fields set
    std::size_t next = 0;  // the `from` with which to continue the search
};

// Returns the first change at index `from` or later with which the fact clearly fails; nullopt if
// there is none. The fact must hold in the scene. Throws Cancellation.
std::optional<Failure> find_failure(const Fact& fact, const Scene& scene, Backend& backend,
                                    const SceneSources& sources, std::size_t from,
                                    Progress& progress);

}  // namespace maskscope
