#pragma once
// Computes the statistics of one row of weights.

#include <cstdint>

#include "core/base/matrix.h"
#include "core/result/result.h"

namespace maskscope {

// Computes them for row i of the rounded weights, the sensitivity and the rounded logits (both
// empty if the inputs have none), all [rows, n_k]; pads [n_k], 1 if the key is a pad token.
RowFigures row_figures(const Matrix& weights, const Matrix& sensitivity, const Matrix& logits,
                       const Allowed& allowed, const std::uint8_t* pads, Index i);

}  // namespace maskscope
