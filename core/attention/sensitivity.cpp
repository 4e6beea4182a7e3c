#include "core/attention/sensitivity.h"

#include "core/attention/mask.h"
#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

// softmax, whose weight k is multiplied by m_k: with a = softmax
//   m_j a_j (1 − a_j) + a_j (Σ_k m_k a_k − m_j a_j)
// The first term is what key j's own weight gains, the second what the others lose.
void after_factor(const Matrix& softmax, const Allowed& factor, Index i, Matrix& sensitivity) {
    double total = 0;
    for (Index k = 0; k < softmax.cols(); ++k) total += factor(i, k) * softmax(i, k);
    for (Index j = 0; j < softmax.cols(); ++j) {
        const double a = softmax(i, j), own = factor(i, j) * a;
        sensitivity(i, j) = own * (1 - a) + a * (total - own);
    }
}

}  // namespace

Matrix sensitivity(const Variant& variant, const Matrix& softmax, const Matrix& weights,
                   const Allowed& allowed) {
    const Apply apply = variant.mask.apply;
    const bool cut = cuts_gradient(apply);
    const Allowed all = Allowed::Constant(allowed.rows(), allowed.cols(), true);
    const Allowed& factor = apply == Apply::multiply_weights ? allowed : all;
    Matrix result(softmax.rows(), softmax.cols());
    for (Index i = 0; i < softmax.rows(); ++i) {
        if (variant.empty_rows == EmptyRows::zero &&
            is_mended(variant.mask, variant.empty_rows, allowed, i)) {
            result.row(i).setZero();
        } else if (weights.row(i).array().isNaN().any()) {
            result.row(i).setConstant(not_a_number);
        } else if (apply == Apply::multiply_weights_renormalized) {
            for (Index j = 0; j < weights.cols(); ++j)
                result(i, j) = 2 * weights(i, j) * (1 - weights(i, j));
        } else {
            after_factor(softmax, factor, i, result);
            for (Index j = 0; cut && j < result.cols(); ++j)
                if (!allowed(i, j)) result(i, j) = 0;
        }
    }
    return result;
}

}  // namespace maskscope
