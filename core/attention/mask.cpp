#include "core/attention/mask.h"

#include <algorithm>
#include <cmath>

namespace maskscope {
namespace {

// --- biases

void add_alibi(const HeadPositions& attending, Index first, double slope, Matrix& bias) {
    for (Index row = 0; row < bias.rows(); ++row) {
        const Index position = attending.p(first + row);
        for (Index j = 0; j < bias.cols(); ++j)
            bias(row, j) -= slope * static_cast<double>(std::abs(position - attending.r(j)));
    }
}

void add_cells(const MaskLayer& layer, Index first, Matrix& bias) {
    for (const BiasCell& cell : layer.bias)
        if (cell.i >= first && cell.i < first + bias.rows() && cell.j < bias.cols())
            bias(cell.i - first, cell.j) += cell.x;
}

void add_tensor(const MaskLayer& layer, const HeadPositions& attending, Index first, Matrix& bias) {
    const TensorCells cells(*layer.tensor, attending.b, attending.h);
    for (Index row = 0; row < bias.rows(); ++row)
        for (Index j = 0; j < bias.cols(); ++j)
            bias(row, j) += cells.at(attending.first + first + row, j);
}

void add_formula(const Scene& scene, const MaskLayer& layer, const HeadPositions& attending,
                 Index first, Matrix& bias) {
    Formula formula(scene, layer.expression, attending);
    for (Index row = 0; row < bias.rows(); ++row) {
        const auto numbers = formula.row(first + row);
        for (Index j = 0; j < bias.cols(); ++j) bias(row, j) += numbers[j];
    }
}

// --- the mask on the scores

Matrix with_bias(const Matrix& numbers, const Matrix& bias) {
    return bias.size() == 0 ? numbers : Matrix(numbers + bias);
}

// Adds the mask value to blocked numbers, once or twice. Between two additions the sum is rounded,
// as when two masks are added in turn.
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

// Return c tanh(x / c), and its slope, which is 0 at infinities.
double capped(double x, double cap) { return cap * std::tanh(x / cap); }
double slope_at(double x, double cap) {
    if (std::isinf(x)) return 0;
    const double t = std::tanh(x / cap);
    return (1 - t) * (1 + t);
}

}  // namespace

Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers, Index b, Index h) {
    return allowed_cells(scene, layers, head_positions(scene, b, h));
}

Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const HeadPositions& attending) {
    return allowed_cells(scene, layers, attending, 0, attending.n_q);
}

Allowed allowed_cells(const Scene& scene, const std::vector<MaskLayer>& layers,
                      const HeadPositions& attending, Index first, Index rows) {
    Allowed allowed = Allowed::Constant(rows, attending.n_k, true);
    const MaskGrid grid{attending, allowed.data(), first, first + rows};
    for (const bool opens : {false, true})
        for (const MaskLayer& layer : layers)
            if (!is_bias(layer) && rule_of(layer.kind).opens == opens &&
                holds_for(layer, attending.h))
                lay_over(scene, layer, grid);
    return allowed;
}

Matrix biases(const Scene& scene, const std::vector<MaskLayer>& layers,
              const HeadPositions& attending, Index first, Index rows) {
    Matrix bias;
    double slope = 0;  // the sum over all alibi rules
    for (const MaskLayer& layer : layers) {
        if (!is_bias(layer) || !holds_for(layer, attending.h)) continue;
        if (bias.size() == 0) bias = Matrix::Zero(rows, attending.n_k);
        if (layer.kind == LayerKind::alibi)
            slope += alibi_slope(layer.slopes, attending.h, attending.heads);
        else if (layer.tensor)
            add_tensor(layer, attending, first, bias);
        else if (layer.kind == LayerKind::bias)
            add_cells(layer, attending.first + first, bias);
        else
            add_formula(scene, layer, attending, first, bias);
    }
    if (slope > 0) add_alibi(attending, first, slope, bias);
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

Logits mask_before_softmax(const Variant& variant, const Matrix& scores, const Matrix& scaled,
                           double scale, const Matrix& bias, const Allowed& allowed,
                           const std::vector<double>& scales) {
    const Mask& mask = variant.mask;
    const Rounding rounded(variant.dtype);
    const auto& softcap = variant.softcap;
    const auto masked_scaled = [&](const Matrix& numbers) {
        return masked(mask, variant.dtype, with_bias(numbers, bias), allowed);
    };
    if (mask.order == Order::mask_then_scale)
        return {
            rounded(with_bias(
                times_scale(masked(mask, variant.dtype, scores, allowed), scale, scales), bias)),
            {}};
    if (!softcap) return {rounded(masked_scaled(scaled)), {}};
    const auto cap = [&](double x) { return capped(x, softcap->cap); };
    const auto slope = [&](double x) { return slope_at(x, softcap->cap); };
    if (softcap->order == CapOrder::before_mask)
        return {rounded(masked_scaled(scaled.unaryExpr(cap))), scaled.unaryExpr(slope)};
    const Matrix uncapped = masked_scaled(scaled);
    return {rounded(uncapped.unaryExpr(cap)), uncapped.unaryExpr(slope)};
}

Matrix mask_after_softmax(Apply apply, Dtype dtype, const Matrix& softmax, const Allowed& allowed) {
    if (!masks_weights(apply)) return softmax;
    Matrix weights = softmax.array() * allowed.cast<double>();  // NaN × 0 is NaN
    if (apply == Apply::multiply_weights_renormalized)
        for (Index i = 0; i < weights.rows(); ++i) weights.row(i) /= row_sum(weights, i);
    return Rounding(dtype)(std::move(weights));
}

Allowed acting_mask(const Variant& variant, const Allowed& allowed) {
    if (!opens_empty_rows(variant.mask.apply, variant.empty_rows)) return allowed;
    Allowed acting = allowed;
    for (Index i = 0; i < acting.rows(); ++i)
        if (!allowed.row(i).any()) acting.row(i).setConstant(true);
    return acting;
}

Matrix times_scale(const Matrix& numbers, double scale, const std::vector<double>& scales) {
    if (scales.empty()) return numbers * scale;
    Matrix scaled = numbers;
    for (Index i = 0; i < scaled.rows(); ++i) scaled.row(i) *= scales[i];
    return scaled;
}

bool is_mended(const Mask& mask, EmptyRows policy, const Allowed& allowed, Index i) {
    return zeroes_empty_rows(mask.apply, policy) && !allowed.row(i).any();
}

Matrix zero_empty_rows(const Mask& mask, EmptyRows policy, Matrix weights, const Allowed& allowed) {
    for (Index i = 0; i < weights.rows(); ++i)
        if (is_mended(mask, policy, allowed, i)) weights.row(i).setZero();
    return weights;
}

}  // namespace maskscope
