#include "core/compute/embedding.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <variant>

#include "core/attention/attention.h"
#include "core/attention/seeded.h"

namespace maskscope {

// --- patterns

namespace {

bool holds(Pattern pattern, const TokenView& queries, const TokenView& keys, Index i, Index j) {
    const auto same = [&](Index key) {
        return &keys[key] == &queries[i] || keys[key] == queries[i];
    };
    switch (pattern) {
        case Pattern::previous:
            return j == i - 1;
        case Pattern::next:
            return j == i + 1;
        case Pattern::self:
            return j == i;
        case Pattern::first:
            return j == 0;
        case Pattern::local:
            return std::abs(i - j) <= 1;
        case Pattern::same_token:
            return j != i && same(j);
        case Pattern::induction:
            return 0 < j && j <= i && same(j - 1);
        case Pattern::uniform:
        case Pattern::random:
            return false;
    }
    return false;
}

}  // namespace

Matrix pattern_scores(const PatternHead& head, const TokenView& queries, const TokenView& keys) {
    Matrix scores = Matrix::Zero(std::ssize(queries), std::ssize(keys));
    for (Index i = 0; i < scores.rows(); ++i)
        for (Index j = 0; j < scores.cols(); ++j)
            if (holds(head.pattern, queries, keys, i, j)) scores(i, j) = head.strength;
    return scores;
}

// --- the numbers of each kind of inputs, in the order of the scene format

namespace {

// A maker of the inputs of one scene, with a function for each kind.
struct InputsMaker {
    const Scene& scene;
    Progress& progress;
    std::optional<Index> replaced;
    BatchInputs batch{shape_of(scene), {}};
    double numbers_made = 0;  // numbers of projections made so far

    // Returns the vectors of tokens at their positions: x = (e + p_i)/√2, [n, d_model]. start: the
    // position of the first token, unless the positions are listed. replaced: the index of a token
    // that is replaced.
    static Matrix embed(const EmbeddingInputs& inputs, const TokenView& tokens,
                        const std::vector<Index>& listed, Index start,
                        std::optional<Index> replaced = std::nullopt) {
        Matrix x(std::ssize(tokens), inputs.d_model);
        const Stream pad(inputs.seed, "token:" + tokens.pad());
        for (Index i = 0; i < x.rows(); ++i) {
            Stream token = tokens.is_pad(i) ? pad : Stream(inputs.seed, "token:" + tokens[i]);
            if (i == replaced)
                token = Stream(inputs.seed, tokens[i] == "⁂" ? "token:⁂⁂" : "token:⁂");
            Stream position(inputs.seed,
                            "position:" + std::to_string(position_at(listed, start, i)));
            for (Index c = 0; c < x.cols(); ++c) {
                const double e = token.normal();
                x(i, c) = (e + position.normal()) / std::sqrt(2.0);
            }
        }
        return x;
    }

    // Returns x W, [n, d], for the tokens x of each sequence, with W_q, W_k or W_v of one head,
    // [d_model, d], of which only some rows are made at a time.
    std::vector<Matrix> projected(const EmbeddingInputs& inputs, const std::vector<Matrix>& x,
                                  const char* stream, Index h, Index d) {
        constexpr Index most_numbers = Index{1} << 18;
        const double factor = 1 / std::sqrt(static_cast<double>(inputs.d_model));
        Stream numbers(inputs.seed, stream + std::to_string(h));
        std::vector<Matrix> sums;
        for (const Matrix& tokens : x) sums.push_back(Matrix::Zero(tokens.rows(), d));
        const Index at_once = std::clamp<Index>(most_numbers / d, 1, inputs.d_model);
        for (Index first = 0; first < inputs.d_model; first += at_once) {
            if (progress.cancel) throw Cancellation{};
            Matrix w(std::min(at_once, inputs.d_model - first), d);
            numbers.fill_normals({w.data(), static_cast<std::size_t>(w.size())});
            w *= factor;
            for (std::size_t b = 0; b < x.size(); ++b)
                add_product(x[b].middleCols(first, w.rows()), w, sums[b]);
            numbers_made += static_cast<double>(w.size());
            progress.done = numbers_made / static_cast<double>(inputs.heads * inputs.d_model *
                                                               (2 * inputs.d_k + inputs.d_v));
        }
        return sums;
    }

    HeadInputs& at(Index b, Index h) { return batch.heads[b * batch.shape.h + h]; }

    // Returns the first head with the same keys and values as head h.
    Index first_with_keys_of(Index h) const {
        Index first = 0;
        while (kv_head_of(scene.inputs, first) != kv_head_of(scene.inputs, h)) ++first;
        return first;
    }

