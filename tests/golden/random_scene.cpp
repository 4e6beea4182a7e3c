#include "tests/golden/random_scene.h"
#include "core/attention/seeded.h"
#include "core/scene/mask_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace maskscope::golden {
namespace {

// Draws the parts of a scene from one stream.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : stream_(seed, "random scene") {}

    Index number(Index least, Index most) {
        return least +
               static_cast<Index>(stream_.next() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool chance(int per_cent) { return number(1, 100) <= per_cent; }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[number(0, static_cast<Index>(all.size()) - 1)];
    }
    template <class T>
    T kind(int count) {
        return static_cast<T>(number(0, count - 1));
    }
    // A number of three decimals, as people write them.
    double real(double size) { return std::round(stream_.normal() * size * 1000) / 1000; }
    std::uint64_t seed() { return stream_.next() >> 11; }

    Array array(std::vector<Index> axes, double size = 1) {
        Index count = 1;
        for (const Index axis : axes) count *= axis;
        std::vector<double> values(static_cast<std::size_t>(count));
        for (double& x : values) x = real(size);
        return make_array(std::move(axes), std::move(values));
    }
    std::vector<Index> some_of(Index n) {  // increasing, not empty
        std::vector<Index> some;
        for (Index k = 0; k < n; ++k)
            if (chance(40)) some.push_back(k);
        if (some.empty()) some.push_back(number(0, n - 1));
        return some;
    }
    std::vector<std::string> tokens() {
        static const std::vector<std::string> words = {"my", "name", "is",   "è",
                                                       "猫", "🙂", "<pad>"};
        std::vector<std::string> sentence(static_cast<std::size_t>(number(1, 6)));
        for (std::string& token : sentence) token = one_of(words);
        return sentence;
    }

private:
    Stream stream_;
};

// --- inputs

// layers: how many more layers may lie below; keys: do the sequences have keys of their own?
Inputs random_inputs(Dice& dice, const Shape& shape, const RandomOptions& options, int layers,
                     bool keys);

Variant random_variant(Dice& dice, const Inputs& inputs, const Shape& shape);

Inputs patterns(Dice& dice, const Shape& shape) {
    PatternsInputs inputs{{}, dice.seed(), dice.number(1, 4)};
    for (Index h = 0; h < shape.h; ++h)
        inputs.heads.push_back({dice.kind<Pattern>(9), dice.real(4)});
    return inputs;
}

std::optional<Array> perhaps_values(Dice& dice, const Shape& shape) {
    if (dice.chance(20)) return std::nullopt;
    return dice.array({shape.b, shape.h, shape.n_k, dice.number(1, 4)});
}

Inputs tensors(Dice& dice, const Shape& shape) {
    const Index d_q = dice.number(1, 5), d_k = dice.chance(80) ? d_q : dice.number(1, 5);
    return TensorsInputs{dice.array({shape.b, shape.h, shape.n_q, d_q}),
                         dice.array({shape.b, shape.h, shape.n_k, d_k}),
                         perhaps_values(dice, shape)};
}

Inputs scores(Dice& dice, const Shape& shape) {
    ScoresInputs inputs{dice.array({shape.b, shape.h, shape.n_q, shape.n_k}, 3),
                        perhaps_values(dice, shape), std::nullopt};
    if (dice.chance(50)) inputs.d_k = dice.number(1, 64);
    return inputs;
}

// Rows that sum to about 1, as a model's dump has them.
Inputs weights(Dice& dice, const Shape& shape) {
    Array array = dice.array({shape.b, shape.h, shape.n_q, shape.n_k});
    std::vector<double> values = *array.values;
    for (double& x : values) x = std::abs(x) / static_cast<double>(shape.n_k);
    return WeightsInputs{make_array(array.axes, values), perhaps_values(dice, shape)};
}

// A layer that has an output, attending among n tokens.
LayerBefore layer_before(Dice& dice, Shape shape, Index n, int layers) {
    shape.n_q = shape.n_k = n;
    LayerBefore layer;
    do layer.inputs = random_inputs(dice, shape, {}, layers, false);
    while (!d_v_of(layer.inputs));
    do layer.variant = random_variant(dice, layer.inputs, shape);
    while (layer.variant.output.kind == OutputKind::projected);  // the heads stay as many
    return layer;
}

Inputs random_layers(Dice& dice, const Shape& shape, int layers, bool keys) {
    const int below = keys ? 0 : layers - 1;  // four layers in all
    OutputInputs inputs{layer_before(dice, shape, shape.n_q, below), std::nullopt};
    if (keys) inputs.keys = Shared<LayerBefore>(layer_before(dice, shape, shape.n_k, below));
    return inputs;
}

Inputs random_inputs(Dice& dice, const Shape& shape, const RandomOptions& options, int layers,
                     bool keys) {
    std::vector<int> kinds = {0, 1};
    if (layers > 0) kinds.push_back(2);
    if (!options.with_score) kinds.insert(kinds.end(), {3, 4});
    if (!options.with_score && !options.with_stages) kinds.push_back(5);
    switch (dice.one_of(kinds)) {
        case 0: {
            const std::uint64_t seed = dice.seed();
            const Index d_k = dice.number(1, 8), d_v = dice.number(1, 4);
            return EmbeddingInputs{seed, shape.h, d_k, d_v, dice.number(1, 16)};
        }
        case 1:
            return tensors(dice, shape);
        case 2:
            return random_layers(dice, shape, layers, keys);
        case 3:
            return patterns(dice, shape);
        case 4:
            return scores(dice, shape);
        default:
            return weights(dice, shape);
    }
}

// --- variants

MaskLayer random_layer(Dice& dice, const Shape& shape, bool biases) {
    MaskLayer layer;
    do layer.kind = dice.kind<LayerKind>(static_cast<int>(layer_rules().size()));
    while ((layer.kind == LayerKind::documents && shape.n_q != shape.n_k) ||
           (!biases && is_bias(layer)));
    switch (layer.kind) {
        case LayerKind::causal:
            layer.align = dice.kind<Align>(2);
            break;
        case LayerKind::window:
            layer.left = dice.number(0, 4);
            layer.right = dice.number(0, 4);
            break;
        case LayerKind::prefix:
            layer.length = dice.number(0, 7);
            break;
        case LayerKind::sinks:
            layer.count = dice.number(0, 4);
            break;
        case LayerKind::documents:
            for (Index left = shape.n_q; left > 0; left -= layer.lengths.back())
                layer.lengths.push_back(dice.number(1, left));
            break;
        case LayerKind::blocked:
        case LayerKind::allowed:
            layer.cells = {{dice.number(0, shape.n_q - 1), dice.number(0, shape.n_k - 1)}};
            if (dice.chance(30)) layer.rows = dice.some_of(shape.n_q);
            if (dice.chance(30)) layer.columns = dice.some_of(shape.n_k);
            break;
        case LayerKind::bias:
            layer.bias = {
                {dice.number(0, shape.n_q - 1), dice.number(0, shape.n_k - 1), dice.real(2)}};
            break;
        default:
            break;
    }
    if (dice.chance(25)) layer.heads = dice.some_of(shape.h);
    return layer;
}

Score random_score(Dice& dice, const Inputs& inputs) {
    const Index d_q = *d_q_of(inputs), d_k = *d_k_of(inputs);
    Score score;
    score.kind = d_q == d_k ? dice.kind<ScoreKind>(4)
                            : dice.one_of<ScoreKind>({ScoreKind::bilinear, ScoreKind::additive});
    if (score.kind == ScoreKind::bilinear && dice.chance(50)) score.matrix = dice.array({d_q, d_k});
    if (score.kind != ScoreKind::additive) return score;
    const Index hidden = dice.number(1, 5);
    if (dice.chance(50)) {
        score.hidden = hidden;
        return score;
    }
    score.w_q = dice.array({hidden, d_q});
    score.w_k = dice.array({hidden, d_k});
    score.w_v = dice.array({hidden});
    return score;
}

BlockedValue random_value(Dice& dice) {
    const auto kind = dice.kind<ValueKind>(3);
    return {kind, kind == ValueKind::number ? dice.one_of<double>({-1e9, -1e4, -100, -1, 0}) : 0};
}

Output random_output(Dice& dice, const Inputs& inputs) {
    Output output;
    const auto d_v = d_v_of(inputs);
    if (!d_v) return output;
    output.kind = dice.kind<OutputKind>(3);
    if (output.kind == OutputKind::alternative && !d_k_of(inputs)) output.kind = OutputKind::values;
    if (output.kind == OutputKind::values || dice.chance(50)) return output;
    const Index d_out = dice.number(1, 4);
    output.w = output.kind == OutputKind::projected ? dice.array({heads_of(inputs) * *d_v, d_out})
                                                    : dice.array({d_out, *d_v});
    return output;
}

Scale random_scale(Dice& dice, const Inputs& inputs, const Score& score) {
    if (dice.chance(40)) return default_scale(inputs, score);
    Scale scale;
    do scale.kind = dice.kind<ScaleKind>(4);
    while (scale.kind == ScaleKind::sqrt_d_k && !d_k_of(inputs));
    if (scale.kind == ScaleKind::number) scale.number = dice.real(0.5);
    return scale;
}

Variant random_variant(Dice& dice, const Inputs& inputs, const Shape& shape) {
    const bool given_weights = std::holds_alternative<WeightsInputs>(inputs);
    Variant variant;
    variant.name = dice.one_of<std::string>({"additive", "così", "one \"quoted\""});
    for (Index layers = dice.number(0, 3); layers > 0; --layers)
        variant.mask.layers.push_back(random_layer(dice, shape, !given_weights));
    variant.empty_rows = dice.kind<EmptyRows>(3);
    variant.dtype = dice.kind<Dtype>(4);
    variant.output = random_output(dice, inputs);
    if (given_weights) {
        variant.scale = default_scale(inputs, {});
        variant.mask.apply = dice.one_of<Apply>(
            {Apply::none, Apply::multiply_weights, Apply::multiply_weights_renormalized});
        return variant;
    }
    if (has_score(inputs)) variant.score = random_score(dice, inputs);
    variant.scale = random_scale(dice, inputs, variant.score);
    variant.mask.apply = dice.kind<Apply>(6);
    variant.mask.value = random_value(dice);
    variant.mask.times = static_cast<int>(dice.number(1, 2));
    variant.mask.order = dice.kind<Order>(2);
    variant.normalizer = dice.chance(75) ? Normalizer::softmax : Normalizer::softmax_plus_one;
    return variant;
}

}  // namespace

Scene random_scene(std::uint64_t seed, const RandomOptions& options) {
    Dice dice(seed);
    Scene scene;
    scene.title = dice.chance(50) ? "a title" : "";
    const bool keys = dice.chance(40);
    for (Index b = dice.number(1, 3); b > 0; --b) {
        Sequence sequence{dice.tokens(), std::nullopt};
        if (keys) sequence.keys = dice.tokens();
        scene.sequences.push_back(sequence);
    }
    scene.inputs = EmbeddingInputs{0, dice.number(1, 3), 1, 1, 1};  // so that the shape is known
    const Shape shape = shape_of(scene);
    scene.inputs = random_inputs(dice, shape, options, 3, keys);
    const Index variants = options.variants > 0 ? options.variants : dice.number(1, 3);
    for (Index k = 0; k < variants; ++k)
        scene.variants.push_back(random_variant(dice, scene.inputs, shape));
    return scene;
}

}  // namespace maskscope::golden
