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

}  // namespace maskscope
