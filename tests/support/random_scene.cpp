#include "tests/support/random_scene.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/attention/seeded.h"
#include "core/scene/mask_rules.h"

namespace maskscope {
namespace {

// Draws the parts of a scene from one stream.
class Dice {
public:
    Dice(std::uint64_t seed, bool is_extreme, bool with_additions)
        : extreme(is_extreme), additions(with_additions), stream_(seed, "random scene") {}
    const bool extreme, additions;
    bool adds(int per_cent) { return additions && chance(per_cent); }

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
    // Returns a number with at most three decimals, as people write them, or for extreme scenes one
    // of any kind.
    double real(double size) {
        if (!extreme) return std::round(stream_.normal() * size * 1000) / 1000;
        return one_of<double>({0.0, -0.0, 1, -1e9, 0.1, 1e-300, 1.7976931348623157e308, 5e-324,
                               1e22, static_cast<double>(number(-1000, 1000)) / 64,
                               static_cast<double>(stream_.next()) / 3});
    }
    std::uint64_t seed() { return stream_.next() >> (extreme && chance(50) ? 60 : 11); }
    std::string name() {
        return one_of<std::string>({"a", "<pad>", "name", "\"quoted\"", "back\\slash", "猫", "🙂",
                                    "é", "a/b~c", " ", "ملاحظة"});
    }

