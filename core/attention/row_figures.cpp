#include "core/attention/row_figures.h"

#include <algorithm>
#include <cmath>

namespace maskscope {
namespace {

// Returns −w ln w, with 0 ln 0 = 0.
double surprise(double weight) {
    if (weight < 0) return not_a_number;
    return weight == 0 ? 0 : -weight * std::log(weight);
}

// Returns log Σ e^x of row i, after subtracting the largest x.
double log_sum_exp(const Matrix& logits, Index i) {
    double largest = -infinity, sum = 0;
    for (Index j = 0; j < logits.cols(); ++j) {
        if (std::isnan(logits(i, j))) return not_a_number;
        largest = std::max(largest, logits(i, j));
    }
    if (std::isinf(largest)) return largest;
    for (Index j = 0; j < logits.cols(); ++j) sum += std::exp(logits(i, j) - largest);
    return largest + std::log(sum);
}

}  // namespace

RowFigures row_figures(const Matrix& weights, const Matrix& sensitivity, const Matrix& logits,
                       const Allowed& allowed, const std::uint8_t* pads, Index i) {
    RowFigures row;
    row.max = -infinity;
    bool blocked = false, pad = false;
    for (Index j = 0; j < weights.cols(); ++j) {
        const double weight = weights(i, j);
        row.nan = row.nan || std::isnan(weight);
        row.sum += weight;
        row.max = std::max(row.max, weight);
        row.entropy += surprise(weight);
        if (pads[j]) row.pads += weight, pad = true;
        if (allowed(i, j)) continue;
        blocked = true;
        row.leak += weight;
        if (sensitivity.size() > 0) row.gradient_leak += sensitivity(i, j);
    }
    row.empty = !allowed.row(i).any();
    if (row.nan) row.sum = row.max = row.entropy = not_a_number;
    if (row.nan && blocked) row.leak = row.gradient_leak = not_a_number;
    if (row.nan && pad) row.pads = not_a_number;
    if (sensitivity.size() == 0) row.gradient_leak = not_a_number;
    if (logits.size() > 0) row.lse = log_sum_exp(logits, i);
    return row;
}

}  // namespace maskscope
