#pragma once
// Finds what a fact depends on: a change of one decision in the scene that makes the fact fail.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/compute/backend.h"
#include "core/lesson/lesson.h"

namespace maskscope {

// A fact that fails by less fails only by rounding; == and != are meant exactly.
inline constexpr double clear_miss = 1e-3;

// Returns changes that might make the fact fail, the most instructive first: apply, value, layers,
// scale, dtype, empty_rows, order, normalizer, score and output, in each variant that the fact
// reads, then in all these variants together; then the inputs, the seed before the tokens. Some
// leave an invalid scene, and some change nothing.
std::vector<Fields> changes_to_try(const Scene& scene, const Fact& fact);

struct Failure {
    Fields fields;         // for fails_with
    Verdict verdict;       // of the fact with these fields set
    std::size_t next = 0;  // the `from` with which to continue the search
};

// Returns the first change at index `from` or later with which the fact clearly fails; nullopt if
// there is none. The fact must hold in the scene. Throws Cancelled.
std::optional<Failure> find_failure(const Fact& fact, const Scene& scene, Backend& backend,
                                    const SceneSources& sources, std::size_t from,
                                    Progress& progress);

}  // namespace maskscope
