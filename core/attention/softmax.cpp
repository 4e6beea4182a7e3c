#include "core/attention/softmax.h"

#include <algorithm>
#include <cmath>

#include "core/attention/mask.h"
#include "core/scene/mask_rules.h"

namespace maskscope {

namespace {

// Returns the largest logit of row i; NaN if one is NaN.
double largest_of(const Matrix& logits, Index i) {
    double largest = -infinity;
    for (Index j = 0; j < logits.cols(); ++j) {
        if (std::isnan(logits(i, j))) return not_a_number;
        largest = std::max(largest, logits(i, j));
    }
    return largest;
}

}  // namespace

Matrix normalize(Normalizer normalizer, std::optional<double> sink, const Matrix& logits) {
    if (normalizer == Normalizer::sigmoid)
        return logits.unaryExpr([](double x) { return 1 / (1 + std::exp(-x)); });
    Matrix weights(logits.rows(), logits.cols());
    for (Index i = 0; i < logits.rows(); ++i) {
        double largest = largest_of(logits, i);
        if (sink && largest < *sink) largest = *sink;
        if (!std::isfinite(largest)) {  // ∞ − ∞ is NaN
            weights.row(i).setConstant(not_a_number);
            continue;
        }
        double sum = sink ? std::exp(*sink - largest) : 0;
        for (Index j = 0; j < logits.cols(); ++j) {
            // Use std::exp for each logit, because Eigen's own exp turns −inf into 2.9e-39.
            weights(i, j) = std::exp(logits(i, j) - largest);
            sum += weights(i, j);
        }
        weights.row(i) /= sum;
    }
    return weights;
}

namespace {

// Computes the sensitivity of a softmax whose weight k is then multiplied by m_k; with a = softmax:
//   m_j a_j (1 − a_j) + a_j (Σ_k m_k a_k − m_j a_j)
// The first term is the gain of key j's own weight, the second the loss of the others.
void after_factor(const Matrix& softmax, const Allowed& factor, Index i, Matrix& sensitivity) {
    double total = 0;
    for (Index k = 0; k < softmax.cols(); ++k) total += factor(i, k) * softmax(i, k);
    for (Index j = 0; j < softmax.cols(); ++j) {
        const double a = softmax(i, j), own = factor(i, j) * a;
        sensitivity(i, j) = own * (1 - a) + a * (total - own);
    }
}

// Computes the sensitivity of a sigmoid, whose cells depend on each other only through the division
// that renormalizes: m a (1 − a), or if renormalized 2 w (1 − w) (1 − a), with a = sigmoid, m =
// factor and w = weight.
void of_sigmoid(bool renormalized, const Matrix& softmax, const Matrix& weights,
                const Allowed& factor, Index i, Matrix& sensitivity) {
    for (Index j = 0; j < softmax.cols(); ++j) {
        const double a = softmax(i, j), w = weights(i, j);
        sensitivity(i, j) = std::isnan(w)  ? not_a_number
                            : renormalized ? 2 * w * (1 - w) * (1 - a)
                                           : factor(i, j) * a * (1 - a);
    }
}

}  // namespace

Matrix sensitivity(const Variant& variant, const Matrix& softmax, const Matrix& weights,
                   const Matrix& slope, const Allowed& allowed) {
    const Apply apply = variant.mask.apply;
    const bool cut = cuts_gradient(apply);
    const bool renormalized = apply == Apply::multiply_weights_renormalized;
    const bool by_cell = weighs_cells_alone(variant);
    const Allowed all = Allowed::Constant(allowed.rows(), allowed.cols(), true);
    const Allowed& factor = apply == Apply::multiply_weights ? allowed : all;
    Matrix result(softmax.rows(), softmax.cols());
    for (Index i = 0; i < softmax.rows(); ++i) {
        if (variant.empty_rows == EmptyRows::zero &&
            is_mended(variant.mask, variant.empty_rows, allowed, i)) {
            result.row(i).setZero();
            continue;
        }
        if (by_cell) {
            of_sigmoid(renormalized, softmax, weights, factor, i, result);
        } else if (weights.row(i).array().isNaN().any()) {
            result.row(i).setConstant(not_a_number);
        } else if (renormalized) {
            for (Index j = 0; j < weights.cols(); ++j)
                result(i, j) = 2 * weights(i, j) * (1 - weights(i, j));
        } else {
            after_factor(softmax, factor, i, result);
        }
        for (Index j = 0; j < result.cols(); ++j) {
            if (cut && !allowed(i, j) && !std::isnan(result(i, j))) result(i, j) = 0;
            if (slope.size() > 0 && result(i, j) != 0) result(i, j) *= slope(i, j);
        }
    }
    return result;
}

}  // namespace maskscope
