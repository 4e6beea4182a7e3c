#pragma once
// Computes influence: how the outputs change when one token is replaced by another.

#include <vector>

#include "core/base/progress.h"
#include "core/result/result.h"

namespace maskscope {

// Returns the stage `depends` of every variant, by the reference implementation: [b, 1, n_q, n_k].
// depends_ij is the largest |change| of a component of the output of query i, over all heads, when
// token j becomes ⁂. In self-attention the token of both query and key is replaced, otherwise only
// that of the key; the mask stays as it is. Exactly 0 if no bit changes; NaN if a component is NaN
// before or after, but not both. The scene has the stage (has_stage). Throws Cancellation.
std::vector<Stage> depends_of(const Scene& scene, Progress& progress);

// Adds the stage `depends` to a result whose scene has this stage.
void add_depends(Result& result, Progress& progress);

}  // namespace maskscope
