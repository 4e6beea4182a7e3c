#pragma once
// From the logits of a row to weights.

#include "core/base/matrix.h"
#include "core/scene/scene.h"

namespace maskscope {

// Each row of logits [rows, n_k] normalised; not rounded. softmax: e^x / Σ e^x, softmax_plus_one:
// e^x / (1 + Σ e^x), both after subtracting the row's maximum (for plus one: the larger of it and
// 0). A row with a NaN or +inf is NaN throughout; a row of only −inf is NaN with softmax, and 0
// with plus one. A key at −inf gets exactly 0 in any other row.
Matrix normalize(Normalizer normalizer, const Matrix& logits);

}  // namespace maskscope
