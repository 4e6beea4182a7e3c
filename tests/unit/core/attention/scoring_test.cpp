#include "core/attention/scoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/seeded.h"
#include "core/base/matrix.h"
#include "core/compute/embedding.h"

namespace maskscope {
namespace {

// The tolerance of sums of a few products in float64, added in another order.
constexpr double of_rounding = 1e-14;
const Rounding exact(Dtype::float64);

Matrix some(Index rows, Index columns, const char* name) {
    return seeded_matrix(1, name, rows, columns, 1);
}

Score of_kind(ScoreKind kind) {
    Score score;
    score.kind = kind;
    return score;
}

TEST(Scoring, DotIsTheSumOfProducts) {
    const Matrix q = some(3, 4, "q"), k = some(5, 4, "k"), scores = score(ScoreKind::dot, {}, q, k);
    ASSERT_EQ(scores.rows(), 3);
    ASSERT_EQ(scores.cols(), 5);
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 5; ++j)
            EXPECT_NEAR(scores(i, j), q.row(i).dot(k.row(j)), of_rounding);
}

TEST(Scoring, GaussianIsHalfTheSquaredDistance) {
    const Matrix q = some(3, 4, "q"), k = some(5, 4, "k");
    const Matrix scores = score(ScoreKind::gaussian, {}, q, k);
    for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 5; ++j)
            EXPECT_NEAR(scores(i, j), -0.5 * (q.row(i) - k.row(j)).squaredNorm(), of_rounding);
    EXPECT_EQ(score(ScoreKind::gaussian, {}, q, q).diagonal(), Vector::Zero(3));
}

TEST(Scoring, BilinearTakesWidthsThatDiffer) {
    const Matrix q = some(2, 3, "q"), k = some(4, 5, "k"), m = some(3, 5, "m");
    Score given = of_kind(ScoreKind::bilinear);
    given.matrix = make_array({3, 5}, {m.data(), m.data() + m.size()});
    const ScoreMatrices matrices = score_matrices(given, 3, 5, 0, exact);
    const Matrix scores = score(ScoreKind::bilinear, matrices, q, k);
    const Matrix expected = q * m * k.transpose();
    EXPECT_TRUE(scores.isApprox(expected, of_rounding));
}

TEST(Scoring, TheIdentityMakesBilinearTheDot) {
    const Matrix q = some(2, 3, "q"), k = some(4, 3, "k");
    const Matrix scores = score(ScoreKind::bilinear, {Matrix::Identity(3, 3), {}, {}, {}}, q, k);
    EXPECT_EQ(scores, score(ScoreKind::dot, {}, q, k));
}

TEST(Scoring, AdditiveIsASmallNetwork) {
    const Matrix q = some(2, 3, "q"), k = some(4, 5, "k");
    const ScoreMatrices w{{}, some(6, 3, "a"), some(6, 5, "b"), some(1, 6, "c")};
    const Matrix scores = score(ScoreKind::additive, w, q, k);
    for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 4; ++j) {
            const Vector hidden = w.w_q * q.row(i).transpose() + w.w_k * k.row(j).transpose();
            double sum = 0;
            for (Index c = 0; c < 6; ++c) sum += w.w_v(0, c) * std::tanh(hidden(c));
            EXPECT_NEAR(scores(i, j), sum, of_rounding);
            EXPECT_LE(std::abs(scores(i, j)), w.w_v.cwiseAbs().sum());
        }
}

TEST(Scoring, MatricesLeftOutAreSeeded) {
    const ScoreMatrices m = score_matrices(of_kind(ScoreKind::bilinear), 4, 9, 5, exact);
    EXPECT_EQ(m.matrix, seeded_matrix(5, "matrix", 4, 9, 0.5));
    Score additive = of_kind(ScoreKind::additive);
    additive.hidden = 7;
    const ScoreMatrices w = score_matrices(additive, 4, 16, 5, exact);
    EXPECT_EQ(w.w_q, seeded_matrix(5, "additive_w_q", 7, 4, 0.5));
    EXPECT_EQ(w.w_k, seeded_matrix(5, "additive_w_k", 7, 16, 0.25));
    EXPECT_EQ(w.w_v, seeded_matrix(5, "additive_w_v", 1, 7, 1));
    EXPECT_EQ(score_matrices({}, 4, 4, 5, exact).matrix.size(), 0);
}

TEST(Scoring, MatricesAreRoundedToTheDtype) {
    const Rounding half(Dtype::float16);
    const Matrix m = score_matrices(of_kind(ScoreKind::bilinear), 3, 3, 5, half).matrix;
    EXPECT_EQ(m, half(seeded_matrix(5, "matrix", 3, 3, 1 / std::sqrt(3.0))));
}

TEST(Scoring, ScaleFactors) {
    EXPECT_EQ(scale_factor({ScaleKind::sqrt_d_k, 1}, 64, 10), 0.125);
    EXPECT_EQ(scale_factor({ScaleKind::sqrt_n_k, 1}, 64, 16), 0.25);
    EXPECT_EQ(scale_factor({ScaleKind::none, 1}, 64, 16), 1);
    EXPECT_EQ(scale_factor({ScaleKind::number, -0.3}, std::nullopt, 16), -0.3);
}

}  // namespace
}  // namespace maskscope
