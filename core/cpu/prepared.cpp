#include "core/cpu/prepared.h"

#include <atomic>
#include <cmath>

namespace maskscope {
namespace {

struct Sizes {
    double largest = 0;  // the largest magnitude of a finite number
    bool finite = true;  // true if all numbers are finite

    void add(const Matrix& numbers) {
        for (const double* x = numbers.data(); x != numbers.data() + numbers.size(); ++x)
            if (std::isfinite(*x))
                largest = std::max(largest, std::abs(*x));
            else
                finite = false;
    }
};

RowScore row_score(ScoreKind kind) {
    if (kind == ScoreKind::gaussian) return RowScore::gaussian;
    return kind == ScoreKind::additive ? RowScore::additive : RowScore::dot;
}

// Returns a bound on a score, from bounds on its components: Σ q k, Σ (q − k)², or for additive
// scores the largest of Σ |w_v|, q and k.
double most_of_a_score(RowScore kind, double d, double q, double k, double w_v) {
    if (kind == RowScore::gaussian) return d * (q + k) * (q + k);
    if (kind == RowScore::additive) return std::max({d * w_v, q, k});
    return d * q * k;
}

std::size_t bytes_of(const PreparedHead& head) {
    return (head.q.size() + head.panels.size() + head.scores.size() + head.values.size()) *
           sizeof(float);
}

void drop_numbers(PreparedHead& head) {
    head.has_numbers = false;
    for (LargeArray<float>* numbers : {&head.q, &head.panels, &head.scores, &head.values})
        LargeArray<float>().swap(*numbers);
}

struct Preparation {
    const BatchInputs& inputs;
    const Variant& variant;
    const ScoreMatrices& matrices;
    PreparedInputs& made;
    const Rounding rounded{variant.dtype};
    std::atomic<bool> in_range = made.in_range;

    // Converts a part of a head to the form that the kernels read, some rows at a time. If numbers
    // are requested, they are rows of `columns`, padded with 0.
    Sizes take(std::size_t head, InputPart part, const Matrix& factor, std::size_t columns,
               LargeArray<float>* numbers) const {
        const Index all = inputs.size_of(part).rows, h = inputs.shape.h;
        const auto b = static_cast<Index>(head) / h;
        if (numbers) numbers->assign(static_cast<std::size_t>(all) * columns, 0.0F);
        Sizes sizes;
        constexpr Index rows_at_once = 64;
        for (Index first = 0; first < all; first += rows_at_once) {
            Matrix some = rounded(inputs.part(b, static_cast<Index>(head) % h, part, first,
                                              std::min(rows_at_once, all - first)));
            if (factor.size() > 0) some = product(some, factor);
            sizes.add(some);
            for (Index i = 0; numbers && i < some.rows(); ++i)
                for (Index j = 0; j < some.cols(); ++j)
                    (*numbers)[static_cast<std::size_t>(first + i) * columns +
                               static_cast<std::size_t>(j)] = static_cast<float>(some(i, j));
        }
        return sizes;
    }

    // Returns the matrix that queries are multiplied by in advance: a bilinear score is then a dot
    // product, and an additive score a sum of w tanh(q + k).
    Matrix factor_of_queries() const {
        if (variant.score.kind == ScoreKind::bilinear) return matrices.matrix;
        if (variant.score.kind == ScoreKind::additive) return matrices.w_q.transpose();
        return {};
    }
    Matrix factor_of_keys() const {
        return variant.score.kind == ScoreKind::additive ? Matrix(matrices.w_k.transpose())
                                                         : Matrix();
    }

