#include "core/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/cases.h"
#include "core/scene/model.h"

namespace maskscope {

void ArrayNumbers::copy(std::size_t first, std::span<double> to) const {
    std::visit(
        [&](const auto& numbers) { std::copy_n(numbers.data() + first, to.size(), to.data()); },
        numbers_);
}

std::vector<double> ArrayNumbers::float64s() const {
    return std::visit([](const auto& all) { return std::vector<double>(all.begin(), all.end()); },
                      numbers_);
}

bool ArrayNumbers::operator==(const ArrayNumbers& other) const {
    return std::ranges::equal(view(), other.view(), [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
    });
}

namespace {

using Width = std::optional<Index>;

// Returns the size of an axis counted from the last one: 1 = d (or n_k), 2 = n, 3 = h, 4 = b.
// Missing leading axes have size 1.
Index axis_from_end(const Array& array, std::size_t k) {
    return k <= array.axes.size() ? array.axes[array.axes.size() - k] : 1;
}

Width width_of(const std::optional<Array>& array) {
    return array ? Width(axis_from_end(*array, 1)) : std::nullopt;
}

// Returns the number of columns of an earlier layer's output; nullopt if it has no output.
Width output_width(const LayerBefore& layer) {
    const Output& output = layer.variant.output;
    const Width d_v = d_v_of(layer.inputs);
    if (!d_v) return std::nullopt;
    switch (output.kind) {
        case OutputKind::values:
            return d_v;
        case OutputKind::projected:
            return output.w ? output.w->axes.back() : heads_of(layer.inputs) * *d_v;
        case OutputKind::alternative:
            return output.w ? output.w->axes.front() : *d_v;
    }
    return d_v;
}

const LayerBefore& layer_of_keys(const OutputInputs& inputs) {
    return inputs.keys ? **inputs.keys : *inputs.of;
}

// True if the inputs are embedded tokens, or outputs of layers over embedded tokens.
bool are_embedded(const Inputs& inputs) {
    if (const auto* output = std::get_if<OutputInputs>(&inputs))
        return are_embedded(output->of->inputs) && are_embedded(layer_of_keys(*output).inputs);
    return std::holds_alternative<EmbeddingInputs>(inputs);
}

// Returns the input of a model's decoder: <bos> and the target, or "…" for words yet to come.
std::vector<std::string> decoder_input(const Model& model, const Sequence& sequence) {
    std::vector<std::string> tokens = {std::string(bos_word)};
    if (sequence.target)
        tokens.insert(tokens.end(), sequence.target->begin(), sequence.target->end());
    else
        tokens.resize(static_cast<std::size_t>(model.max_target), "…");
    return tokens;
}

const TokenList& side_of(const Sequence& sequence, bool keys) {
    return keys && sequence.keys ? *sequence.keys : sequence.queries;
}

// True if a model's tokens on this side are those of its source.
bool is_source(const ModelInputs& model, bool keys) {
    return model.attention == ModelAttention::encoder ||
           (keys && model.attention == ModelAttention::cross);
}

// Returns a model's tokens on this side, made from the words of the sequence.
std::vector<std::string> made_tokens(const ModelInputs& model, const Sequence& sequence,
                                     bool keys) {
    return is_source(model, keys) ? source_tokens(sequence)
                                  : decoder_input(*model.loaded, sequence);
}

// Returns the length without the padding that makes all sequences equally long.
std::size_t own_length(const Scene& scene, const Sequence& sequence, bool keys) {
    const ModelInputs* model = model_of(scene);
    if (model == nullptr) return side_of(sequence, keys).size();
    if (is_source(*model, keys)) return sequence.source.size() + 1;  // <eos>
    return sequence.target ? sequence.target->size() + 1
                           : static_cast<std::size_t>(model->loaded->max_target);
}

Index longest(const Scene& scene, bool keys) {
    std::size_t n = 0;
    for (const Sequence& sequence : scene.sequences)
        n = std::max(n, own_length(scene, sequence, keys));
    return static_cast<Index>(n);
}

TokenLabels labels_of(const Scene& scene, bool keys) {
    std::vector<TokenList> own;
    const ModelInputs* model = model_of(scene);
    for (const Sequence& sequence : scene.sequences)
        own.push_back(model ? TokenList(made_tokens(*model, sequence, keys))
                            : side_of(sequence, keys));
    return {std::move(own), scene.pad_token, longest(scene, keys)};
}

TokenView view_of_side(const Scene& scene, Index b, Index n, bool keys) {
    const Sequence& sequence = scene.sequences.at(static_cast<std::size_t>(b));
    if (const ModelInputs* model = model_of(scene))
        return {
            std::make_shared<const std::vector<std::string>>(made_tokens(*model, sequence, keys)),
            scene.pad_token, n};
    return {side_of(sequence, keys), scene.pad_token, n};
}

}  // namespace

bool Array::operator==(const Array& other) const {
    return axes == other.axes && file == other.file && truths == other.truths &&
           values == other.values;
}

bool Sequence::operator==(const Sequence&) const = default;
bool PatternsInputs::operator==(const PatternsInputs&) const = default;
bool TensorsInputs::operator==(const TensorsInputs&) const = default;
bool ScoresInputs::operator==(const ScoresInputs&) const = default;
bool WeightsInputs::operator==(const WeightsInputs&) const = default;
bool OutputInputs::operator==(const OutputInputs&) const = default;
bool ModelInputs::operator==(const ModelInputs&) const = default;
// This is not defaulted, because clang crashes if a struct contains a list of itself. If a field is
// added, this does not compile until the field is compared.
bool MaskLayer::operator==(const MaskLayer& other) const {
    const auto fields = [](const MaskLayer& layer) {
        const auto& [kind, align, left, right, length, count, size, slopes, lengths, tokens, ids,
                     parents, lengths_each, ids_each, expression, layers, cells, rows, columns,
                     bias, tensor, invert, heads] = layer;
        return std::tie(kind, align, left, right, length, count, size, slopes, lengths, tokens, ids,
                        parents, lengths_each, ids_each, expression, layers, cells, rows, columns,
                        bias, tensor, invert, heads);
    };
    return fields(*this) == fields(other);
}
bool Scale::operator==(const Scale&) const = default;
bool Score::operator==(const Score&) const = default;
bool Mask::operator==(const Mask&) const = default;
bool Output::operator==(const Output&) const = default;
bool Variant::operator==(const Variant&) const = default;
bool LayerBefore::operator==(const LayerBefore&) const = default;
bool Show::operator==(const Show&) const = default;
bool Scene::operator==(const Scene&) const = default;

Index position_at(const std::vector<Index>& listed, Index start, Index k) {
    const Index count = std::ssize(listed);
    if (count == 0) return start + k;
    return k < count ? listed[k] : listed.back() + k - count + 1;
}

std::vector<StageKind> shown_stages(const Show& show) {
    using enum StageKind;
    std::vector<StageKind> stages =
        show.stages.value_or(std::vector<StageKind>{scaled, logits, softmax, weights});
    std::ranges::sort(stages);
    return stages;
}

Shape shape_of(const Scene& scene) {
    return {static_cast<Index>(scene.sequences.size()), heads_of(scene.inputs),
            longest(scene, false), longest(scene, true)};
}

const ModelInputs* model_of(const Scene& scene) { return std::get_if<ModelInputs>(&scene.inputs); }

bool is_trained(const Inputs& inputs) { return std::holds_alternative<ModelInputs>(inputs); }

bool generates(const Scene& scene) {
    return is_trained(scene.inputs) && !scene.sequences.front().target;
}

TokenView query_tokens(const Scene& scene, Index b) {
    return query_tokens(scene, b, longest(scene, false));
}

TokenView query_tokens(const Scene& scene, Index b, Index n) {
    return view_of_side(scene, b, n, false);
}

TokenView key_tokens(const Scene& scene, Index b) {
    return key_tokens(scene, b, longest(scene, true));
}

TokenView key_tokens(const Scene& scene, Index b, Index n) {
    return view_of_side(scene, b, n, true);
}

TokenLabels query_labels(const Scene& scene) { return labels_of(scene, false); }

TokenLabels key_labels(const Scene& scene) { return labels_of(scene, true); }

bool is_self_attention(const Scene& scene) {
    if (const ModelInputs* model = model_of(scene))
        return model->attention != ModelAttention::cross;
    return std::ranges::none_of(scene.sequences,
                                [](const Sequence& s) { return s.keys.has_value(); });
}

bool same_inputs(const Scene& x, const Scene& y) {
    return x.inputs == y.inputs && x.sequences == y.sequences && x.pad_token == y.pad_token;
}

Scene scene_of_layer(const Scene& scene, const LayerBefore& layer, bool among_keys) {
    Scene before;
    before.pad_token = scene.pad_token;
    for (const Sequence& sequence : scene.sequences)  // all are padded to the longest
        before.sequences.push_back(
            {.queries = side_of(sequence, among_keys),
             .keys = std::nullopt,
             .positions = among_keys ? sequence.key_positions : sequence.positions});
    before.inputs = layer.inputs;
    before.variants = {layer.variant};
    return before;
}

Index heads_of(const Inputs& inputs) {
    return std::visit(
        Cases{
            [](const EmbeddingInputs& embedding) { return embedding.heads; },
            [](const PatternsInputs& patterns) {
                return static_cast<Index>(patterns.heads.size());
            },
            [](const TensorsInputs& tensors) { return axis_from_end(tensors.queries, 3); },
            [](const ScoresInputs& scores) { return axis_from_end(scores.scores, 3); },
            [](const WeightsInputs& weights) { return axis_from_end(weights.weights, 3); },
            [](const OutputInputs& output) {
                const bool projected = output.of->variant.output.kind == OutputKind::projected;
                return projected ? Index{1} : heads_of(output.of->inputs);
            },
            [](const ModelInputs& model) { return model.loaded->heads; },
        },
        inputs);
}

Index kv_heads_of(const Inputs& inputs) {
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs))
        return embedding->kv_heads.value_or(embedding->heads);
    if (const auto* tensors = std::get_if<TensorsInputs>(&inputs))
        return axis_from_end(tensors->keys, 3);
    return heads_of(inputs);
}

