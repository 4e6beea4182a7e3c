#include "core/compute/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/error.h"
#include "core/result/result.h"

namespace maskscope {
namespace {

double number(Index count) { return static_cast<double>(count); }

struct Size {
    double b, h, n_q, n_k;
    double cells() const { return b * h * n_q * n_k; }
};

// Columns of one head's output, and bytes of the matrix that makes it.
struct OutputSize {
    double columns = 0, matrix = 0;
};

OutputSize output_size(const Inputs& inputs, const Output& output) {
    const auto d_v = d_v_of(inputs);
    if (!d_v) return {};
    if (output.kind == OutputKind::values) return {number(*d_v), 0};
    const double joined = number(heads_of(inputs) * *d_v);
    const double in = output.kind == OutputKind::projected ? joined : number(*d_v);
    if (!output.w) return {in, 8 * in * in};
    const double given = 8 * static_cast<double>(output.w->values->size());
    const std::vector<Index>& axes = output.w->axes;
    return {number(output.kind == OutputKind::projected ? axes.back() : axes.front()), given};
}

// Estimates the bytes of the matrices of a scoring function in float64, once as made or read, and
// once rounded. For `additive`, adds those of the queries and keys multiplied by them, in float32.
double score_bytes(const Inputs& inputs, const Score& score, const Size& size) {
    if (!has_score(inputs)) return 0;
    const double d_q = number(d_q_of(inputs).value_or(0)), d_k = number(d_k_of(inputs).value_or(0));
    if (score.kind == ScoreKind::bilinear) return 2 * 8 * d_q * d_k;
    if (score.kind != ScoreKind::additive) return 0;
    const double hidden = number(score.w_v ? score.w_v->axes.front() : score.hidden);
    return 2 * 8 * hidden * (d_q + d_k + 1) + 4 * size.b * size.h * (size.n_q + size.n_k) * hidden;
}

double layer_bytes(const LayerBefore& layer, double b, double n);

// Estimates the bytes of Q, K and V, or of the scores, or of the weights, in float64. Adds those of
// the previous layers, which are needed to make them.
double inputs_bytes(const Inputs& inputs, const Size& size) {
    const double heads = size.b * size.h;
    const double wide = number(d_q_of(inputs).value_or(0)) * size.n_q +
                        number(d_k_of(inputs).value_or(0) + d_v_of(inputs).value_or(0)) * size.n_k;
    double bytes = 8 * heads * wide;
    if (!has_score(inputs)) bytes += 8 * size.cells();
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs))
        bytes += 8 * number(embedding->d_model) * size.b * (size.n_q + size.n_k);
    if (const auto* output = std::get_if<OutputInputs>(&inputs)) {
        bytes += layer_bytes(*output->of, size.b, size.n_q);
        if (output->keys) bytes += layer_bytes(**output->keys, size.b, size.n_k);
    }
    return bytes;
}

// Estimates the bytes of one block of rows with its stages, and of the inputs and mask of one head.
double working_bytes(const Inputs& inputs, const Size& size, double asked_rows) {
    const double one_head = inputs_bytes(inputs, {1, 1, size.n_q, size.n_k});
    const double rows = std::min(asked_rows, number(rows_at_once(static_cast<Index>(size.n_k))));
    return 2 * one_head + asked_rows * size.n_k + 8 * 12 * rows * size.n_k;
}

double layer_bytes(const LayerBefore& layer, double b, double n) {
    const Size size{b, number(heads_of(layer.inputs)), n, n};
    const OutputSize output = output_size(layer.inputs, layer.variant.output);
    return inputs_bytes(layer.inputs, size) + working_bytes(layer.inputs, size, n) +
           8 * size.b * size.h * n * output.columns + output.matrix +
           score_bytes(layer.inputs, layer.variant.score, size);
}

