#include "core/cpu/cpu_task.h"

#include <cmath>

#include "core/attention/mask.h"
#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

constexpr double almost_too_small = 1e-30;  // for float32

RowDtype row_dtype(Dtype dtype) {
    if (dtype == Dtype::float16) return RowDtype::float16;
    return dtype == Dtype::bfloat16 ? RowDtype::bfloat16 : RowDtype::float32;
}

RowMask row_mask(Apply apply) {
    switch (apply) {
        case Apply::additive:
            return RowMask::add;
        case Apply::replace:
            return RowMask::select;
        case Apply::multiply_scores:
            return RowMask::multiply;
        case Apply::multiply_weights:
        case Apply::multiply_weights_renormalized:
        case Apply::none:
            break;
    }
    return RowMask::none;
}

double largest_of(const Matrix& numbers) {
    return numbers.size() == 0 ? 0 : numbers.array().abs().maxCoeff<Eigen::PropagateNaN>();
}

bool has_large_bias(const Variant& variant) {
    for (const MaskLayer& layer : variant.mask.layers)
        for (const BiasCell& cell : layer.bias)
            if (std::abs(cell.x) > almost_too_large) return true;
    return false;
}

}  // namespace

std::vector<std::size_t> CpuTask::projected_rows() const {
    const auto n_q = static_cast<std::size_t>(shape.n_q), h = static_cast<std::size_t>(shape.h);
    std::vector<std::size_t> some;
    for (const std::size_t row : rows)
        if (row / n_q % h == 0) some.push_back(row / n_q / h * n_q + row % n_q);
    return some;
}

RowSettings row_settings(const Variant& variant, const Parameters& parameters) {
    const Mask& mask = variant.mask;
    const double value = blocked_value(mask.value, variant.dtype);
    RowSettings s;
    s.dtype = row_dtype(variant.dtype);
    s.mask = row_mask(mask.apply);
    s.scale = static_cast<float>(parameters.scale);
    s.value = static_cast<float>(value);
    s.twice = mask.times == 2;
    s.scale_first = mask.order == Order::scale_then_mask;
    s.has_bias = std::ranges::any_of(mask.layers, is_bias);
    s.blocks_exactly =
        uses_value(mask.apply) && value == -infinity && (s.scale_first || s.scale > 0);
    s.renormalizes = mask.apply == Apply::multiply_weights_renormalized;
    s.multiplies_weights = masks_weights(mask.apply);
    s.zeroes = zeroes_empty_rows(mask.apply, variant.empty_rows);
    s.zeroes_before = s.zeroes && variant.empty_rows == EmptyRows::zero;
    s.opens_empty = opens_empty_rows(mask.apply, variant.empty_rows);
    s.cuts_gradient = cuts_gradient(mask.apply);
    return s;
}

bool blocks_exactly(const RowSettings& s, const PreparedHead& head) {
    if (!s.blocks_exactly || s.mask == RowMask::select) return s.blocks_exactly;
    // Adding −inf to +inf or NaN would give NaN, and a stage may overflow its dtype.
    const double most = s.dtype == RowDtype::float16 ? 60000 : almost_too_large;
    const double scale = std::max(1.0, std::abs(static_cast<double>(s.scale)));
    return head.finite_scores && head.largest_score * scale < most;
}

bool is_for_kernels(const Scene& scene, const Variant& variant) {
    const auto is_any_bias = [](const MaskLayer& layer) {  // a bias that may hold any number
        return layer.kind == LayerKind::formula_bias || (is_bias(layer) && layer.tensor);
    };
    return variant.dtype != Dtype::float64 && !bends_scores(variant) &&
           variant.scale.kind != ScaleKind::formula && variant.mask.order != Order::queries_first &&
           !weighs_cells_alone(variant) && !std::holds_alternative<WeightsInputs>(scene.inputs) &&
           std::ranges::none_of(variant.mask.layers, is_any_bias);
}

bool is_in_range(const Variant& variant, const Parameters& parameters,
                 const PreparedInputs& prepared, const Shape& shape) {
    const double scale = std::abs(parameters.scale);
    if (!prepared.in_range || has_large_bias(variant)) return false;
    if (scale != 0 && !(scale > almost_too_small && scale < almost_too_large)) return false;
    // With mask_then_scale, the mask value is added to scores that may be near the limit of
    // float32. Such a sum cannot overflow if the value is below the last place of the score.
    const double value = std::abs(blocked_value(variant.mask.value, variant.dtype));
    if (variant.mask.order == Order::mask_then_scale && std::isfinite(value) && value > 1e30)
        return false;
    double largest = 0;
    for (const PreparedHead& head : prepared.heads) largest = std::max(largest, head.largest_value);
    const auto columns = static_cast<double>(prepared.value_columns);
    largest *= static_cast<double>(shape.n_k);
    if (parameters.w.size() > 0)
        largest *= std::max(1.0, largest_of(parameters.w) * columns * static_cast<double>(shape.h));
    return largest < almost_too_large;
}

Mixing mixing_of(const Variant& variant, const Parameters& parameters, const Inputs& inputs,
                 const Shape& shape) {
    Mixing m;
    m.wanted = true;
    m.kind = variant.output.kind;
    m.d_v = m.d_out = static_cast<std::size_t>(d_v_of(inputs).value_or(0));
    if (m.kind == OutputKind::values) return m;
    const bool projected = m.kind == OutputKind::projected;
    const Matrix w = projected ? parameters.w : Matrix(parameters.w.transpose());
    m.d_out = static_cast<std::size_t>(w.cols());
    m.w_columns = padded_columns(w.cols());
    m.w = padded(w);
    m.root = static_cast<float>(parameters.root);
    if (projected)
        m.joined = std::make_shared<LargeArray<float>>(
            static_cast<std::size_t>(shape.b * shape.n_q * shape.h) * m.d_v);
    return m;
}

}  // namespace maskscope