Index kv_head_of(const Inputs& inputs, Index h) {
    const Index heads = heads_of(inputs), kv_heads = kv_heads_of(inputs);
    const auto map_in = [](const auto& kind) {
        if constexpr (requires { kind.kv_map; }) return kind.kv_map;
        return KvMap::interleave;
    };
    return std::visit(map_in, inputs) == KvMap::tile ? h % kv_heads : h * kv_heads / heads;
}

std::optional<Index> d_k_of(const Inputs& inputs) {
    return std::visit(
        Cases{
            [](const EmbeddingInputs& embedding) { return Width(embedding.d_k); },
            [](const TensorsInputs& tensors) { return Width(axis_from_end(tensors.keys, 1)); },
            [](const ScoresInputs& scores) { return scores.d_k; },
            [](const OutputInputs& output) { return output_width(layer_of_keys(output)); },
            [](const ModelInputs& model) { return Width(d_head(*model.loaded)); },
            [](const auto&) { return Width(); },
        },
        inputs);
}

std::optional<Index> d_v_of(const Inputs& inputs) {
    return std::visit(
        Cases{
            [](const EmbeddingInputs& embedding) { return Width(embedding.d_v); },
            [](const PatternsInputs& patterns) { return Width(patterns.d_v); },
            [](const OutputInputs& output) { return output_width(layer_of_keys(output)); },
            [](const ModelInputs& model) { return Width(d_head(*model.loaded)); },
            [](const auto& given) { return width_of(given.values); },
        },
        inputs);
}

