#include "tests/golden/expected.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/attention/precision.h"
#include "core/attention/seeded.h"
#include "core/base/matrix.h"
#include "tests/support/computed.h"

namespace maskscope::golden {
namespace {

template <class Cell>
Matrix each_cell(const Head& head, Cell cell) {
    Matrix all(head.allowed.rows(), head.allowed.cols());
    for (Index i = 0; i < all.rows(); ++i)
        for (Index j = 0; j < all.cols(); ++j) all(i, j) = cell(i, j);
    return all;
}

bool applies_to(const MaskLayer& layer, Index h) {
    return !layer.heads || std::ranges::count(*layer.heads, h) > 0;
}

bool is_listed(const MaskLayer& layer, Index i, Index j) {
    return (layer.cells && std::ranges::count(*layer.cells, Cell{i, j}) > 0) ||
           (layer.rows && std::ranges::count(*layer.rows, i) > 0) ||
           (layer.columns && std::ranges::count(*layer.columns, j) > 0);
}

Index document_of(const std::vector<Index>& lengths, Index i) {
    Index document = 0;
    for (Index end = lengths[0]; end <= i; end += lengths[document]) ++document;
    return document;
}

bool is_token(const std::vector<std::string>& tokens, Index at, const std::string& token) {
    return tokens[at] == token;
}

bool layer_allows(const Head& head, const MaskLayer& layer, Index i, Index j) {
    const Index n_q = head.allowed.rows(), n_k = head.allowed.cols();
    const std::string& pad = head.scene.pad_token;
    switch (layer.kind) {
        case LayerKind::causal:
            return j <= i + (layer.align == Align::bottom_right ? n_k - n_q : 0);
        case LayerKind::padding:
            return !is_token(key_tokens(head.scene, head.b), j, pad);
        case LayerKind::padding_queries:
            return !is_token(query_tokens(head.scene, head.b), i, pad);
        case LayerKind::window:
            return j >= i - layer.left && j <= i + layer.right;
        case LayerKind::prefix:
            return j < layer.length || j <= i;
        case LayerKind::sinks:
            return j < layer.count;
        case LayerKind::documents:
            return document_of(layer.lengths, i) == document_of(layer.lengths, j);
        case LayerKind::blocked:
            return !is_listed(layer, i, j);
        default:
            return true;
    }
}

double bias_at(const Head& head, Index i, Index j) {
    double bias = 0;
    for (const MaskLayer& layer : head.variant.mask.layers) {
        if (!applies_to(layer, head.h)) continue;
        const double slope =
            std::pow(2.0, -8.0 * double(head.h + 1) / double(heads_of(head.scene.inputs)));
        if (layer.kind == LayerKind::alibi) bias -= slope * double(std::abs(i - j));
        for (const BiasCell& cell : layer.bias)
            if (cell.i == i && cell.j == j) bias += cell.x;
    }
    return bias;
}

double factor_of_scale(const Head& head) {
    switch (head.variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return 1 / std::sqrt(double(*d_k_of(head.scene.inputs)));
        case ScaleKind::sqrt_n_k:
            return 1 / std::sqrt(double(head.allowed.cols()));
        case ScaleKind::none:
            return 1;
        case ScaleKind::number:
            return head.variant.scale.number;
    }
    return 1;
}

double value_where_blocked(const Variant& variant) {
    if (variant.mask.value.kind == ValueKind::minus_infinity) return -infinity;
    if (variant.mask.value.kind == ValueKind::number)
        return Rounding(variant.dtype)(variant.mask.value.number);
    switch (variant.dtype) {
        case Dtype::float64:
            return -std::numeric_limits<double>::max();
        case Dtype::float32:
            return -double(std::numeric_limits<float>::max());
        case Dtype::float16:
            return -65504;
        case Dtype::bfloat16:
            return -std::ldexp(255.0, 120);
    }
    return 0;
}

double masked(const Variant& variant, double x, bool allowed) {
    const Rounding rounded(variant.dtype);
    const double value = value_where_blocked(variant);
    switch (variant.mask.apply) {
        case Apply::additive:
            if (allowed) return x;
            return variant.mask.times == 1 ? x + value : rounded(rounded(x + value) + value);
        case Apply::replace:
            return allowed ? x : value;
        case Apply::multiply_scores:
            return allowed ? x : x * 0;
        default:
            return x;
    }
}

bool multiplies_weights(Apply apply) {
    return apply == Apply::multiply_weights || apply == Apply::multiply_weights_renormalized;
}

bool has_nan(const Matrix& numbers, Index i) {
    for (Index j = 0; j < numbers.cols(); ++j)
        if (std::isnan(numbers(i, j))) return true;
    return false;
}

bool is_empty(const Head& head, Index i) {
    for (Index j = 0; j < head.allowed.cols(); ++j)
        if (head.allowed(i, j)) return false;
    return true;
}

// The matrix as given or seeded, rounded.
Matrix matrix_of(const Head& head, const std::optional<Array>& given, const char* stream,
                 Index rows, Index columns, double factor) {
    const Rounding rounded(head.variant.dtype);
    if (!given)
        return rounded(seeded_matrix(seed_of(head.scene.inputs), stream, rows, columns, factor));
    const Index width = given->axes.back();
    Matrix matrix(Index(given->values->size()) / width, width);
    std::ranges::copy(*given->values, matrix.data());
    return rounded(matrix);
}

Matrix unmended_weights(const Head& head, const Matrix& softmax) {
    const Apply apply = head.variant.mask.apply;
    if (!multiplies_weights(apply)) return softmax;
    Matrix weights = each_cell(
        head, [&](Index i, Index j) { return softmax(i, j) * (head.allowed(i, j) ? 1 : 0); });
    if (apply == Apply::multiply_weights_renormalized)
        for (Index i = 0; i < weights.rows(); ++i) {
            double sum = 0;
            for (Index j = 0; j < weights.cols(); ++j) sum += weights(i, j);
            for (Index j = 0; j < weights.cols(); ++j) weights(i, j) /= sum;
        }
    return weights;
}

// Σ_k |∂w_k/∂s_j| from the Jacobian itself: ∂a_k/∂s_j = a_k (δ_kj − a_j). Renormalised weights sum
// to 1, but for rounding, which the contract's formula leaves out.
double sum_of_gradients(const Head& head, const Matrix& softmax, const Matrix& weights, Index i,
                        Index j) {
    const Apply apply = head.variant.mask.apply;
    if (apply == Apply::multiply_weights_renormalized)
        return 2 * weights(i, j) * (1 - weights(i, j));
    double sum = 0;
    for (Index k = 0; k < softmax.cols(); ++k) {
        const double factor = apply == Apply::multiply_weights && !head.allowed(i, k) ? 0 : 1;
        sum += std::abs(factor * softmax(i, k) * ((k == j ? 1 : 0) - softmax(i, j)));
    }
    return sum;
}

}  // namespace

bool allowed_at(const Head& head, Index i, Index j) {
    bool allowed = true;
    for (const MaskLayer& layer : head.variant.mask.layers)
        if (applies_to(layer, head.h)) allowed = allowed && layer_allows(head, layer, i, j);
    for (const MaskLayer& layer : head.variant.mask.layers)
        if (applies_to(layer, head.h) && layer.kind == LayerKind::allowed)
            allowed = allowed || is_listed(layer, i, j);
    return allowed;
}

Matrix expected_scores(const Head& head) {
    if (head.inputs.scores.size() > 0) return head.inputs.scores;
    const Matrix &q = head.inputs.queries, &k = head.inputs.keys;
    const Score& score = head.variant.score;
    const double root_q = std::sqrt(double(q.cols())), root_k = std::sqrt(double(k.cols()));
    const Index hidden = score.w_v ? Index(score.w_v->values->size()) : score.hidden;
    const Matrix m = matrix_of(head, score.matrix, "matrix", q.cols(), k.cols(), 1 / root_q);
    const Matrix w_q = matrix_of(head, score.w_q, "additive_w_q", hidden, q.cols(), 1 / root_q);
    const Matrix w_k = matrix_of(head, score.w_k, "additive_w_k", hidden, k.cols(), 1 / root_k);
    const Matrix w_v = matrix_of(head, score.w_v, "additive_w_v", 1, hidden, 1);
    return each_cell(head, [&](Index i, Index j) {
        double sum = 0;
        switch (score.kind) {
            case ScoreKind::dot:
                for (Index c = 0; c < q.cols(); ++c) sum += q(i, c) * k(j, c);
                return sum;
            case ScoreKind::gaussian:
                for (Index c = 0; c < q.cols(); ++c) sum += std::pow(q(i, c) - k(j, c), 2);
                return -sum / 2;
            case ScoreKind::bilinear:  // (qᵀ M) k: where a number is infinite, the order counts
                for (Index e = 0; e < k.cols(); ++e) {
                    double inside = 0;
                    for (Index c = 0; c < q.cols(); ++c) inside += q(i, c) * m(c, e);
                    sum += inside * k(j, e);
                }
                return sum;
            case ScoreKind::additive:
                for (Index c = 0; c < hidden; ++c) {
                    double inside = 0;
                    for (Index e = 0; e < q.cols(); ++e) inside += w_q(c, e) * q(i, e);
                    for (Index e = 0; e < k.cols(); ++e) inside += w_k(c, e) * k(j, e);
                    sum += w_v(0, c) * std::tanh(inside);
                }
                return sum;
        }
        return sum;
    });
}

Matrix expected_scaled(const Head& head, const Matrix& scores) {
    return scores * factor_of_scale(head);
}

Matrix expected_logits(const Head& head, const Matrix& scores, const Matrix& scaled) {
    return each_cell(head, [&](Index i, Index j) {
        const double bias = bias_at(head, i, j);
        if (head.variant.mask.order == Order::scale_then_mask)
            return masked(head.variant, scaled(i, j) + bias, head.allowed(i, j));
        return masked(head.variant, scores(i, j), head.allowed(i, j)) * factor_of_scale(head) +
               bias;
    });
}

Matrix expected_softmax(const Head& head, const Matrix& logits) {
    const bool plus_one = head.variant.normalizer == Normalizer::softmax_plus_one;
    Matrix softmax = Matrix::Constant(logits.rows(), logits.cols(), not_a_number);
    for (Index i = 0; i < logits.rows(); ++i) {
        double largest = plus_one ? 0 : -infinity;
        bool spoiled = has_nan(logits, i);
        for (Index j = 0; j < logits.cols(); ++j) {
            spoiled = spoiled || logits(i, j) == infinity;
            if (logits(i, j) > largest) largest = logits(i, j);
        }
        if (spoiled || largest == -infinity) continue;
        double sum = plus_one ? std::exp(-largest) : 0;
        for (Index j = 0; j < logits.cols(); ++j) sum += std::exp(logits(i, j) - largest);
        for (Index j = 0; j < logits.cols(); ++j)
            softmax(i, j) = std::exp(logits(i, j) - largest) / sum;
    }
    return softmax;
}

Matrix expected_weights(const Head& head, const Matrix& softmax) {
    Matrix weights = unmended_weights(head, softmax);
    for (Index i = 0; i < weights.rows(); ++i)
        if (head.variant.empty_rows != EmptyRows::nan && head.variant.mask.apply != Apply::none &&
            is_empty(head, i))
            weights.row(i).setZero();
    return weights;
}

Matrix expected_sensitivity(const Head& head, const Matrix& softmax) {
    const Apply apply = head.variant.mask.apply;
    const Matrix weights = Rounding(head.variant.dtype)(unmended_weights(head, softmax));
    return each_cell(head, [&](Index i, Index j) {
        if (head.variant.empty_rows == EmptyRows::zero && apply != Apply::none && is_empty(head, i))
            return 0.0;
        if (has_nan(weights, i)) return not_a_number;
        if ((apply == Apply::replace || apply == Apply::multiply_scores) && !head.allowed(i, j))
            return 0.0;
        return sum_of_gradients(head, softmax, weights, i, j);
    });
}

std::vector<Matrix> expected_outputs(const std::vector<Head>& heads,
                                     const std::vector<Matrix>& weights) {
    const Output& output = heads[0].variant.output;
    const Index n = heads[0].allowed.rows(), d_v = heads[0].inputs.values.cols();
    const Index rows = output.kind == OutputKind::projected ? Index(heads.size()) * d_v : d_v;
    const Matrix w = matrix_of(heads[0], output.w, "w", rows, rows, 1 / std::sqrt(double(rows)));
    const Index d_out = output.kind == OutputKind::projected     ? w.cols()
                        : output.kind == OutputKind::alternative ? w.rows()
                                                                 : d_v;
    std::vector<Matrix> outputs;
    Matrix sum = Matrix::Zero(n, d_out);
    for (std::size_t h = 0; h < heads.size(); ++h) {
        const Matrix& values = heads[h].inputs.values;
        Matrix mixed = Matrix::Zero(n, d_v);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < values.rows(); ++j)
                for (Index c = 0; c < d_v; ++c) mixed(i, c) += weights[h](i, j) * values(j, c);
        if (output.kind == OutputKind::values) outputs.push_back(mixed);
        if (output.kind == OutputKind::projected)  // each head speaks through its rows of W_o
            sum += mixed.lazyProduct(w.middleRows(Index(h) * d_v, d_v));
        if (output.kind == OutputKind::alternative)
            outputs.push_back(mixed.lazyProduct(w.transpose()) /
                              std::sqrt(double(*d_k_of(heads[h].scene.inputs))));
    }
    if (output.kind == OutputKind::projected) outputs.push_back(sum);
    return outputs;
}

