#include "core/cpu/prepared.h"

#include <atomic>
#include <cmath>

namespace maskscope {
namespace {

struct Sizes {
    double largest = 0;  // magnitude of the finite numbers
    bool finite = true;  // whether all numbers are
};

Sizes sizes_of(const Matrix& numbers) {
    Sizes sizes;
    for (const double* x = numbers.data(); x != numbers.data() + numbers.size(); ++x)
        if (std::isfinite(*x))
            sizes.largest = std::max(sizes.largest, std::abs(*x));
        else
            sizes.finite = false;
    return sizes;
}

LargeArray<float> to_floats(const Matrix& matrix) {
    LargeArray<float> floats(static_cast<std::size_t>(matrix.size()));
    for (std::size_t k = 0; k < floats.size(); ++k)
        floats[k] = static_cast<float>(matrix.data()[k]);
    return floats;
}

RowScore row_score(ScoreKind kind) {
    if (kind == ScoreKind::gaussian) return RowScore::gaussian;
    return kind == ScoreKind::additive ? RowScore::additive : RowScore::dot;
}

// A bound on a score from the bounds of its components: Σ q k, Σ (q − k)², or Σ |w_v|.
double most_of_a_score(RowScore kind, double d, double q, double k, double w_v) {
    if (kind == RowScore::gaussian) return d * (q + k) * (q + k);
    if (kind == RowScore::additive) return std::max({d * w_v, q, k});
    return d * q * k;
}

struct Preparation {
    const Variant& variant;
    const ScoreMatrices& matrices;
    Prepared& made;
    std::atomic<bool> in_range = true;

    // Bilinear scores are a dot product, and additive scores a sum of tanh, of projected inputs.
    Matrix queries_of(const HeadInputs& head) const {
        if (variant.score.kind == ScoreKind::bilinear)
            return product(head.queries, matrices.matrix);
        if (variant.score.kind == ScoreKind::additive)
            return product(head.queries, matrices.w_q.transpose());
        return head.queries;
    }
    Matrix keys_of(const HeadInputs& head) const {
        return variant.score.kind == ScoreKind::additive
                   ? product(head.keys, matrices.w_k.transpose())
                   : head.keys;
    }

    void give_scores(const HeadInputs& head, PreparedHead& prepared) {
        if (made.d == 0) {
            prepared.scores = to_floats(head.scores);
            const Sizes sizes = sizes_of(head.scores);
            prepared.finite_scores = sizes.finite;
            prepared.largest_score = sizes.largest;
            return;
        }
        const Matrix q = queries_of(head), k = keys_of(head);
        const Sizes of_q = sizes_of(q), of_k = sizes_of(k), of_w = sizes_of(matrices.w_v);
        const double most = most_of_a_score(made.kind, static_cast<double>(made.d), of_q.largest,
                                            of_k.largest, of_w.largest);
        if (!(most < almost_too_large)) in_range = false;
        prepared.finite_scores = of_q.finite && of_k.finite && of_w.finite;
        prepared.largest_score = most;
        prepared.q = to_floats(q);
        const LargeArray<float> keys = to_floats(k);
        const auto n_k = static_cast<std::size_t>(k.rows());
        prepared.panels.resize(kernels().packed_size(n_k, made.d));
        kernels().pack(keys.data(), n_k, made.d, prepared.panels.data());
    }

    void prepare_head(const HeadInputs& inputs, PreparedHead& prepared) {
        const HeadInputs head = round_inputs(inputs, Rounding(variant.dtype));
        give_scores(head, prepared);
        if (head.values.size() == 0) return;
        prepared.values = padded(head.values);
        const Sizes sizes = sizes_of(head.values);
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

std::shared_ptr<const Prepared> prepare(const BatchInputs& inputs, const Variant& variant,
                                        const ScoreMatrices& matrices, Pool& pool) {
    auto made = std::make_shared<Prepared>();
    const HeadInputs& first = inputs.heads.front();
    made->heads.resize(inputs.heads.size());
    if (first.scores.size() == 0) {
        made->kind = row_score(variant.score.kind);
        made->d = static_cast<std::size_t>(
            variant.score.kind == ScoreKind::additive ? matrices.w_v.cols() : first.keys.cols());
        made->w_v = to_floats(matrices.w_v);
    }
    made->value_columns = first.values.size() > 0 ? padded_columns(first.values.cols()) : 0;
    Preparation preparation{variant, matrices, *made};
    pool.run(inputs.heads.size(), Pool::Shares::fixed, [&](std::size_t head, int) {
        preparation.prepare_head(inputs.heads[head], made->heads[head]);
    });
    made->in_range = preparation.in_range;
    return made;
}

}  // namespace maskscope
