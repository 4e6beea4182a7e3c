#include "tests/golden/expected.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
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

// --- formulas, evaluated cell by cell as they are read

struct Names {
    double i, j, n_q, n_k, h, heads, b, pad_i, pad_j;
};

// Reads and computes a formula in one pass, with one function for each level of operators, from the
// loosest.
class Evaluation {
public:
    Evaluation(const std::string& text, const Names& names) : text_(text), names_(names) {}
    double all() { return either(); }

private:
    bool next(const std::string& word) {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        if (text_.compare(at_, word.size(), word) != 0) return false;
        // "<" is not the beginning of "<=", nor "/" of "//".
        const char after = at_ + word.size() < text_.size() ? text_[at_ + word.size()] : ' ';
        if ((word == "<" || word == ">" || word == "!") && after == '=') return false;
        if (word == "/" && after == '/') return false;
        at_ += word.size();
        return true;
    }
    double either() {
        double x = both();
        while (next("||")) {
            const double y = both();
            x = x != 0 || y != 0 ? 1 : 0;
        }
        return x;
    }
    double both() {
        double x = comparison();
        while (next("&&")) {
            const double y = comparison();
            x = x != 0 && y != 0 ? 1 : 0;
        }
        return x;
    }
    double comparison() {
        const double x = sum();
        if (next("<=")) return x <= sum() ? 1 : 0;
        if (next("==")) return x == sum() ? 1 : 0;
        if (next("!=")) return x != sum() ? 1 : 0;
        if (next(">=")) return x >= sum() ? 1 : 0;
        if (next("<")) return x < sum() ? 1 : 0;
        if (next(">")) return x > sum() ? 1 : 0;
        return x;
    }
    double sum() {
        double x = term();
        while (true) {
            if (next("+"))
                x += term();
            else if (next("-"))
                x -= term();
            else
                return x;
        }
    }
    double term() {
        double x = sign();
        while (true) {
            if (next("*")) {
                x *= sign();
            } else if (next("//")) {
                x = std::floor(x / sign());
            } else if (next("/")) {
                x /= sign();
            } else if (next("%")) {
                const double y = sign();
                x -= y * std::floor(x / y);
            } else {
                return x;
            }
        }
    }
    double sign() {
        if (next("-")) return -sign();
        if (next("!")) return sign() == 0 ? 1 : 0;
        return operand();
    }
    double operand() {
        if (next("(")) return closed(either());
        for (const char* call : {"min", "max", "pow", "abs", "floor", "exp", "log"})
            if (next(std::string(call) + "(")) return called(call);
        std::string word;
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                      text_[at_] == '_' || text_[at_] == '.'))
            word += text_[at_++];
        const std::map<std::string, double> named = {
            {"i", names_.i},     {"j", names_.j},         {"n_q", names_.n_q},
            {"n_k", names_.n_k}, {"h", names_.h},         {"heads", names_.heads},
            {"b", names_.b},     {"pad_i", names_.pad_i}, {"pad_j", names_.pad_j}};
        const auto found = named.find(word);
        if (found != named.end()) return found->second;
        if (word.back() == 'e') word += text_[at_++];  // "1e-3"
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
            word += text_[at_++];
        return std::stod(word);
    }
    double closed(double x) {
        next(")");
        return x;
    }
    double called(const std::string& call) {
        const double x = either();
        if (call == "abs") return closed(std::abs(x));
        if (call == "floor") return closed(std::floor(x));
        if (call == "exp") return closed(std::exp(x));
        if (call == "log") return closed(std::log(x));
        next(",");
        const double y = closed(either());
        if (call == "pow") return std::pow(x, y);
        if (std::isnan(x) || std::isnan(y)) return not_a_number;
        return (call == "min") == (x < y) ? x : y;
    }

    const std::string& text_;
    const Names& names_;
    std::size_t at_ = 0;
};

// A query of the head, and its position p. While decoding, n_q and n_k may be smaller than in the
// scene.
struct Query {
    Index i, p, n_q, n_k, listed;
};

