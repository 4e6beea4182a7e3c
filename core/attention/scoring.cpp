#include "core/attention/scoring.h"

#include <cmath>

#include "core/attention/seeded.h"

namespace maskscope {
namespace {

double one_over_root(Index d) { return 1 / std::sqrt(static_cast<double>(d)); }

// Returns −½ ‖q_i − k_j‖².
Matrix gaussian(const Matrix& q, const Matrix& k) {
    const Matrix components = k.transpose();  // [d, n_k]
    Matrix scores = Matrix::Zero(q.rows(), k.rows());
    for (Index i = 0; i < q.rows(); ++i) {
        for (Index c = 0; c < q.cols(); ++c)
            scores.row(i).array() += (q(i, c) - components.row(c).array()).square();
        scores.row(i) *= -0.5;
    }
    return scores;
}

// Returns w_vᵀ tanh(W_q q_i + W_k k_j).
Matrix additive(const ScoreMatrices& w, const Matrix& q, const Matrix& k) {
    const Matrix from_query = product(q, w.w_q.transpose());  // [n_q, hidden]
    const Matrix from_key = product(k, w.w_k.transpose());    // [n_k, hidden]
    Matrix scores = Matrix::Zero(q.rows(), k.rows());
    for (Index i = 0; i < q.rows(); ++i)
        for (Index j = 0; j < k.rows(); ++j)
            for (Index c = 0; c < w.w_v.cols(); ++c)
                scores(i, j) += w.w_v(0, c) * std::tanh(from_query(i, c) + from_key(j, c));
    return scores;
}

}  // namespace

Matrix to_matrix(const Array& array) {
    const Index columns = array.axes.back();
    const Index rows = static_cast<Index>(array.values->size()) / columns;
    Matrix matrix(rows, columns);
    array.values->copy(0, {matrix.data(), array.values->size()});
    return matrix;
}

ScoreMatrices score_matrices(const Score& score, Index d_q, Index d_k, std::uint64_t seed,
                             const Rounding& rounded) {
    ScoreMatrices made;
    if (score.kind == ScoreKind::bilinear)
        made.matrix =
            rounded(score.matrix ? to_matrix(*score.matrix)
                                 : seeded_matrix(seed, "matrix", d_q, d_k, one_over_root(d_q)));
    if (score.kind != ScoreKind::additive) return made;
    if (score.w_q && score.w_k && score.w_v)
        return {{},
                rounded(to_matrix(*score.w_q)),
                rounded(to_matrix(*score.w_k)),
                rounded(to_matrix(*score.w_v))};
    const auto seeded = [&](const char* stream, Index rows, Index columns, double factor) {
        return rounded(seeded_matrix(seed, stream, rows, columns, factor));
    };
    made.w_q = seeded("additive_w_q", score.hidden, d_q, one_over_root(d_q));
    made.w_k = seeded("additive_w_k", score.hidden, d_k, one_over_root(d_k));
    made.w_v = seeded("additive_w_v", 1, score.hidden, 1);
    return made;
}

Matrix score(ScoreKind kind, const ScoreMatrices& matrices, const Matrix& q, const Matrix& k) {
    switch (kind) {
        case ScoreKind::dot:
            return product(q, k.transpose());
        case ScoreKind::gaussian:
            return gaussian(q, k);
        case ScoreKind::bilinear:
            return product(product(q, matrices.matrix), k.transpose());
        case ScoreKind::additive:
            return additive(matrices, q, k);
    }
    return {};
}

double scale_factor(const Scale& scale, std::optional<Index> d_k, Index n_k) {
    switch (scale.kind) {
        case ScaleKind::sqrt_d_k:
            return one_over_root(d_k.value_or(1));
        case ScaleKind::sqrt_n_k:
            return one_over_root(n_k);
        case ScaleKind::none:
            return 1;
        case ScaleKind::number:
            return scale.number;
        case ScaleKind::formula:
            break;  // one for each row: see row_scales()
    }
    return 1;
}

}  // namespace maskscope
