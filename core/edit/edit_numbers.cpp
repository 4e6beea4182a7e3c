#include <algorithm>
#include <cmath>

#include "core/attention/scoring.h"
#include "core/attention/seeded.h"
#include "core/compute/embedding.h"
#include "core/edit/edit_parts.h"

namespace maskscope {

namespace {

// Returns one member of every head's inputs, as an array [b, h, rows, columns].
Array gathered(const BatchInputs& batch, InputPart part) {
    const auto [rows, columns] = batch.size_of(part);
    std::vector<double> numbers;
    for (Index b = 0; b < batch.shape.b; ++b)
        for (Index h = 0; h < batch.shape.h; ++h) {
            const Matrix matrix = batch.part(b, h, part);
            numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
        }
    return make_array({batch.shape.b, batch.shape.h, rows, columns}, std::move(numbers));
}

// Returns the same for KV heads, [b, KV heads, rows, columns], which query heads may share.
Array gathered(const BatchInputs& batch, InputPart part, const Inputs& inputs) {
    BatchInputs of_keys{batch.shape};
    of_keys.shape.h = kv_heads_of(inputs);
    for (Index b = 0; b < batch.shape.b; ++b)
        for (Index g = 0; g < of_keys.shape.h; ++g) {
            Index h = 0;
            while (kv_head_of(inputs, h) != g) ++h;
            of_keys.heads.push_back(batch.at(b, h));
        }
    return gathered(of_keys, part);
}

Array as_array(const Matrix& matrix) {
    return make_array({matrix.rows(), matrix.cols()},
                      std::vector<double>(matrix.data(), matrix.data() + matrix.size()));
}

void expect_finite(double x) {
    if (!std::isfinite(x)) throw EditError("A number in a scene must be finite.");
}

// Sets an entry. Leading axes of size 1 may be missing in the array.
void set_entry(Array& array, Index b, Index h, Index row, Index column, double x) {
    const auto axis = [&](std::size_t from_end) {
        return from_end <= array.axes.size() ? array.axes[array.axes.size() - from_end] : 1;
    };
    expect_index(b, axis(4), "sequence");
    expect_index(h, axis(3), "head");
    expect_index(row, axis(2), "row");
    expect_index(column, axis(1), "column");
    std::vector<double> numbers = finite_numbers(array);
    numbers[((b * axis(3) + h) * axis(2) + row) * axis(1) + column] = x;
    array = make_array(array.axes, std::move(numbers));
}

Array* given(Inputs& inputs, Tensor tensor) {
    const auto values = [](auto& of) { return of.values ? &*of.values : nullptr; };
    if (auto* tensors = std::get_if<TensorsInputs>(&inputs))
        return tensor == Tensor::queries ? &tensors->queries
               : tensor == Tensor::keys  ? &tensors->keys
                                         : values(*tensors);
    if (tensor != Tensor::values) return nullptr;
    if (auto* scores = std::get_if<ScoresInputs>(&inputs)) return values(*scores);
    if (auto* weights = std::get_if<WeightsInputs>(&inputs)) return values(*weights);
    return nullptr;
}

// Returns the scores of all variants, which must agree.
const Stage& common_scores(const Result& shown) {
    const Stage& first = shown.variants.front().stage(StageKind::scores);
    if (!first.exists()) throw EditError("These inputs have no scores.");
    for (const VariantResult& variant : shown.variants)
        for (Index b = 0; b < first.b(); ++b)
            for (Index h = 0; h < first.h(); ++h)
                if (variant.stage(StageKind::scores).head(b, h) != first.head(b, h))
                    throw EditError(
                        "The variants have different scores, so a number cannot be typed for all "
                        "of them.");
    return first;
}

Array as_array(const Stage& stage) {
    std::vector<double> numbers;
    for (Index b = 0; b < stage.b(); ++b)
        for (Index h = 0; h < stage.h(); ++h) {
            const Matrix head = stage.head(b, h);
            numbers.insert(numbers.end(), head.data(), head.data() + head.size());
        }
    if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
        throw EditError("A score that is not finite cannot be stored in a scene.");
    return make_array({stage.b(), stage.h(), stage.rows(), stage.columns()}, std::move(numbers));
}

ScoresInputs as_scores(const Scene& scene, const Result& shown) {
    Scene same = scene;
    same.show = shown.scene.show;
    if (same != shown.scene)
        throw EditError("The scores are still being computed. Type the number again.");
    ScoresInputs scores;
    scores.scores = as_array(common_scores(shown));
    scores.d_k = d_k_of(scene.inputs);
    if (d_v_of(scene.inputs)) {
        scores.values = gathered(*shown.inputs, &HeadInputs::values);
        finite_numbers(*scores.values);
    }
    return scores;
}

void write_down(Score& score, const Inputs& inputs) {
    const Rounding exact{Dtype::float64};
    const ScoreMatrices made =
        score_matrices(score, *d_q_of(inputs), *d_k_of(inputs), seed_of(inputs), exact);
    if (score.kind == ScoreKind::bilinear && !score.matrix) score.matrix = as_array(made.matrix);
    if (score.kind != ScoreKind::additive || score.w_q) return;
    score.w_q = as_array(made.w_q);
    score.w_k = as_array(made.w_k);
    score.w_v = as_array(made.w_v);
    score.w_v->axes = {score.hidden};
}

void write_down(Output& output, const Inputs& inputs) {
    if (output.kind == OutputKind::values || output.w) return;
    const Index heads = output.kind == OutputKind::projected ? heads_of(inputs) : 1;
    const Index d = heads * *d_v_of(inputs);
    const double factor = 1 / std::sqrt(static_cast<double>(d));
    output.w = as_array(seeded_matrix(seed_of(inputs), "w", d, d, factor));
}

// Returns the matrix, stored in the variant if it was seeded; nullptr if there is none.
std::optional<Array>* written_matrix(Scene& scene, int index, VariantMatrix which) {
    Variant& variant = variant_of(scene, index);
    if (which == VariantMatrix::score) {
        if (variant.score.kind != ScoreKind::bilinear || !has_score(scene.inputs)) return nullptr;
        write_down(variant.score, scene.inputs);
        return &variant.score.matrix;
    }
    if (variant.output.kind == OutputKind::values || !d_v_of(scene.inputs)) return nullptr;
    write_down(variant.output, scene.inputs);
    return &variant.output.w;
}

Array& expected_matrix(Scene& scene, int variant, VariantMatrix which) {
    std::optional<Array>* matrix = written_matrix(scene, variant, which);
    if (!matrix) throw EditError("This variant has no such matrix.");
    return **matrix;
}

// Stores the seeded matrices of variants, before the inputs turn into given numbers, which have no
// seed.
void write_down_matrices(Scene& scene) {
    if (seed_of(scene.inputs) == 0) return;  // given numbers also have seed 0
    for (Variant& variant : scene.variants) {
        if (has_score(scene.inputs)) write_down(variant.score, scene.inputs);
        write_down(variant.output, scene.inputs);
    }
}

}  // namespace

std::optional<Matrix> variant_matrix(const Scene& scene, int variant, VariantMatrix which) {
    Scene copy = scene;
    const std::optional<Array>* matrix = written_matrix(copy, variant, which);
    if (!matrix) return std::nullopt;
    return to_matrix(**matrix);
}

void set_matrix_number(Scene& scene, int variant, VariantMatrix which, Index row, Index column,
                       double x) {
    expect_finite(x);
    Scene next = scene;
    set_entry(expected_matrix(next, variant, which), 0, 0, row, column, x);
    scene = std::move(next);
}

void set_matrix_identity(Scene& scene, int variant, VariantMatrix which) {
    Scene next = scene;
    Array& matrix = expected_matrix(next, variant, which);
    const Index rows = matrix.axes.at(0), columns = matrix.axes.at(1);
    const Matrix identity = Matrix::Identity(rows, columns);
    matrix = as_array(identity);
    scene = std::move(next);
}

void set_number(Scene& scene, Tensor tensor, Index b, Index h, Index row, Index column, double x) {
    expect_finite(x);
    Scene next = scene;
    if (std::holds_alternative<EmbeddingInputs>(scene.inputs)) {
        write_down_matrices(next);
        Progress progress;
        const BatchInputs batch = make_inputs(scene, progress);
        const auto of_keys = [&](InputPart part) { return gathered(batch, part, scene.inputs); };
        next.inputs = TensorsInputs{gathered(batch, &HeadInputs::queries),
                                    of_keys(&HeadInputs::keys), of_keys(&HeadInputs::values),
                                    std::get<EmbeddingInputs>(scene.inputs).kv_map};
    }
    Array* array = given(next.inputs, tensor);
    if (!array) throw EditError("These numbers are computed and cannot be edited.");
    if (tensor != Tensor::queries) h = kv_head_of(next.inputs, h);
    set_entry(*array, b, h, row, column, x);
    scene = std::move(next);
}

void set_score(Scene& scene, const Result& shown, Index b, Index h, Cell cell, double x) {
    expect_finite(x);
    if (!has_stage(scene.inputs, StageKind::scores))
        throw EditError("These inputs are weights, so there are no scores.");
    expect_given(scene.inputs, ScenePart::scores);
    Scene next = scene;
    if (!std::holds_alternative<ScoresInputs>(scene.inputs)) {
        write_down_matrices(next);
        for (Variant& variant : next.variants) {
            variant.score = {};
            if (variant.mask.order != Order::queries_first) continue;
            variant.mask.order = Order::scale_then_mask;  // the scores are scaled already
            variant.scale = {ScaleKind::none, 1};
        }
        if (std::holds_alternative<OutputInputs>(scene.inputs))  // positions then count from 0
            for (Sequence& sequence : next.sequences)
                sequence.positions = sequence.key_positions = std::vector<Index>();
        next.inputs = as_scores(scene, shown);
    }
    set_entry(std::get<ScoresInputs>(next.inputs).scores, b, h, cell.i, cell.j, x);
    scene = std::move(next);
}

}  // namespace maskscope
