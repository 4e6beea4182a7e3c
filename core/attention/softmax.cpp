#include "core/attention/softmax.h"

#include <algorithm>
#include <cmath>

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
        if (!std::isfinite(largest)) {  // ∞ − ∞
            weights.row(i).setConstant(not_a_number);
            continue;
        }
        double sum = sink ? std::exp(*sink - largest) : 0;
        for (Index j = 0; j < logits.cols(); ++j) {
            // std::exp for each logit, because Eigen's own exp turns −inf into 2.9e-39.
            weights(i, j) = std::exp(logits(i, j) - largest);
            sum += weights(i, j);
        }
        weights.row(i) /= sum;
    }
    return weights;
}

}  // namespace maskscope
