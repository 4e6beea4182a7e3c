#pragma once
// What a fact hangs on: a change of the scene, one decision of it, with which the fact fails.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/lesson/lesson.h"
#include "core/result/backend.h"

namespace maskscope {

// A failing side that misses by less is a matter of rounding; == and != are exact by intent.
inline constexpr double clear_miss = 1e-3;

// Changes with which the fact might fail, in the order in which they are worth a thought: apply,
// value, layers, scale, dtype, empty_rows, order, normalizer, score and output, each of every lane
// that the fact reads, then of all of these lanes together; then the inputs, the seed before the
// tokens. Not all of them leave a valid scene, and some change nothing.
std::vector<Fields> changes_to_try(const Scene& scene, const Fact& fact);

struct Failure {
    Fields fields;         // for fails_with
    Verdict verdict;       // of the fact with these set
    std::size_t next = 0;  // where the search goes on for another one
};

// The first change from `from` on with which the fact clearly fails. Nothing: no such change is
// known, and the fact is none. Cancelled by progress. The fact holds in the scene.
std::optional<Failure> find_failure(const Fact& fact, const Scene& scene, Backend& backend,
                                    const std::filesystem::path& folder, std::size_t from,
                                    Progress& progress);

}  // namespace maskscope