// Returns entry k of a list; after its end, positions continue from the last entry. Returns
// `otherwise` if no positions are listed, as with the output of another layer as inputs.
Index listed_at(const Head& head, const std::vector<Index>& list, Index k, Index otherwise) {
    if (list.empty() || !head.scene.sequences[head.b].keys ||
        std::holds_alternative<OutputInputs>(head.scene.inputs))
        return otherwise;
    Index place = list[0];
    for (Index at = 1; at <= k; ++at) place = at < std::ssize(list) ? list[at] : place + 1;
    return place;
}

Query query_of(const Head& head, Index i) {
    const Sequence& sequence = head.scene.sequences[head.b];
    return {i, listed_at(head, *sequence.positions, i, sequence.start + i), head.allowed.rows(),
            head.allowed.cols(), i};
}

Index place_of_key(const Head& head, Index j) {
    return listed_at(head, *head.scene.sequences[head.b].key_positions, j, j);
}

// Returns number (i, j) of this head in a tensor, whose first axes may be 1 or missing.
double given_at(const Head& head, const Array& array, Index i, Index j) {
    std::vector<Index> axes = array.axes;
    while (axes.size() < 4) axes.insert(axes.begin(), 1);
    const Index b = axes[0] == 1 ? 0 : head.b, h = axes[1] == 1 ? 0 : head.h;
    return array.values->float64s()[((b * axes[1] + h) * axes[2] + i) * axes[3] + j];
}

// Returns slopes as the authors of ALiBi define them: if the number of heads is a power of two, a
// geometric sequence; otherwise those of the largest power of two below, then every second slope of
// twice that power.
std::vector<double> published_slopes(Index heads) {
    std::vector<double> slopes;
    Index power = 1;
    while (2 * power <= heads) power *= 2;
    const double first = std::pow(2.0, -8.0 / double(power));
    for (Index h = 0; h < power; ++h) slopes.push_back(std::pow(first, double(h + 1)));
    if (power == heads) return slopes;
    const std::vector<double> more = published_slopes(2 * power);
    for (std::size_t k = 0; std::ssize(slopes) < heads; k += 2) slopes.push_back(more[k]);
    return slopes;
}

double value_of(const Head& head, const std::string& expression, const Query& q, Index j) {
    const std::string& pad = head.scene.pad_token;
    const auto is_pad = [&](bool yes) { return yes ? 1.0 : 0.0; };
    const Names names{double(q.p),
                      double(place_of_key(head, j)),
                      double(q.n_q),
                      double(q.n_k),
                      double(head.h),
                      double(heads_of(head.scene.inputs)),
                      double(head.b),
                      is_pad(is_token(query_tokens(head.scene, head.b), q.listed, pad)),
                      is_pad(is_token(key_tokens(head.scene, head.b), j, pad))};
    return Evaluation(expression, names).all();
}

bool is_ancestor(const std::vector<Index>& parents, Index of, Index j) {
    for (; of >= 0; of = parents[of])
        if (of == j) return true;
    return false;
}

bool layer_allows(const Head& head, const MaskLayer& layer, const Query& q, Index j);

bool plainly_allows(const Head& head, const MaskLayer& layer, const Query& q, Index j) {
    const std::string& pad = head.scene.pad_token;
    const auto allows = [&](const MaskLayer& inner) { return layer_allows(head, inner, q, j); };
    const auto is_global = [&](Index k) { return std::ranges::count(layer.tokens, k) > 0; };
    const Index r = place_of_key(head, j);
    switch (layer.kind) {
        case LayerKind::causal:
            if (layer.align == Align::positions) return r <= q.p;
            return j <= (layer.align == Align::top_left ? q.i : q.i + q.n_k - q.n_q);
        case LayerKind::padding:
            return !is_token(key_tokens(head.scene, head.b), j, pad);
        case LayerKind::padding_queries:
            return !is_token(query_tokens(head.scene, head.b), q.listed, pad);
        case LayerKind::window:
            return r >= q.p - layer.left && r <= q.p + layer.right;
        case LayerKind::prefix:
            return j < layer.length || r <= q.p;
        case LayerKind::sinks:
            return j < layer.count;
        case LayerKind::documents: {
            const auto& lengths =
                layer.lengths_each.empty() ? layer.lengths : layer.lengths_each[head.b];
            return document_of(lengths, q.p) == document_of(lengths, j);
        }
        case LayerKind::tensor: {
            const double x = given_at(head, *layer.tensor, q.listed, j);
            return layer.tensor->truths ? x != 0 : x == 0;
        }
        case LayerKind::blocked:
            return !is_listed(layer, q.listed, j);
        case LayerKind::allowed:
            return is_listed(layer, q.listed, j);
        case LayerKind::chunked:
            return r / layer.size == q.p / layer.size;
        case LayerKind::block_causal:
            return r / layer.size <= q.p / layer.size;
        case LayerKind::global:
            return is_global(q.p) || is_global(j);
        case LayerKind::groups: {
            const auto& ids = layer.ids_each.empty() ? layer.ids : layer.ids_each[head.b];
            return ids[q.p] >= 0 && ids[q.p] == ids[j];
        }
        case LayerKind::tree:
            return is_ancestor(layer.parents, q.p, j);
        case LayerKind::formula: {
            const double value = value_of(head, layer.expression, q, j);
            return value != 0 && !std::isnan(value);
        }
        case LayerKind::any:
            return std::ranges::any_of(layer.layers, allows);
        case LayerKind::all:
            return std::ranges::all_of(layer.layers, allows);
        default:
            return true;
    }
}

