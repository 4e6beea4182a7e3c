#pragma once
// Computes each stage from the previous one by a second, independent implementation: cell by cell,
// in float64, not rounded, and apart from core/. Golden arrays and our own stages are both compared
// with it.

#include <vector>

#include "core/base/matrix.h"
#include "core/compute/embedding.h"
#include "core/result/result.h"
#include "core/scene/scene.h"

namespace maskscope::golden {

// One head of one sequence in one variant.
struct Head {
    const Scene& scene;
    const Variant& variant;
    Index b, h;
    Allowed allowed;    // [n_q, n_k]
    HeadInputs inputs;  // rounded
};

bool allowed_at(const Head& head, Index i, Index j);  // according to the rules
Matrix expected_scores(const Head& head);
Matrix expected_scaled(const Head& head, const Matrix& scores);
Matrix expected_logits(const Head& head, const Matrix& scores, const Matrix& scaled);
Matrix expected_softmax(const Head& head, const Matrix& logits);
Matrix expected_weights(const Head& head, const Matrix& softmax);
Matrix expected_sensitivity(const Head& head, const Matrix& scaled, const Matrix& softmax);
// Returns the outputs of all heads of one sequence, [h or 1].
std::vector<Matrix> expected_outputs(const std::vector<Head>& heads,
                                     const std::vector<Matrix>& weights);
// `logits` is empty if the weights are given.
RowFigures expected_figures(const Head& head, const Matrix& weights, const Matrix& sensitivity,
                            const Matrix& logits, Index i);

// --- tolerances

double unit_in_last_place(Dtype dtype, double x);

// Returns "" or the first number that is neither within one unit of `expected` rounded to the dtype
// (float64: 1e-12) nor the same infinity or NaN.
std::string first_beyond_one_unit(Dtype dtype, const Matrix& actual, const Matrix& expected);

// Returns "" or the first number that is neither within `tolerance` of `expected` nor the same
// infinity or NaN.
std::string first_beyond(double tolerance, const Matrix& actual, const Matrix& expected);

bool same(double a, double b);  // equal, or both NaN

}  // namespace maskscope::golden