// Estimates the memory that one variant keeps: stages, mask, statistics, labels, output.
double variant_bytes(const Scene& scene, const Variant& variant, const Request& request,
                     const Size& size) {
    const double width = variant.dtype == Dtype::float64 ? 8 : 4;
    double a_cell = 1;  // a byte for `allowed`
    for (int kind = 0; kind < stage_count; ++kind) {
        const auto stage = static_cast<StageKind>(kind);
        if (stage == StageKind::allowed || stage == StageKind::output) continue;
        if (wants(request, scene.inputs, stage)) a_cell += width;
    }
    const OutputSize output = output_size(scene.inputs, variant.output);
    const double rows = size.b * size.h * size.n_q;
    return a_cell * size.cells() + rows * sizeof(RowFigures) + (width + 8) * rows * output.columns +
           output.matrix;
}

std::string in_words(double bytes) {
    return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                       : fmt::format("{:.1f} GB", bytes / 1e9);
}

}  // namespace

double bytes_needed(const Scene& scene, const Request& request, Index n_q, Index n_k) {
    const Shape shape = shape_of(scene);
    const Size size{number(shape.b), number(shape.h), number(n_q), number(n_k)};
    Size kept = size;
    if (request.rows) kept.n_q = std::min(kept.n_q, number(request.rows->count));
    if (request.head) kept.b = kept.h = 1;
    double bytes = inputs_bytes(scene.inputs, size) + working_bytes(scene.inputs, size, kept.n_q);
    for (const int variant : variants_of(request, scene))
        bytes += variant_bytes(scene, scene.variants[variant], request, kept) +
                 score_bytes(scene.inputs, scene.variants[variant].score, size);
    return bytes;
}

double bytes_needed(const Scene& scene, const Request& request) {
    const Shape shape = shape_of(scene);
    return bytes_needed(scene, request, shape.n_q, shape.n_k);
}

void refuse_too_large(const Scene& scene, const Request& request, double available) {
    const double needed = bytes_needed(scene, request), usable = 0.9 * available;
    if (needed <= usable) return;
    const Shape shape = shape_of(scene);
    const auto keys_for = [&](Index n_q) {
        return std::max<Index>(
            1, static_cast<Index>(number(n_q) / number(shape.n_q) * number(shape.n_k)));
    };
    Index fits = 0;  // the most queries that fit, if keys stay in the scene's proportion
    for (Index too_many = shape.n_q; fits + 1 < too_many;) {
        const Index middle = fits + (too_many - fits) / 2;
        const bool small = bytes_needed(scene, request, middle, keys_for(middle)) <= usable;
        (small ? fits : too_many) = middle;
    }
    const std::string most =
        fits == 0 ? "no number of tokens would fit with these heads and widths"
        : shape.n_q == shape.n_k
            ? fmt::format("{} tokens would fit", fits)
            : fmt::format("{} queries with {} keys would fit", fits, keys_for(fits));
    throw WorkError(fmt::format("{} × {} tokens need {} of memory, but {} are free; {}", shape.n_q,
                                shape.n_k, in_words(needed), in_words(available), most));
}

namespace {

// Counts the numbers of one variant over these inputs, with n_q queries and n_k keys.
double numbers_of(const Inputs& inputs, double b, double n_q, double n_k) {
    double numbers = b * number(heads_of(inputs)) * n_q * n_k * stage_count;
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs))
        numbers += number(embedding->heads) * number(embedding->d_model) *
                   number(2 * embedding->d_k + embedding->d_v);
    if (const auto* output = std::get_if<OutputInputs>(&inputs)) {
        numbers += numbers_of(output->of->inputs, b, n_q, n_q);
        if (output->keys) numbers += numbers_of((*output->keys)->inputs, b, n_k, n_k);
    }
    return numbers;
}

}  // namespace

double numbers_to_compute(const Scene& scene) {
    const Shape shape = shape_of(scene);
    return double(scene.variants.size()) *
           numbers_of(scene.inputs, double(shape.b), double(shape.n_q), double(shape.n_k));
}

}  // namespace maskscope
