#include "core/attention/attention.h"

#include <cmath>

#include "core/attention/mask.h"
#include "core/attention/seeded.h"
#include "core/attention/softmax.h"

namespace maskscope {
namespace {

// Returns W of the output: as given, or seeded.
Matrix output_matrix(const Scene& scene, const Output& output) {
    if (output.w) return to_matrix(*output.w);
    const Index d_v = d_v_of(scene.inputs).value_or(0);
    const Index d = output.kind == OutputKind::projected ? heads_of(scene.inputs) * d_v : d_v;
    return seeded_matrix(seed_of(scene.inputs), "w", d, d, 1 / std::sqrt(static_cast<double>(d)));
}

}  // namespace

Parameters parameters_of(const Scene& scene, const Variant& variant) {
    const Rounding rounded(variant.dtype);
    const std::optional<Index> d_q = d_q_of(scene.inputs), d_k = d_k_of(scene.inputs);
    Parameters made;
    made.scale = scale_factor(variant.scale, d_k, shape_of(scene).n_k);
    if (has_score(scene.inputs))
        made.score = score_matrices(variant.score, d_q.value_or(1), d_k.value_or(1),
                                    seed_of(scene.inputs), rounded);
    if (variant.output.kind != OutputKind::values)
        made.w = rounded(output_matrix(scene, variant.output));
    made.root = scale_factor({ScaleKind::sqrt_d_k, 1}, d_k, 1);
    return made;
}

void StageTimes::lap(StageKind stage) {
    const Clock::time_point now = Clock::now();
    milliseconds_[static_cast<std::size_t>(stage)] +=
        std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
}

Stages attend(const Variant& variant, const Parameters& parameters, const HeadInputs& inputs,
              const Allowed& own_mask, const Matrix& bias, std::optional<double> sink,
              StageTimes& times, const std::vector<double>& scales) {
    const Rounding rounded(variant.dtype);
    const Mask& mask = variant.mask;
    const Allowed allowed = acting_mask(variant, own_mask);
    const bool queries_first = mask.order == Order::queries_first;
    Stages s;
    Matrix slope;                     // the derivative of a softcap; see mask.h
    if (inputs.weights.size() > 0) {  // given weights replace the softmax
        s.softmax = inputs.weights;
    } else {
        s.scores = inputs.scores.size() > 0
                       ? inputs.scores
                       : rounded(score(variant.score.kind, parameters.score,
                                       queries_first ? rounded(inputs.queries * parameters.scale)
                                                     : inputs.queries,
                                       inputs.keys));
        times.lap(StageKind::scores);
        s.scaled =
            queries_first ? s.scores : rounded(times_scale(s.scores, parameters.scale, scales));
        times.lap(StageKind::scaled);
        Logits logits = mask_before_softmax(variant, s.scores, s.scaled, parameters.scale, bias,
                                            allowed, scales);
        s.logits = std::move(logits.numbers);
        slope = std::move(logits.slope);
        times.lap(StageKind::logits);
        // The sink is not rounded: it is a parameter, not a stage.
        s.softmax = rounded(normalize(variant.normalizer, sink, s.logits));
    }
    times.lap(StageKind::softmax);
    const Matrix weights = mask_after_softmax(mask.apply, variant.dtype, s.softmax, allowed);
    times.lap(StageKind::weights);
    if (s.logits.size() > 0)
        s.sensitivity = sensitivity(variant, s.softmax, weights, slope, allowed);
    times.lap(StageKind::sensitivity);
    s.weights = zero_empty_rows(mask, variant.empty_rows, weights, allowed);
    times.lap(StageKind::weights);
    return s;
}

Matrix mix(OutputKind kind, const Parameters& parameters, const Matrix& weights, const Matrix& v) {
    if (kind != OutputKind::alternative) return product(weights, v);
    return product(product(weights, v), parameters.w.transpose()) * parameters.root;
}

// --- all heads

HeadInputs rows_of(const HeadInputs& head, Index first, Index rows) {
    const auto some = [&](const Matrix& all) -> Matrix {
        return all.size() > 0 ? all.middleRows(first, rows) : Matrix();
    };
    return {some(head.queries), head.keys, head.values, some(head.scores), some(head.weights)};
}

Matrix project(const std::vector<Matrix>& parts, const Matrix& w) {
    Matrix joined(parts[0].rows(), w.rows());
    Index column = 0;
    for (const Matrix& part : parts) {
        joined.middleCols(column, part.cols()) = part;
        column += part.cols();
    }
    return product(joined, w);
}

namespace {

// Attends with some rows of one head, and passes blocks of them to `keep`, with rows counted from
// the first. Returns their weighted values, not rounded; empty if there are no values.
Matrix attend_head(const Scene& scene, const Variant& variant, const Parameters& parameters,
                   const HeadPositions& seen, const HeadInputs& head, const Rows& asked,
                   Progress& progress, StageTimes& times,
                   const std::function<void(Index, const Stages&, const Allowed&)>& keep) {
    const Allowed allowed =
        allowed_cells(scene, variant.mask.layers, seen, asked.first, asked.count);
    times.lap(StageKind::allowed);
    Matrix output;
    const Index at_once = rows_at_once(seen.n_k);
    for (Index first = 0; first < asked.count; first += at_once) {
        if (progress.cancel) throw Cancellation{};
        const Index rows = std::min(at_once, asked.count - first), query = asked.first + first;
        const Allowed some = allowed.middleRows(first, rows);
        const Matrix bias = biases(scene, variant.mask.layers, seen, query, rows);
        const HeadInputs queries = rows_of(head, query, rows);
        times.lap(StageKind::allowed);
        const Stages stages =
            attend(variant, parameters, queries, some, bias, sink_of(variant, seen.h), times,
                   row_scales(scene, variant.scale, seen, query, rows));
        keep(first, stages, some);
        times.start();
        if (head.values.size() == 0) continue;
        const Matrix mixed = mix(variant.output.kind, parameters, stages.weights, head.values);
        if (first == 0) output.resize(asked.count, mixed.cols());
        output.middleRows(first, rows) = mixed;
        times.lap(StageKind::output);
    }
    return output;
}

}  // namespace

std::vector<Matrix> attend_all(const Scene& scene, const Variant& variant,
                               const BatchInputs& inputs, Progress& progress, StageTimes& times,
                               const std::function<void(const Block&)>& keep,
                               const Request& request) {
    times.start();
    const Rounding rounded(variant.dtype);
    const Parameters parameters = parameters_of(scene, variant);
    const Shape& shape = inputs.shape;
    const Rows rows = rows_of(request, shape);
    const Index first = request.head.value_or(0);  // counted across all sequences
    const Shape made{request.head ? 1 : shape.b, request.head ? 1 : shape.h, rows.count, shape.n_k};
    std::vector<Matrix> outputs;
    for (Index b = 0; b < made.b; ++b) {
        std::vector<Matrix> parts;
        for (Index h = 0; h < made.h; ++h) {
            const Index head = first + b * made.h + h;
            parts.push_back(attend_head(
                scene, variant, parameters,
                head_positions(scene, shape, head / shape.h, head % shape.h),
                round_inputs(inputs.at(head / shape.h, head % shape.h), rounded), rows, progress,
                times, [&](Index row, const Stages& stages, const Allowed& allowed) {
                    keep({b, h, row, stages, allowed});
                }));
        }
        if (parts[0].size() == 0) continue;
        if (variant.output.kind == OutputKind::projected && !request.head)
            parts = {project(parts, parameters.w)};
        for (Matrix& part : parts) outputs.push_back(rounded(std::move(part)));
        times.lap(StageKind::output);
    }
    return outputs;
}

}  // namespace maskscope
