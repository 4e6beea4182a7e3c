#pragma once
// The gradient view: how much the weights of a row depend on the score of one key.

#include "core/base/matrix.h"
#include "core/scene/scene.h"

namespace maskscope {

// Returns sensitivity_ij = Σ_k |∂weights_ik / ∂scaled_ij|, the formal derivative, from the rounded
// softmax and the rounded weights before empty rows were zeroed; all [rows, n_k], not rounded
// itself. It is 0 for a score that the mask replaced or multiplied by 0, and 0 in an empty row
// under the policy `zero`. Otherwise a NaN weight makes its whole row NaN, but with a sigmoid only
// its own cell. slope: the derivative of a softcap (see mask.h), by which all is multiplied, or
// empty.
Matrix sensitivity(const Variant& variant, const Matrix& softmax, const Matrix& weights,
                   const Matrix& slope, const Allowed& allowed);

}  // namespace maskscope