std::optional<Index> d_q_of(const Inputs& inputs) {
    return std::visit(
        Cases{
            [](const EmbeddingInputs& embedding) { return Width(embedding.d_k); },
            [](const TensorsInputs& tensors) { return Width(axis_from_end(tensors.queries, 1)); },
            [](const OutputInputs& output) { return output_width(*output.of); },
            [](const ModelInputs& model) { return Width(d_head(*model.loaded)); },
            [](const auto&) { return Width(); },
        },
        inputs);
}

std::uint64_t seed_of(const Inputs& inputs) {
    if (const auto* embedding = std::get_if<EmbeddingInputs>(&inputs)) return embedding->seed;
    if (const auto* patterns = std::get_if<PatternsInputs>(&inputs)) return patterns->seed;
    return 0;
}

bool has_score(const Inputs& inputs) {
    return !std::holds_alternative<PatternsInputs>(inputs) &&
           !std::holds_alternative<ScoresInputs>(inputs) &&
           !std::holds_alternative<WeightsInputs>(inputs);
}

bool has_stage(const Inputs& inputs, StageKind stage) {
    if (stage == StageKind::depends) return are_embedded(inputs);
    if (stage == StageKind::output) return d_v_of(inputs).has_value();
    const bool from_weights =
        stage == StageKind::allowed || stage == StageKind::softmax || stage == StageKind::weights;
    return from_weights || !std::holds_alternative<WeightsInputs>(inputs);
}

bool has_stage(const Scene& scene, StageKind stage) {
    const Shape shape = shape_of(scene);
    const bool small = std::max(shape.n_q, shape.n_k) <= most_depends_tokens;
    return has_stage(scene.inputs, stage) && (stage != StageKind::depends || small);
}

std::optional<double> sink_of(const Variant& variant, Index h) {
    if (variant.normalizer == Normalizer::softmax_plus_one) return 0;
    if (variant.normalizer != Normalizer::softmax_sink) return std::nullopt;
    const auto* each = std::get_if<std::vector<double>>(&variant.sink);
    return each ? (*each)[h] : std::get<double>(variant.sink);
}

Scale default_scale(const Inputs& inputs, const Score& score) {
    const bool of_products = score.kind == ScoreKind::dot || score.kind == ScoreKind::bilinear;
    const bool divided = d_k_of(inputs) && (of_products || !has_score(inputs));
    return {divided ? ScaleKind::sqrt_d_k : ScaleKind::none, 1};
}

Array make_array(std::vector<Index> axes, std::vector<double> values) {
    return {std::move(axes), SharedValue<ArrayNumbers>(std::move(values)), ""};
}

char variant_letter(int variant) { return static_cast<char>('A' + variant); }

}  // namespace maskscope
