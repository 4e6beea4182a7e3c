#include "core/attention/mask.h"

#include <algorithm>
#include <cmath>

#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

// --- biases

void add_alibi(Index h, Index heads, Index first, Matrix& bias) {
    const double slope = std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(heads));
    for (Index row = 0; row < bias.rows(); ++row)
        for (Index j = 0; j < bias.cols(); ++j)
            bias(row, j) -= slope * static_cast<double>(std::abs(first + row - j));
}

// --- the mask on the scores

Matrix with_bias(const Matrix& numbers, const Matrix& bias) {
    return bias.size() == 0 ? numbers : Matrix(numbers + bias);
}

// numbers + value where blocked, once or twice. Between two additions the sum is rounded, as when
// two masks are added in turn.
Matrix add_blocked(Matrix numbers, double value, int times, const Rounding& rounded,
                   const Allowed& allowed) {
    for (Index i = 0; i < numbers.rows(); ++i)
        for (Index j = 0; j < numbers.cols(); ++j) {
            if (allowed(i, j)) continue;
            numbers(i, j) += value;
            if (times == 2) numbers(i, j) = rounded(rounded(numbers(i, j)) + value);
        }
    return numbers;
}

Matrix masked(const Mask& mask, Dtype dtype, Matrix numbers, const Allowed& allowed) {
    const double value = blocked_value(mask.value, dtype);
    switch (mask.apply) {
        case Apply::additive:
            return add_blocked(std::move(numbers), value, mask.times, Rounding(dtype), allowed);
        case Apply::replace:
            return allowed.select(numbers.array(), value);
        case Apply::multiply_scores:
            return numbers.array() * allowed.cast<double>();
        case Apply::multiply_weights:
        case Apply::multiply_weights_renormalized:
        case Apply::none:
            return numbers;
    }
    return numbers;
}

}  // namespace

Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h) {
    const Shape shape = shape_of(scene);
    Allowed allowed = Allowed::Constant(shape.n_q, shape.n_k, true);
    const MaskGrid grid{allowed.data(), shape.n_q, shape.n_k};
    for (const bool opens : {false, true})
        for (const MaskLayer& layer : layers) {
            const LayerRule& rule = rule_of(layer.kind);
            if (rule.act && rule.opens == opens && holds_for(layer, h))
                rule.act(scene, b, layer, grid);
        }
    return allowed;
}

Matrix biases(const std::vector<MaskLayer>& layers, const Shape& shape, Index h, Index first,
              Index rows) {
    Matrix bias;
    for (const MaskLayer& layer : layers) {
        if (!is_bias(layer) || !holds_for(layer, h)) continue;
        if (bias.size() == 0) bias = Matrix::Zero(rows, shape.n_k);
        if (layer.kind == LayerKind::alibi) add_alibi(h, shape.h, first, bias);
        for (const BiasCell& cell : layer.bias)
            if (cell.i >= first && cell.i < first + rows) bias(cell.i - first, cell.j) += cell.x;
    }
    return bias;
}

double blocked_value(const BlockedValue& value, Dtype dtype) {
    switch (value.kind) {
        case ValueKind::minus_infinity:
            return -infinity;
        case ValueKind::lowest:
            return lowest(dtype);
        case ValueKind::number:
            return Rounding(dtype)(value.number);
    }
    return value.number;
}

Matrix mask_before_softmax(const Mask& mask, Dtype dtype, const Matrix& scores,
                           const Matrix& scaled, double scale, const Matrix& bias,
                           const Allowed& allowed) {
    const Rounding rounded(dtype);
    if (mask.order == Order::scale_then_mask)
        return rounded(masked(mask, dtype, with_bias(scaled, bias), allowed));
    return rounded(with_bias(masked(mask, dtype, scores, allowed) * scale, bias));
}

Matrix mask_after_softmax(Apply apply, Dtype dtype, const Matrix& softmax, const Allowed& allowed) {
    if (!masks_weights(apply)) return softmax;
    Matrix weights = softmax.array() * allowed.cast<double>();  // NaN × 0 is NaN
    if (apply == Apply::multiply_weights_renormalized)
        for (Index i = 0; i < weights.rows(); ++i) weights.row(i) /= row_sum(weights, i);
    return Rounding(dtype)(std::move(weights));
}

bool is_mended(const Mask& mask, EmptyRows policy, const Allowed& allowed, Index i) {
    return mends_empty_rows(mask.apply, policy) && !allowed.row(i).any();
}

Matrix mend_empty_rows(const Mask& mask, EmptyRows policy, Matrix weights, const Allowed& allowed) {
    for (Index i = 0; i < weights.rows(); ++i)
        if (is_mended(mask, policy, allowed, i)) weights.row(i).setZero();
    return weights;
}

}  // namespace maskscope
