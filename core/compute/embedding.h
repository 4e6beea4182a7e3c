#pragma once
// From the scene to the numbers that attention starts from.

#include <optional>

#include "core/attention/head_inputs.h"
#include "core/attention/precision.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace maskscope {

// The raw scores of one head of one sequence: `strength` where the pattern holds, else 0.
// [n_q, n_k]; 0 for `random`, whose numbers continue through the whole batch.
Matrix pattern_scores(const PatternHead& head, const TokenView& queries, const TokenView& keys);

// Inputs `output` are computed here, layer by layer. Throws Cancelled once progress.cancel is seen.
// replaced: the inputs if the token at this place of every sequence were another, ⁂; in
// cross-attention that of the keys. Only its embedding changes: to the masks a pad stays a pad.
BatchInputs make_inputs(const Scene& scene, Progress& progress,
                        std::optional<Index> replaced = std::nullopt);

}  // namespace maskscope
