#include "core/compute/decode.h"

#include "core/attention/attention.h"
#include "core/attention/mask.h"

namespace maskscope {
namespace {

// Returns the query of token t, and the keys and values up to it.
HeadInputs inputs_at(const HeadInputs& head, Index t) {
    HeadInputs some = rows_of(head, t, 1);
    const auto first_keys = [&](const Matrix& all) -> Matrix {
        return all.size() > 0 ? all.topRows(t + 1) : Matrix();
    };
    some.keys = first_keys(head.keys);
    some.values = first_keys(head.values);
    if (some.scores.size() > 0) some.scores = Matrix(some.scores.leftCols(t + 1));
    return some;
}

}  // namespace

bool has_decode(const Scene& scene) {
    return is_self_attention(scene) && !std::holds_alternative<WeightsInputs>(scene.inputs) &&
           !std::holds_alternative<OutputInputs>(scene.inputs) && !is_trained(scene.inputs);
}

Stage decode_of(const Scene& scene, const BatchInputs& inputs, int index, Progress& progress) {
    const Variant& variant = scene.variants[index];
    const Shape shape = shape_of(scene);
    const std::vector<MaskLayer>& layers = variant.mask.layers;
    Parameters parameters = parameters_of(scene, variant);
    Stage decode(shape.b, shape.h, shape.n_q, shape.n_k, variant.dtype == Dtype::float64);
    StageTimes times;
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h) {
            const HeadInputs head = round_inputs(inputs.at(b, h), Rounding(variant.dtype));
            Matrix weights = Matrix::Zero(shape.n_q, shape.n_k);
            for (Index t = 0; t < shape.n_q; ++t) {
                if (progress.cancel) throw Cancellation{};
                const HeadPositions alone = decoding(scene, b, h, t);
                parameters.scale = scale_factor(variant.scale, d_k_of(scene.inputs), t + 1);
                const Stages stages = attend(
                    variant, parameters, inputs_at(head, t), allowed_cells(scene, layers, alone),
                    biases(scene, layers, alone, 0, 1), sink_of(variant, h), times,
                    row_scales(scene, variant.scale, alone, 0, 1));
                weights.row(t).head(t + 1) = stages.weights.row(0);
            }
            decode.set_head(b, h, weights);
        }
    return decode;
}

}  // namespace maskscope
