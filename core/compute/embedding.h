#pragma once
// Makes the numbers that attention starts from out of a scene.

#include <optional>

#include "core/attention/head_inputs.h"
#include "core/attention/precision.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns the raw scores of one head of one sequence: `strength` where the pattern holds, else 0.
// [n_q, n_k]; 0 for `random`, whose numbers continue through the whole batch.
Matrix pattern_scores(const PatternHead& head, const TokenView& queries, const TokenView& keys);

// Computes the inputs; inputs `output` layer by layer. Throws Cancelled once progress.cancel is
// seen. replaced: replaces the token at this place of every sequence by ⁂; in cross-attention, the
// keys' token. Only its embedding changes: for the masks a pad stays a pad.
BatchInputs make_inputs(const Scene& scene, Progress& progress,
                        std::optional<Index> replaced = std::nullopt);

}  // namespace maskscope
