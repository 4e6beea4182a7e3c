#pragma once
// Computes generation step by step: the weights of each token when only its row is computed, from
// the cached keys of the tokens before it and from its own key.

#include "core/attention/head_inputs.h"
#include "core/base/progress.h"
#include "core/result/result.h"

namespace maskscope {

// True for self-attention over embedding, tensors, scores or patterns.
bool has_decode(const Scene& scene);

// Returns one variant's weights, token by token, [b, h, n, n]: row t is the row of token t with n_q
// = 1 and n_k = t + 1, and 0 beyond t. Everything that depends on n_q, n_k or the alignment uses
// these sizes: with top_left the query attends only to key 0, and √n_k is √(t + 1). Rules that list
// cells or tokens act as in row t of the full mask. inputs: those of the scene, for which
// has_decode() holds. Throws Cancellation.
Stage decode_of(const Scene& scene, const BatchInputs& inputs, int index, Progress& progress);

}  // namespace maskscope
