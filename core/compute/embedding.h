#pragma once
// Makes, from a scene, the numbers that attention starts from.

#include <optional>

#include "core/attention/head_inputs.h"
#include "core/attention/precision.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns the raw scores of one head of one sequence: `strength` where the pattern holds, else 0.
// [n_q, n_k]; all 0 for `random`, because its numbers are drawn in one stream for the whole batch.
Matrix pattern_scores(const PatternHead& head, const TokenView& queries, const TokenView& keys);

// Computes the inputs; those of kind `output` layer by layer. Throws Cancellation once it sees
// progress.cancel. replaced: the index of a token that ⁂ replaces in every sequence; in
// cross-attention, of a key. Only its embedding changes: for the masks, a pad token stays a pad
// token.
BatchInputs make_inputs(const Scene& scene, Progress& progress,
                        std::optional<Index> replaced = std::nullopt);

}  // namespace maskscope
