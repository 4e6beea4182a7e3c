#pragma once
// Computes weights from the logits of a row.

#include <optional>

#include "core/base/matrix.h"
#include "core/scene/scene.h"

namespace maskscope {

// Normalizes each row of logits [rows, n_k]; not rounded. softmax: e^x / Σ e^x, softmax_sink: e^x /
// (e^s + Σ e^x), softmax_plus_one: the same with s = 0, all after subtracting the row's maximum
// (the larger of it and s). A row with a NaN or +inf is NaN throughout; a row of only −inf is NaN
// with softmax, and 0 with a sink. A key at −inf gets exactly 0 in any other row. sigmoid: 1 / (1 +
// e^−x), each cell on its own. sink: s, see sink_of().
Matrix normalize(Normalizer normalizer, std::optional<double> sink, const Matrix& logits);

// --- the gradient view: how much the weights of a row depend on the score of one key

// Returns sensitivity_ij = Σ_k |∂weights_ik / ∂scaled_ij|, the formal derivative, from the rounded
// softmax and the rounded weights before empty rows were zeroed; all [rows, n_k], not rounded
// itself. It is 0 for a score that the mask replaced or multiplied by 0, and 0 in an empty row
// under the policy `zero`. Otherwise a NaN weight makes its whole row NaN, but with a sigmoid only
// its own cell. slope: the derivative of a softcap (see mask.h), by which everything is multiplied;
// may be empty.
Matrix sensitivity(const Variant& variant, const Matrix& softmax, const Matrix& weights,
                   const Matrix& slope, const Allowed& allowed);

}  // namespace maskscope