    // Makes an array. In extreme scenes, leading axes of length 1 may be left out.
    Array array(std::vector<Index> axes, double size = 1) {
        while (extreme && axes.size() > 2 && axes.front() == 1 && chance(50))
            axes.erase(axes.begin());
        Index count = 1;
        for (const Index axis : axes) count *= axis;
        std::vector<double> values(static_cast<std::size_t>(count));
        for (double& x : values) x = real(size);
        return make_array(std::move(axes), std::move(values));
    }
    std::vector<Index> some_of(Index n) {  // not empty; increasing unless extreme
        std::vector<Index> some;
        for (Index k = 0; k < n; ++k)
            if (chance(40)) some.push_back(k);
        if (some.empty()) some.push_back(number(0, n - 1));
        for (std::size_t k = some.size(); extreme && k > 1; --k)
            std::swap(some[k - 1], some[number(0, static_cast<Index>(k) - 1)]);
        return some;
    }
    // Returns cells, rows or columns of a rule; an extreme list is empty, or names one twice.
    std::vector<Index> indices(Index n) {
        if (!extreme) return some_of(n);
        std::vector<Index> list;
        for (Index k = number(0, 3); k > 0; --k) list.push_back(number(0, n - 1));
        return list;
    }
    std::vector<Cell> cells(const Shape& shape) {
        std::vector<Cell> list;
        for (Index k = extreme ? number(0, 3) : 1; k > 0; --k)
            list.push_back({number(0, shape.n_q - 1), number(0, shape.n_k - 1)});
        return list;
    }
    std::vector<std::string> tokens() {
        static const std::vector<std::string> words = {"my", "name", "is",   "è",
                                                       "猫", "🙂", "<pad>"};
        std::vector<std::string> sentence(static_cast<std::size_t>(number(1, 6)));
        for (std::string& token : sentence) token = extreme ? name() : one_of(words);
        return sentence;
    }

private:
    Stream stream_;
};

// --- inputs

// layers: how many earlier layers are still allowed. keys: true if the sequences have keys of their
// own.
Inputs random_inputs(Dice& dice, const Shape& shape, const RandomOptions& options, int layers,
                     bool keys);

Variant random_variant(Dice& dice, const Inputs& inputs, const Shape& shape, Index last);

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

// Returns a divisor of the number of heads that is less than that number.
Index fewer_heads(Dice& dice, Index heads) {
    std::vector<Index> divisors;
    for (Index g = 1; g < heads; ++g)
        if (heads % g == 0) divisors.push_back(g);
    return dice.one_of(divisors);
}

Inputs tensors(Dice& dice, const Shape& shape) {
    const Index d_q = dice.number(1, 5), d_k = dice.chance(80) ? d_q : dice.number(1, 5);
    Shape of_keys = shape;
    if (shape.h > 1 && dice.chance(40)) of_keys.h = fewer_heads(dice, shape.h);
    TensorsInputs inputs{dice.array({shape.b, shape.h, shape.n_q, d_q}),
                         dice.array({shape.b, of_keys.h, shape.n_k, d_k}),
                         perhaps_values(dice, of_keys)};
    if (of_keys.h < shape.h) inputs.kv_map = dice.kind<KvMap>(2);
    return inputs;
}

Inputs scores(Dice& dice, const Shape& shape) {
    ScoresInputs inputs{dice.array({shape.b, shape.h, shape.n_q, shape.n_k}, 3),
                        perhaps_values(dice, shape), std::nullopt};
    if (dice.chance(50)) inputs.d_k = dice.number(1, 64);
    return inputs;
}

// Makes rows that sum to about 1, like those of a model's dump.
Inputs weights(Dice& dice, const Shape& shape) {
    Array array = dice.array({shape.b, shape.h, shape.n_q, shape.n_k});
    std::vector<double> values = array.values->float64s();
    for (double& x : values) x = std::abs(x) / static_cast<double>(shape.n_k);
    return WeightsInputs{make_array(array.axes, values), perhaps_values(dice, shape)};
}

// Makes a layer that has an output, attending among n tokens.
LayerBefore layer_before(Dice& dice, Shape shape, Index n, int layers) {
    const Index h = shape.h;
    if (dice.extreme && h == 1) shape.h = dice.number(1, 3);
    shape.n_q = shape.n_k = n;
    LayerBefore layer;
    do layer.inputs = random_inputs(dice, shape, {}, layers, false);
    while (!d_v_of(layer.inputs));
    // A projection makes one head of all heads; any other output keeps their number.
    do layer.variant = random_variant(dice, layer.inputs, shape, n - 1);
    while ((layer.variant.output.kind == OutputKind::projected) == (shape.h == h));
    return layer;
}

Inputs random_layers(Dice& dice, const Shape& shape, int layers, bool keys) {
    const int below = keys ? 0 : layers - 1;  // four layers in all
    OutputInputs inputs{layer_before(dice, shape, shape.n_q, below), std::nullopt};
    if (keys) inputs.keys = SharedValue<LayerBefore>(layer_before(dice, shape, shape.n_k, below));
    return inputs;
}

Inputs random_inputs(Dice& dice, const Shape& shape, const RandomOptions& options, int layers,
                     bool keys) {
    std::vector<int> kinds = {0, 1};
    if (layers > 0) kinds.push_back(2);
    if (!options.with_score) kinds.push_back(3), kinds.push_back(4);
    if (!options.with_score && !options.with_stages) kinds.push_back(5);
    switch (dice.one_of(kinds)) {
        case 0: {
            const std::uint64_t seed = dice.seed();
            const Index d_k = dice.number(1, dice.extreme ? 65536 : 8), d_v = dice.number(1, 4);
            EmbeddingInputs inputs{seed, shape.h, d_k, d_v, dice.number(1, 16)};
            if (shape.h > 1 && dice.chance(40)) {
                inputs.kv_heads = fewer_heads(dice, shape.h);
                inputs.kv_map = dice.kind<KvMap>(2);
            }
            return inputs;
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

// Valid formulas; all of them give numbers or −∞ for any tokens.
const std::vector<std::string> conditions = {"j <= i",
                                             "i - j < 3 || j == 0",
                                             "(i + j) % 2",
                                             "!pad_j && (h % 2 || j // 2 == i // 2)",
                                             "log(j - 1)",
                                             "abs(i - j) <= max(1, h) && b < 2 || pad_i",
                                             "floor(exp(-j / 2) * 1e3) > 5",
                                             "-2 % 3 - 1",
                                             "pow(i - j, 2) <= 4",
                                             "0 / (i - j)",
                                             "n_k - j >= min(n_q, heads)"};
const std::vector<std::string> scales = {"0.125 * (1 + log(1 + floor(i / 4)))",
                                         "pow(2, -h - 1)",
                                         "1 / (1 + b) - pad_i / 4",
                                         "-0.5",
                                         "0 * i",
                                         "1"};
const std::vector<std::string> numbers_added = {
    "-0.5 * abs(i - j)", "log(j <= i)", "-1 / (1 + j)",  "h / heads - b", "pad_j - pad_i",
    "log(i + 1)",        "0",           "max(-3, j - i)"};

// Makes a tensor for a mask or a bias. Its axes of sequences and heads may have length 1 or be
// missing.
Array random_tensor(Dice& dice, const Shape& shape, bool is_mask) {
    std::vector<Index> axes = {shape.n_q, shape.n_k};
    if (dice.chance(60)) axes.insert(axes.begin(), dice.chance(50) ? shape.h : 1);
    if (axes.size() == 3 && dice.chance(60))
        axes.insert(axes.begin(), dice.chance(50) ? shape.b : 1);
    Array array = dice.array(axes, 2);
    if (!is_mask) return array;
    std::vector<double> truths;
    for (std::size_t k = 0; k < array.values->size(); ++k)
        truths.push_back(dice.chance(70) ? 1 : 0);
    array = make_array(array.axes, std::move(truths));
    array.truths = true;
    return array;
}

// Makes a rule. last: the position of the last query. depth: the number of groups around the rule.
MaskLayer random_layer(Dice& dice, const Shape& shape, Index last, bool biases, int depth = 0) {
    MaskLayer layer;
    do layer.kind = dice.kind<LayerKind>(static_cast<int>(layer_rules().size()));
    while ((rule_of(layer.kind).needs_key && last >= shape.n_k) ||
           ((!biases || depth > 0) && is_bias(layer)) ||
           (rule_of(layer.kind).is_group && depth > 1) ||
           (layer.kind == LayerKind::tensor && !dice.additions));
    const auto each_key = [&](auto number) {
        std::vector<Index> list;
        for (Index j = 0; j < shape.n_k; ++j) list.push_back(number(j));
        return list;
    };
    switch (layer.kind) {
        case LayerKind::causal:
            layer.align = dice.kind<Align>(3);
            break;
        case LayerKind::chunked:
        case LayerKind::block_causal:
            layer.size = dice.number(1, dice.extreme ? 9007199254740991 : 4);
            break;
        case LayerKind::global:
            layer.tokens = dice.some_of(shape.n_k);
            break;
        case LayerKind::groups: {
            const auto ids = [&] { return each_key([&](Index) { return dice.number(-1, 2); }); };
            if (dice.adds(40))
                for (Index b = 0; b < shape.b; ++b) layer.ids_each.push_back(ids());
            else
                layer.ids = ids();
            break;
        }
        case LayerKind::tensor:
            layer.tensor = random_tensor(dice, shape, true);
            break;
        case LayerKind::alibi:
            if (dice.adds(40)) layer.slopes = Slopes::geometric;
            break;
        case LayerKind::tree:
            layer.parents = each_key([&](Index j) { return dice.number(-1, j - 1); });
            break;
        case LayerKind::formula:
            layer.expression = dice.one_of(conditions);
            break;
        case LayerKind::formula_bias:
            layer.expression = dice.one_of(numbers_added);
            break;
        case LayerKind::any:
        case LayerKind::all:
            for (Index k = dice.number(1, 3); k > 0; --k)
                layer.layers.push_back(random_layer(dice, shape, last, false, depth + 1));
            break;
        case LayerKind::window:
            layer.left = dice.number(0, dice.extreme ? 9007199254740991 : 4);
            layer.right = dice.number(0, 4);
            break;
        case LayerKind::prefix:
            layer.length = dice.number(0, 7);
            break;
        case LayerKind::sinks:
            layer.count = dice.number(0, 4);
            break;
        case LayerKind::documents: {
            const auto lengths = [&] {
                std::vector<Index> list;
                for (Index left = shape.n_k; left > 0; left -= list.back())
                    list.push_back(dice.number(1, left));
                return list;
            };
            if (dice.adds(40))
                for (Index b = 0; b < shape.b; ++b) layer.lengths_each.push_back(lengths());
            else
                layer.lengths = lengths();
            break;
        }
        case LayerKind::blocked:
        case LayerKind::allowed:
            layer.cells = dice.cells(shape);
            if (dice.chance(30)) layer.rows = dice.indices(shape.n_q);
            if (dice.chance(30)) layer.columns = dice.indices(shape.n_k);
            if (dice.extreme && layer.rows && dice.chance(50)) layer.cells.reset();
            break;
        case LayerKind::bias:
            if (dice.adds(40)) {
                layer.tensor = random_tensor(dice, shape, false);
                break;
            }
            for (const Cell& cell : dice.cells(shape))
                layer.bias.push_back({cell.i, cell.j, dice.real(2)});
            break;
        default:
            break;
    }
    const bool can_invert = !is_bias(layer) && (layer.kind != LayerKind::allowed || depth > 0);
    if (can_invert && dice.chance(15)) layer.invert = true;
    if (depth == 0 && dice.chance(25)) layer.heads = dice.some_of(shape.h);
    return layer;
}

Score random_score(Dice& dice, const Inputs& inputs) {
    const Index d_q = *d_q_of(inputs), d_k = *d_k_of(inputs);
    Score score;
    score.kind = d_q == d_k ? dice.kind<ScoreKind>(4)
                            : dice.one_of<ScoreKind>({ScoreKind::bilinear, ScoreKind::additive});
    const bool small = d_q * d_k < 100;  // otherwise seeded: too many numbers to write
    if (score.kind == ScoreKind::bilinear && small && dice.chance(50))
        score.matrix = dice.array({d_q, d_k});
    if (score.kind != ScoreKind::additive) return score;
    const Index hidden = dice.number(1, 5);
    if (!small || dice.chance(50)) {
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
    if (kind != ValueKind::number) return {kind, 0};
    return {kind, dice.extreme ? dice.real(1)
                               : dice.one_of<double>({-1e9, -1e4, -100, -1, 0, 1e9, 1e39})};
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
    if (dice.adds(25)) return {ScaleKind::formula, 1, dice.one_of(scales)};
    do scale.kind = dice.kind<ScaleKind>(4);
    while (scale.kind == ScaleKind::sqrt_d_k && !d_k_of(inputs));
    if (scale.kind == ScaleKind::number) scale.number = dice.real(0.5);
    return scale;
}

Variant random_variant(Dice& dice, const Inputs& inputs, const Shape& shape, Index last) {
    const bool given_weights = std::holds_alternative<WeightsInputs>(inputs);
    Variant variant;
    variant.name = dice.extreme ? dice.name()
                                : dice.one_of<std::string>({"additive", "così", "one \"quoted\""});
    for (Index layers = dice.number(0, 3); layers > 0; --layers)
        variant.mask.layers.push_back(random_layer(dice, shape, last, !given_weights));
    variant.empty_rows = dice.kind<EmptyRows>(dice.additions ? 4 : 3);
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
    const bool products = has_score(inputs) && (variant.score.kind == ScoreKind::dot ||
                                                variant.score.kind == ScoreKind::bilinear);
    if (products && variant.scale.kind != ScaleKind::formula && dice.adds(25))
        variant.mask.order = Order::queries_first;
    variant.normalizer = dice.chance(60) ? Normalizer::softmax : dice.kind<Normalizer>(4);
    if (variant.normalizer == Normalizer::softmax_sink) {
        const auto sink = [&] { return std::clamp(dice.real(2), -1e9, 1e9); };
        variant.sink = sink();
        if (dice.chance(50)) {
            std::vector<double> each;
            for (Index h = 0; h < shape.h; ++h) each.push_back(sink());
            variant.sink = each;
        }
    }
    if (variant.mask.order != Order::mask_then_scale && dice.chance(20))
        variant.softcap = {dice.one_of<double>({0.5, 2, 5, 50}), dice.kind<CapOrder>(2)};
    return variant;
}

// --- what is shown

Show random_show(Dice& dice, const Scene& scene) {
    const Shape shape = shape_of(scene);
    const auto variants = static_cast<Index>(scene.variants.size());
    const auto cell = [&] {
        return Cell{dice.number(0, shape.n_q - 1), dice.number(0, shape.n_k - 1)};
    };
    Show show;
    if (dice.chance(50)) show.view = dice.kind<ViewKind>(5);
    if (dice.chance(50)) {
        show.stages.emplace();
        for (const Index stage : dice.some_of(all_stage_count))
            show.stages->push_back(static_cast<StageKind>(stage));
    }
    if (dice.chance(50)) {
        const auto some = dice.some_of(variants);
        show.variants.emplace(some.begin(), some.end());
    }
    if (variants > 1 && dice.chance(50)) show.difference = {1, 0};
    if (dice.chance(50)) show.sequences = dice.some_of(shape.b);
    if (dice.chance(50)) show.heads = dice.some_of(shape.h);
    if (d_v_of(scene.inputs).value_or(0) > 1) show.components = {1, 0};
    if (dice.chance(50)) show.d = dice.number(1, 1024);
    if (dice.chance(50)) show.focus = cell();
    if (dice.chance(50)) show.ring = cell();
    show.vectors = dice.chance(30);
    return show;
}

}  // namespace

Scene random_scene(std::uint64_t seed, const RandomOptions& options) {
    Dice dice(seed, options.extreme, options.additions);
    Scene scene;
    scene.title = !dice.chance(50) ? "" : dice.extreme ? dice.name() : "a title";
    if (dice.extreme) scene.pad_token = dice.name();
    const bool keys = dice.chance(40);
    for (Index b = dice.number(1, 3); b > 0; --b) {
        Sequence sequence{dice.tokens(), std::nullopt};
        if (keys) sequence.keys = dice.tokens();
        if (keys && dice.chance(40)) sequence.start = dice.number(0, dice.chance(80) ? 3 : 90);
        const auto places = [&](std::size_t count) {
            std::vector<Index> list;
            const Index most = dice.chance(70) ? 5 : 90;
            for (; count > 0; --count) list.push_back(dice.number(0, most));
            return list;
        };
        if (keys && sequence.start == 0 && dice.adds(30))
            sequence.positions = places(sequence.queries.size());
        if (keys && dice.adds(30)) sequence.key_positions = places(sequence.keys->size());
        scene.sequences.push_back(sequence);
    }
    scene.inputs = EmbeddingInputs{0, dice.number(1, 3), 1, 1, 1};  // so that the shape is known
    const Shape shape = shape_of(scene);
    scene.inputs = random_inputs(dice, shape, options, 3, keys);
    const Index variants = options.variants > 0 ? options.variants : dice.number(1, 3);
    for (Index k = 0; k < variants; ++k)
        scene.variants.push_back(random_variant(dice, scene.inputs, shape, last_position(scene)));
    for (Index k = 0; k < variants; ++k)
        if (variants > 1 && dice.adds(30))
            scene.variants[k].reference =
                static_cast<int>((k + dice.number(1, variants - 1)) % variants);
    if (dice.extreme && dice.chance(50)) scene.show = random_show(dice, scene);
    return scene;
}

MaskLayer random_layer(std::uint64_t seed, const Shape& shape, Index last, bool biases) {
    Dice dice(seed, false, true);
    return random_layer(dice, shape, last, biases);
}

}  // namespace maskscope