RowFigures expected_figures(const Head& head, const Matrix& weights, const Matrix& sensitivity,
                            Index i) {
    RowFigures row;
    row.nan = has_nan(weights, i);
    row.empty = is_empty(head, i);
    row.max = row.nan ? not_a_number : weights.row(i).maxCoeff();
    bool blocked = false, pad = false;
    const std::vector<std::string> keys = key_tokens(head.scene, head.b);
    for (Index j = 0; j < weights.cols(); ++j) {
        const double w = weights(i, j);
        row.sum += w;
        row.entropy += w == 0 ? 0 : -w * std::log(w);  // the logarithm of a negative weight is NaN
        if (is_token(keys, j, head.scene.pad_token)) row.pads += w, pad = true;
        if (head.allowed(i, j)) continue;
        blocked = true;
        row.leak += w;
        row.gradient_leak += sensitivity.size() > 0 ? sensitivity(i, j) : 0;
    }
    if (row.nan && blocked) row.leak = row.gradient_leak = not_a_number;
    if (row.nan && pad) row.pads = not_a_number;
    if (sensitivity.size() == 0) row.gradient_leak = not_a_number;
    return row;
}

// --- how near

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double unit_in_last_place(Dtype dtype, double x) {
    const int digits[] = {53, 24, 11, 8}, smallest[] = {-1022, -126, -14, -126};
    const auto kind = static_cast<std::size_t>(dtype);
    if (x == 0 || !std::isfinite(x)) return std::ldexp(1.0, smallest[kind] - digits[kind] + 1);
    return std::ldexp(1.0, std::max(std::ilogb(x), smallest[kind]) - digits[kind] + 1);
}

