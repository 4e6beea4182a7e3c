#pragma once
// Compares results that have only some rows, or compute them when they are read, with whole ones.

#include <string>

#include "core/compute/backend.h"

namespace maskscope::golden {

// Returns "" or where the result of a request for rows (and a head) differs from the same rows of
// the whole result: in a bit, a label or a pad token, or because its numbers are not in memory. For
// a single head, the output `projected`, which needs all heads, is not compared.
std::string first_other_part(Backend& backend, const Result& whole, Request request);

// Returns the same result, with the statistics of all rows read if they were not kept.
Result with_figures(Result result);

// Fails unless `large`, which keeps no stage, equals `kept` when it is read, to the bit.
void expect_as_kept(Backend& kept, Backend& large, const Scene& scene);

}  // namespace maskscope::golden