bool layer_allows(const Head& head, const MaskLayer& layer, const Query& q, Index j) {
    return plainly_allows(head, layer, q, j) != layer.invert;
}

double bias_at(const Head& head, const Query& q, Index j) {
    double bias = 0;
    for (const MaskLayer& layer : head.variant.mask.layers) {
        if (!applies_to(layer, head.h)) continue;
        const Index heads = heads_of(head.scene.inputs);
        const double slope = layer.slopes == Slopes::published
                                 ? published_slopes(heads)[head.h]
                                 : std::pow(2.0, -8.0 * double(head.h + 1) / double(heads));
        if (layer.kind == LayerKind::alibi)
            bias -= slope * double(std::abs(q.p - place_of_key(head, j)));
        if (layer.kind == LayerKind::formula_bias) bias += value_of(head, layer.expression, q, j);
        if (layer.kind == LayerKind::bias && layer.tensor)
            bias += given_at(head, *layer.tensor, q.listed, j);
        for (const BiasCell& cell : layer.bias)
            if (cell.i == q.listed && cell.j == j) bias += cell.x;
    }
    return bias;
}

double factor_of_scale(const Head& head, Index i) {
    switch (head.variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return 1 / std::sqrt(double(*d_k_of(head.scene.inputs)));
        case ScaleKind::sqrt_n_k:
            return 1 / std::sqrt(double(head.allowed.cols()));
        case ScaleKind::none:
            return 1;
        case ScaleKind::number:
            return head.variant.scale.number;
        case ScaleKind::formula:
            return value_of(head, head.variant.scale.expression, query_of(head, i), 0);
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

// True if query i may attend to key j under the mask as it acts: with EmptyRows::all, a row without
// an allowed key may attend to all keys.
bool acts_open(const Head& head, Index i, Index j) {
    const bool opens =
        head.variant.empty_rows == EmptyRows::all && head.variant.mask.apply != Apply::none;
    return head.allowed(i, j) || (opens && is_empty(head, i));
}

// Returns the matrix as given or seeded, rounded.
Matrix matrix_of(const Head& head, const std::optional<Array>& given, const char* stream,
                 Index rows, Index columns, double factor) {
    const Rounding rounded(head.variant.dtype);
    if (!given)
        return rounded(seeded_matrix(seed_of(head.scene.inputs), stream, rows, columns, factor));
    const Index width = given->axes.back();
    Matrix matrix(Index(given->values->size()) / width, width);
    given->values->copy(0, {matrix.data(), given->values->size()});
    return rounded(matrix);
}

Matrix unmended_weights(const Head& head, const Matrix& softmax) {
    const Apply apply = head.variant.mask.apply;
    if (!multiplies_weights(apply)) return softmax;
    Matrix weights = each_cell(
        head, [&](Index i, Index j) { return softmax(i, j) * (acts_open(head, i, j) ? 1 : 0); });
    if (apply == Apply::multiply_weights_renormalized)
        for (Index i = 0; i < weights.rows(); ++i) {
            double sum = 0;
            for (Index j = 0; j < weights.cols(); ++j) sum += weights(i, j);
            for (Index j = 0; j < weights.cols(); ++j) weights(i, j) /= sum;
        }
    return weights;
}

// Returns d(c tanh(x / c))/dx = 1/cosh²(x / c) if x was capped, otherwise 1.
double slope_of_cap(const Head& head, double scaled, Index i, Index j) {
    const auto& softcap = head.variant.softcap;
    if (!softcap) return 1;
    double x = scaled;
    if (softcap->order == CapOrder::after_mask)
        x = masked(head.variant, x + bias_at(head, query_of(head, i), j), acts_open(head, i, j));
    return std::isinf(x) ? 0 : std::pow(1 / std::cosh(x / softcap->cap), 2);
}

// Returns Σ_k |∂w_k/∂s_j| from the Jacobian itself: ∂a_k/∂s_j = a_k (δ_kj − a_j). Renormalized
// weights sum to 1 except for rounding, which the formula 2 w_j (1 − w_j) ignores.
double sum_of_gradients(const Head& head, const Matrix& softmax, const Matrix& weights, Index i,
                        Index j) {
    const Apply apply = head.variant.mask.apply;
    if (apply == Apply::multiply_weights_renormalized)
        return 2 * weights(i, j) * (1 - weights(i, j)) *
               (head.variant.normalizer == Normalizer::sigmoid ? 1 - softmax(i, j) : 1);
    if (head.variant.normalizer == Normalizer::sigmoid)
        return (apply == Apply::multiply_weights && !acts_open(head, i, j) ? 0 : 1) *
               softmax(i, j) * (1 - softmax(i, j));
    double sum = 0;
    for (Index k = 0; k < softmax.cols(); ++k) {
        const double factor = apply == Apply::multiply_weights && !acts_open(head, i, k) ? 0 : 1;
        sum += std::abs(factor * softmax(i, k) * ((k == j ? 1 : 0) - softmax(i, j)));
    }
    return sum;
}

}  // namespace

bool allowed_at(const Head& head, Index i, Index j) {
    bool allowed = true;
    const Query q = query_of(head, i);
    for (const MaskLayer& layer : head.variant.mask.layers)
        if (applies_to(layer, head.h) && layer.kind != LayerKind::allowed)
            allowed = allowed && layer_allows(head, layer, q, j);
    for (const MaskLayer& layer : head.variant.mask.layers)
        if (applies_to(layer, head.h) && layer.kind == LayerKind::allowed)
            allowed = allowed || is_listed(layer, i, j);
    return allowed;
}

Matrix expected_scores(const Head& head) {
    if (head.inputs.scores.size() > 0) return head.inputs.scores;
    Matrix q = head.inputs.queries;
    const Matrix& k = head.inputs.keys;
    if (head.variant.mask.order == Order::queries_first)
        q = Rounding(head.variant.dtype)(q * factor_of_scale(head, 0));
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
            case ScoreKind::bilinear:  // (qᵀ M) k: if a number is infinite, the order matters
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
    if (head.variant.mask.order == Order::queries_first) return scores;
    return each_cell(head,
                     [&](Index i, Index j) { return scores(i, j) * factor_of_scale(head, i); });
}

Matrix expected_logits(const Head& head, const Matrix& scores, const Matrix& scaled) {
    return each_cell(head, [&](Index i, Index j) {
        const double bias = bias_at(head, query_of(head, i), j);
        const auto& softcap = head.variant.softcap;
        const auto cap = [&](CapOrder order, double x) {
            return softcap && softcap->order == order ? softcap->cap * std::tanh(x / softcap->cap)
                                                      : x;
        };
        if (head.variant.mask.order != Order::mask_then_scale)
            return cap(CapOrder::after_mask,
                       masked(head.variant, cap(CapOrder::before_mask, scaled(i, j)) + bias,
                              acts_open(head, i, j)));
        return masked(head.variant, scores(i, j), acts_open(head, i, j)) *
                   factor_of_scale(head, i) +
               bias;
    });
}

// Returns s, where e^s is added to the keys' terms; -infinity if nothing is added.
double sink_at(const Head& head) {
    if (head.variant.normalizer == Normalizer::softmax_plus_one) return 0;
    if (head.variant.normalizer != Normalizer::softmax_sink) return -infinity;
    const auto* each = std::get_if<std::vector<double>>(&head.variant.sink);
    return each ? each->at(head.h) : std::get<double>(head.variant.sink);
}

Matrix expected_softmax(const Head& head, const Matrix& logits) {
    if (head.variant.normalizer == Normalizer::sigmoid)
        return each_cell(head, [&](Index i, Index j) { return 1 / (1 + std::exp(-logits(i, j))); });
    const double sink = sink_at(head);
    Matrix softmax = Matrix::Constant(logits.rows(), logits.cols(), not_a_number);
    for (Index i = 0; i < logits.rows(); ++i) {
        double largest = sink;
        bool spoiled = has_nan(logits, i);
        for (Index j = 0; j < logits.cols(); ++j) {
            spoiled = spoiled || logits(i, j) == infinity;
            if (logits(i, j) > largest) largest = logits(i, j);
        }
        if (spoiled || largest == -infinity) continue;
        double sum = std::exp(sink - largest);
        for (Index j = 0; j < logits.cols(); ++j) sum += std::exp(logits(i, j) - largest);
        for (Index j = 0; j < logits.cols(); ++j)
            softmax(i, j) = std::exp(logits(i, j) - largest) / sum;
    }
    return softmax;
}

Matrix expected_weights(const Head& head, const Matrix& softmax) {
    Matrix weights = unmended_weights(head, softmax);
    for (Index i = 0; i < weights.rows(); ++i)
        if ((head.variant.empty_rows == EmptyRows::zero ||
             head.variant.empty_rows == EmptyRows::zero_after) &&
            head.variant.mask.apply != Apply::none && is_empty(head, i))
            weights.row(i).setZero();
    return weights;
}

Matrix expected_sensitivity(const Head& head, const Matrix& scaled, const Matrix& softmax) {
    const Apply apply = head.variant.mask.apply;
    const bool alone = head.variant.normalizer == Normalizer::sigmoid;
    const Matrix weights = Rounding(head.variant.dtype)(unmended_weights(head, softmax));
    return each_cell(head, [&](Index i, Index j) {
        if (head.variant.empty_rows == EmptyRows::zero && apply != Apply::none && is_empty(head, i))
            return 0.0;
        if (alone ? std::isnan(weights(i, j)) : has_nan(weights, i)) return not_a_number;
        if ((apply == Apply::replace || apply == Apply::multiply_scores) && !acts_open(head, i, j))
            return 0.0;
        const double gradient = sum_of_gradients(head, softmax, weights, i, j);
        return gradient == 0 ? 0 : gradient * slope_of_cap(head, scaled(i, j), i, j);
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
        if (output.kind == OutputKind::projected)  // each head contributes through its rows of W_o
            sum += mixed.lazyProduct(w.middleRows(Index(h) * d_v, d_v));
        if (output.kind == OutputKind::alternative)
            outputs.push_back(mixed.lazyProduct(w.transpose()) /
                              std::sqrt(double(*d_k_of(heads[h].scene.inputs))));
    }
    if (output.kind == OutputKind::projected) outputs.push_back(sum);
    return outputs;
}

double log_sum_exp(const Matrix& logits, Index i) {
    if (logits.size() == 0 || has_nan(logits, i)) return not_a_number;
    const double largest = logits.row(i).maxCoeff();
    if (std::isinf(largest)) return largest;
    double sum = 0;
    for (Index j = 0; j < logits.cols(); ++j) sum += std::exp(logits(i, j) - largest);
    return std::log(sum) + largest;
}

RowFigures expected_figures(const Head& head, const Matrix& weights, const Matrix& sensitivity,
                            const Matrix& logits, Index i) {
    RowFigures row;
    row.nan = has_nan(weights, i);
    row.empty = is_empty(head, i);
    row.lse = log_sum_exp(logits, i);
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

// --- tolerances

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
        // Besides the unit, the tolerance allows for float64 sums in another order, which matter if
        // terms cancel.
        if (dtype == Dtype::float64) return 1e-12 * std::max(largest, std::abs(x));
        return unit_in_last_place(dtype, x) + 1e-13 * largest;
    });
}

}  // namespace maskscope::golden