namespace {

template <class Tolerance>
std::string first_off(const Matrix& actual, const Matrix& expected, Tolerance tolerance) {
    std::ostringstream text;
    text.precision(17);
    if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) {
        text << actual.rows() << " x " << actual.cols() << ", expected " << expected.rows() << " x "
             << expected.cols();
        return text.str();
    }
    for (Index i = 0; i < actual.rows(); ++i)
        for (Index j = 0; j < actual.cols(); ++j) {
            const double a = actual(i, j), e = expected(i, j);
            if (same(a, e) || std::abs(a - e) <= tolerance(i, j)) continue;
            text << "at (" << i << ", " << j << "): " << a << ", expected " << e;
            return text.str();
        }
    return "";
}

}  // namespace

std::string first_beyond(double tolerance, const Matrix& actual, const Matrix& expected) {
    return first_off(actual, expected, [&](Index, Index) { return tolerance; });
}

std::string first_beyond_one_unit(Dtype dtype, const Matrix& actual, const Matrix& expected) {
    const Matrix rounded = Rounding(dtype)(expected);
    double largest = 1;
    for (const double x : rounded.reshaped())
        if (std::isfinite(x) && std::abs(x) < 1e5) largest = std::max(largest, std::abs(x));
    return first_off(actual, rounded, [&](Index i, Index j) {
        const double x = rounded(i, j);
        // Beside the unit: sums of float64 in another order, which weigh where they cancel.
        if (dtype == Dtype::float64) return 1e-12 * std::max(largest, std::abs(x));
        return unit_in_last_place(dtype, x) + 1e-13 * largest;
    });
}

}  // namespace maskscope::golden