    void give_scores(std::size_t head, PreparedHead& prepared) {
        const auto n_k = static_cast<std::size_t>(inputs.shape.n_k);
        if (made.d == 0) {
            const Sizes sizes = take(head, &HeadInputs::scores, {}, n_k,
                                     prepared.has_numbers ? &prepared.scores : nullptr);
            prepared.finite_scores = sizes.finite;
            prepared.largest_score = sizes.largest;
            return;
        }
        LargeArray<float> keys;
        const Sizes of_q = take(head, &HeadInputs::queries, factor_of_queries(), made.d,
                                prepared.has_numbers ? &prepared.q : nullptr);
        const Sizes of_k = take(head, &HeadInputs::keys, factor_of_keys(), made.d,
                                prepared.has_numbers ? &keys : nullptr);
        Sizes of_w;
        of_w.add(matrices.w_v);
        const double most = most_of_a_score(made.kind, static_cast<double>(made.d), of_q.largest,
                                            of_k.largest, of_w.largest);
        // q M is kept as float32, too, even if the keys are small.
        if (!(std::max(most, of_q.largest) < almost_too_large)) in_range = false;
        prepared.finite_scores = of_q.finite && of_k.finite && of_w.finite;
        prepared.largest_score = most;
        if (!prepared.has_numbers) return;
        prepared.panels.resize(kernels().packed_size(n_k, made.d));
        kernels().pack(keys.data(), n_k, made.d, prepared.panels.data());
    }

    void prepare_head(std::size_t head) {
        PreparedHead& prepared = made.heads[head];
        give_scores(head, prepared);
        if (made.value_columns == 0) return;
        const Sizes sizes = take(head, &HeadInputs::values, {}, made.value_columns,
                                 prepared.has_numbers ? &prepared.values : nullptr);
        prepared.finite_values = sizes.finite;
        prepared.largest_value = sizes.largest;
    }
};

}  // namespace

std::size_t padded_columns(Index columns) {
    return (static_cast<std::size_t>(columns) + 15) / 16 * 16;
}

LargeArray<float> padded(const Matrix& matrix) {
    const std::size_t columns = padded_columns(matrix.cols());
    LargeArray<float> floats(static_cast<std::size_t>(matrix.rows()) * columns, 0.0F);
    for (Index i = 0; i < matrix.rows(); ++i)
        for (Index j = 0; j < matrix.cols(); ++j)
            floats[static_cast<std::size_t>(i) * columns + static_cast<std::size_t>(j)] =
                static_cast<float>(matrix(i, j));
    return floats;
}

void prepare(PreparedInputs& prepared, const BatchInputs& inputs, const Variant& variant,
             const ScoreMatrices& matrices, std::optional<Index> head, Pool& pool,
             std::size_t most_bytes_of_heads) {
    const auto heads = static_cast<std::size_t>(inputs.shape.b * inputs.shape.h);
    const bool first = prepared.heads.empty();
    if (first) {
        prepared.heads.resize(heads);
        if (inputs.size_of(&HeadInputs::scores).rows == 0) {
            prepared.kind = row_score(variant.score.kind);
            prepared.d = static_cast<std::size_t>(variant.score.kind == ScoreKind::additive
                                                      ? matrices.w_v.cols()
                                                      : inputs.size_of(&HeadInputs::keys).columns);
            prepared.w_v = {matrices.w_v.data(), matrices.w_v.data() + matrices.w_v.size()};
        }
        if (const auto values = inputs.size_of(&HeadInputs::values); values.rows > 0)
            prepared.value_columns = padded_columns(values.columns);
    }
    std::vector<std::size_t> to_do;
    for (std::size_t k = 0; k < heads; ++k) {
        PreparedHead& one = prepared.heads[k];
        const bool wanted = !head || static_cast<std::size_t>(*head) == k;
        if (first || (wanted && !one.has_numbers)) to_do.push_back(k);
        if (wanted) one.has_numbers = true;
    }
    if (to_do.empty()) return;
    Preparation preparation{inputs, variant, matrices, prepared};
    pool.run(to_do.size(), Pool::Shares::fixed,
             [&](std::size_t part, int) { preparation.prepare_head(to_do[part]); });
    prepared.in_range = preparation.in_range;
    // Other heads may be requested next, so their numbers stay unless they take too much memory.
    if (!head || variant.output.kind == OutputKind::projected) return;
    std::size_t bytes = 0;
    for (const PreparedHead& one : prepared.heads) bytes += bytes_of(one);
    if (bytes > most_bytes_of_heads)
        for (std::size_t k = 0; k < heads; ++k)
            if (k != static_cast<std::size_t>(*head)) drop_numbers(prepared.heads[k]);
}

}  // namespace maskscope
