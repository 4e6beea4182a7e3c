#pragma once
// Computes how well a key matches a query: the raw scores, and the factor they are scaled by.
//   q [n_q, d_q]   k [n_k, d_k]   scores [n_q, n_k]

#include <cstdint>
#include <optional>

#include "core/attention/precision.h"
#include "core/base/matrix.h"
#include "core/scene/scene.h"

namespace maskscope {

// The matrices of a scoring function, rounded; empty if the kind has none.
struct ScoreMatrices {
    Matrix matrix;         // bilinear: [d_q, d_k]
    Matrix w_q, w_k, w_v;  // additive: [hidden, d_q], [hidden, d_k], [1, hidden]
};

// Returns the given matrices, or seeded ones if the variant leaves them out.
ScoreMatrices score_matrices(const Score& score, Index d_q, Index d_k, std::uint64_t seed,
                             const Rounding& rounded);

// Returns the raw scores of all rows of q; not rounded. d_q = d_k for dot and gaussian.
Matrix score(ScoreKind kind, const ScoreMatrices& matrices, const Matrix& q, const Matrix& k);

// Returns 1/√d_k (1 without d_k), 1/√n_k, 1 or the number, not rounded; 1 for a formula, see
// row_scales().
double scale_factor(const Scale& scale, std::optional<Index> d_k, Index n_k);

// Converts a matrix of the scene, [rows, columns]; a vector becomes [1, n].
Matrix to_matrix(const Array& array);

}  // namespace maskscope
