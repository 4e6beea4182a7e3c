#include "core/attention/softmax.h"

#include <algorithm>
#include <cmath>

namespace maskscope {
namespace {

// The largest logit of row i; NaN if one is NaN.
double largest_of(const Matrix& logits, Index i) {
    double largest = -infinity;
    for (Index j = 0; j < logits.cols(); ++j) {
        if (std::isnan(logits(i, j))) return not_a_number;
        largest = std::max(largest, logits(i, j));
    }
    return largest;
}

}  // namespace

Matrix normalize(Normalizer normalizer, const Matrix& logits) {
    const bool plus_one = normalizer == Normalizer::softmax_plus_one;
    Matrix weights(logits.rows(), logits.cols());
    for (Index i = 0; i < logits.rows(); ++i) {
        double largest = largest_of(logits, i);
        if (plus_one && largest < 0) largest = 0;
        if (!std::isfinite(largest)) {  // ∞ − ∞
            weights.row(i).setConstant(not_a_number);
            continue;
        }
        double sum = plus_one ? std::exp(-largest) : 0;
        for (Index j = 0; j < logits.cols(); ++j) {
            // std::exp for each logit: Eigen's own exp turns −inf into 2.9e-39.
            weights(i, j) = std::exp(logits(i, j) - largest);
            sum += weights(i, j);
        }
        weights.row(i) /= sum;
    }
    return weights;
}

}  // namespace maskscope