    void operator()(const EmbeddingInputs& inputs) {
        std::vector<Matrix> queries, keys;  // [b] of [n, d_model]
        const bool self = is_self_attention(scene);
        for (Index b = 0; b < batch.shape.b; ++b) {
            if (progress.cancel) throw Cancellation{};
            // The scene of a previous layer has only one side, whose tokens are both queries and
            // keys.
            const Sequence& sequence = scene.sequences[b];
            keys.push_back(embed(inputs, key_tokens(scene, b, batch.shape.n_k),
                                 self ? *sequence.positions : *sequence.key_positions, 0,
                                 replaced));
            if (!self)
                queries.push_back(embed(inputs, query_tokens(scene, b, batch.shape.n_q),
                                        *sequence.positions, sequence.start));
        }
        for (Index h = 0; h < inputs.heads; ++h) {
            auto of_queries = projected(inputs, self ? keys : queries, "w_q:", h, inputs.d_k);
            for (Index b = 0; b < batch.shape.b; ++b) at(b, h).queries = std::move(of_queries[b]);
            give_keys_and_values(inputs, keys, h);
        }
    }

    void give_keys_and_values(const EmbeddingInputs& inputs, const std::vector<Matrix>& keys,
                              Index h) {
        const Index first = first_with_keys_of(h), of_keys = kv_head_of(scene.inputs, h);
        if (first == h) {
            auto k = projected(inputs, keys, "w_k:", of_keys, inputs.d_k);
            auto v = projected(inputs, keys, "w_v:", of_keys, inputs.d_v);
            for (Index b = 0; b < batch.shape.b; ++b) {
                at(b, h).keys = std::move(k[b]);
                at(b, h).values = std::move(v[b]);
            }
            return;
        }
        for (Index b = 0; b < batch.shape.b; ++b) {
            at(b, h).keys = at(b, first).keys;
            at(b, h).values = at(b, first).values;
        }
    }

    void operator()(const PatternsInputs& inputs) {
        for (Index h = 0; h < batch.shape.h; ++h) {
            const PatternHead& pattern = inputs.heads[h];
            Stream random(inputs.seed, "random:" + std::to_string(h));
            for (Index b = 0; b < batch.shape.b; ++b) {
                HeadInputs& made = at(b, h);
                if (progress.cancel) throw Cancellation{};
                const TokenView keys = key_tokens(scene, b, batch.shape.n_k);
                made.scores =
                    pattern_scores(pattern, query_tokens(scene, b, batch.shape.n_q), keys);
                if (pattern.pattern == Pattern::random)
                    for (double& x : made.scores.reshaped<Eigen::RowMajor>())
                        x = random.normal() * pattern.strength;
                made.values.resize(std::ssize(keys), inputs.d_v);
                for (Index j = 0; j < made.values.rows(); ++j)
                    if (j > 0 && &keys[j] == &keys[j - 1])  // padding
                        made.values.row(j) = made.values.row(j - 1);
                    else
                        made.values.row(j) =
                            seeded_matrix(inputs.seed, "value:" + std::to_string(h) + ":" + keys[j],
                                          1, inputs.d_v, 1);
            }
        }
    }

    // Does nothing: a batch uses the arrays of the scene themselves, and a model makes numbers for
    // each variant.
    void operator()(const auto&) {}

    // Returns the outputs of the previous layer, which attends among the tokens of one side.
    std::vector<Matrix> run(const LayerBefore& layer, bool among_keys) {
        const Scene alone = scene_of_layer(scene, layer, among_keys);
        const auto replaced_here = among_keys || is_self_attention(scene) ? replaced : std::nullopt;
        StageTimes times;
        return attend_all(alone, alone.variants.front(),
                          make_inputs(alone, progress, replaced_here), progress, times,
                          [](const Block&) {});
    }

    void operator()(const OutputInputs& inputs) {
        const std::vector<Matrix> among_queries = run(*inputs.of, false);
        const std::vector<Matrix> among_keys =
            inputs.keys ? run(**inputs.keys, true) : among_queries;
        for (std::size_t k = 0; k < batch.heads.size(); ++k) {
            batch.heads[k].queries = among_queries[k];
            batch.heads[k].keys = among_keys[k];
            batch.heads[k].values = among_keys[k];
        }
    }
};

}  // namespace

BatchInputs make_inputs(const Scene& scene, Progress& progress, std::optional<Index> replaced) {
    InputsMaker make{scene, progress, replaced};
    const Shape& shape = make.batch.shape;
    if (gives_arrays(scene.inputs))
        make.batch.given = scene.inputs;
    else
        make.batch.heads.resize(static_cast<std::size_t>(shape.b * shape.h));
    std::visit(make, scene.inputs);
    return std::move(make.batch);
}

}  // namespace maskscope
