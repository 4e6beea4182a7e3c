// random_scene of scene_samples.h: a part of the format after the other, each parameter drawn.

#include <algorithm>
#include <numeric>

#include "core/scene/mask_rules.h"
#include "tests/unit/core/scene/scene_samples.h"

namespace maskscope::test {

namespace {

class Draw {
public:
    explicit Draw(std::mt19937_64& random) : random_(random) {}

    Index between(Index low, Index high) {
        return low + static_cast<Index>(random_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool maybe() { return between(0, 1) == 1; }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[between(0, static_cast<Index>(values.size()) - 1)];
    }
    // One of the first `count` enumerators.
    template <class T>
    T kind(Index count) {
        return static_cast<T>(between(0, count - 1));
    }
    double number() {
        return one_of({0.0, -0.0, 1.0, -1e9, 0.1, 1e-300, 1.7976931348623157e308, 5e-324, 1e22,
                       static_cast<double>(between(-1000, 1000)) / 64,
                       static_cast<double>(random_()) / 3});
    }
    std::uint64_t seed() { return random_() >> (between(0, 1) ? 11 : 60); }
    std::string token() {
        return one_of<const char*>({"a", "<pad>", "name", "\"quoted\"", "back\\slash", "猫", "🙂",
                                    "é", "a/b~c", " ", "ملاحظة"});
    }

    Array array(std::vector<Index> axes) {
        std::vector<double> values(static_cast<std::size_t>(
            std::accumulate(axes.begin(), axes.end(), Index{1}, std::multiplies<>())));
        for (double& value : values) value = number();
        return make_array(std::move(axes), std::move(values));
    }
    // [b, h, n, d], with fewer axes where they are 1.
    Array padded(std::vector<Index> axes) {
        while (axes.size() > 2 && axes.front() == 1 && maybe()) axes.erase(axes.begin());
        return array(axes);
    }
    std::vector<Index> indices(Index size, Index most) {
        std::vector<Index> list;
        for (Index k = between(0, most); k > 0; --k) list.push_back(between(0, size - 1));
        return list;
    }
    std::vector<Index> distinct(Index size) {
        std::vector<Index> list(static_cast<std::size_t>(size));
        std::iota(list.begin(), list.end(), 0);
        std::shuffle(list.begin(), list.end(), random_);
        list.resize(static_cast<std::size_t>(between(1, size)));
        return list;
    }

private:
    std::mt19937_64& random_;
};

struct Sizes {
    Index b, n_q, n_k;
    bool own_keys;
};

std::vector<std::string> draw_tokens(Draw& draw, Index n) {
    std::vector<std::string> tokens;
    for (Index k = 0; k < n; ++k) tokens.push_back(draw.token());
    return tokens;
}

// At least one sequence is as long as the sizes say.
std::vector<Sequence> draw_sequences(Draw& draw, const Sizes& sizes) {
    std::vector<Sequence> sequences;
    for (Index k = 0; k < sizes.b; ++k) {
        Sequence& sequence = sequences.emplace_back();
        sequence.queries = draw_tokens(draw, k == 0 ? sizes.n_q : draw.between(1, sizes.n_q));
        if (sizes.own_keys)
            sequence.keys = draw_tokens(draw, k == 0 ? sizes.n_k : draw.between(1, sizes.n_k));
    }
    return sequences;
}

// --- inputs

Variant draw_variant(Draw& draw, const Inputs& inputs, const Sizes& sizes);
Inputs draw_inputs(Draw& draw, const Sizes& sizes, int layers);

std::optional<Array> draw_values(Draw& draw, const Sizes& sizes, Index h) {
    if (draw.between(0, 3) == 0) return std::nullopt;
    return draw.padded({sizes.b, h, sizes.n_k, draw.between(1, 3)});
}

PatternsInputs draw_patterns(Draw& draw) {
    PatternsInputs inputs;
    for (Index k = draw.between(1, 3); k > 0; --k)
        inputs.heads.push_back({draw.kind<Pattern>(9), draw.number()});
    inputs.seed = draw.seed();
    inputs.d_v = draw.between(1, 3);
    return inputs;
}

TensorsInputs draw_tensors(Draw& draw, const Sizes& sizes) {
    const Index h = draw.between(1, 2);
    const Index d_q = draw.between(1, 3);
    const Index d_k = draw.maybe() ? d_q : draw.between(1, 3);
    return {draw.padded({sizes.b, h, sizes.n_q, d_q}), draw.padded({sizes.b, h, sizes.n_k, d_k}),
            draw_values(draw, sizes, h)};
}

LayerBefore draw_layer(Draw& draw, const Sizes& sizes, int layers) {
    LayerBefore layer;
    do layer.inputs = draw_inputs(draw, sizes, layers);
    while (!d_v_of(layer.inputs));
    layer.variant = draw_variant(draw, layer.inputs, sizes);
    return layer;
}

OutputInputs draw_output(Draw& draw, const Sizes& sizes, int layers) {
    OutputInputs inputs;
    inputs.of = draw_layer(draw, {sizes.b, sizes.n_q, sizes.n_q, false}, layers);
    if (!sizes.own_keys) return inputs;
    const Index h = heads_of(inputs);
    do {
        inputs.keys = draw_layer(draw, {sizes.b, sizes.n_k, sizes.n_k, false}, 0);
    } while (heads_of(OutputInputs{*inputs.keys, {}}) != h);
    return inputs;
}

// layers: how many more may lie before these inputs; with keys of their own no more than one.
Inputs draw_inputs(Draw& draw, const Sizes& sizes, int layers) {
    const Index h = draw.between(1, 2);
    switch (draw.between(0, layers > 0 ? 5 : 4)) {
        case 0:
            return EmbeddingInputs{draw.seed(), h, draw.between(1, 65536), draw.between(1, 3),
                                   draw.between(1, 64)};
        case 1:
            return draw_patterns(draw);
        case 2:
            return draw_tensors(draw, sizes);
        case 3:
            return ScoresInputs{
                draw.padded({sizes.b, h, sizes.n_q, sizes.n_k}), draw_values(draw, sizes, h),
                draw.maybe() ? std::optional<Index>(draw.between(1, 9)) : std::nullopt};
        case 4:
            return WeightsInputs{draw.padded({sizes.b, h, sizes.n_q, sizes.n_k}),
                                 draw_values(draw, sizes, h)};
        default:
            return draw_output(draw, sizes, sizes.own_keys ? 0 : layers - 1);
    }
}

// --- variants

Score draw_score(Draw& draw, const Inputs& inputs) {
    const Index d_q = *d_q_of(inputs);
    const Index d_k = *d_k_of(inputs);
    Score score;
    score.kind = draw.kind<ScoreKind>(4);
    if (d_q != d_k) score.kind = draw.one_of({ScoreKind::bilinear, ScoreKind::additive});
    const bool given = draw.maybe() && d_q * d_k < 20;
    if (score.kind == ScoreKind::bilinear && given) score.matrix = draw.array({d_q, d_k});
    if (score.kind != ScoreKind::additive) return score;
    const Index hidden = draw.between(1, 9);
    if (!given) {
        score.hidden = hidden;
        return score;
    }
    score.w_q = draw.array({hidden, d_q});
    score.w_k = draw.array({hidden, d_k});
    score.w_v = draw.array({hidden});
    return score;
}

Scale draw_scale(Draw& draw, const Inputs& inputs, const Score& score) {
    if (draw.maybe()) return default_scale(inputs, score);
    if (draw.maybe()) return {ScaleKind::number, draw.number()};
    return {draw.one_of({ScaleKind::sqrt_n_k, ScaleKind::none}), 1};
}

std::vector<Index> draw_lengths(Draw& draw, Index n) {
    std::vector<Index> lengths;
    while (n > 0) n -= lengths.emplace_back(draw.between(1, n));
    return lengths;
}

std::vector<Cell> draw_cells(Draw& draw, const Sizes& sizes) {
    std::vector<Cell> cells;
    for (Index k = draw.between(0, 3); k > 0; --k)
        cells.push_back({draw.between(0, sizes.n_q - 1), draw.between(0, sizes.n_k - 1)});
    return cells;
}

void draw_parameters(Draw& draw, const Sizes& sizes, MaskLayer& layer) {
    switch (layer.kind) {
        case LayerKind::causal:
            layer.align = draw.kind<Align>(2);
            break;
        case LayerKind::window:
            layer.left = draw.between(0, 9007199254740991);
            layer.right = draw.between(0, 3);
            break;
        case LayerKind::prefix:
            layer.length = draw.between(0, 3);
            break;
        case LayerKind::sinks:
            layer.count = draw.between(0, 9007199254740991);
            break;
        case LayerKind::documents:
            layer.lengths = draw_lengths(draw, sizes.n_q);
            break;
        case LayerKind::blocked:
        case LayerKind::allowed:
            layer.cells = draw_cells(draw, sizes);
            if (draw.maybe()) layer.rows = draw.indices(sizes.n_q, 3);
            if (draw.maybe()) layer.columns = draw.indices(sizes.n_k, 3);
            if (layer.rows && draw.maybe()) layer.cells.reset();
            break;
        case LayerKind::bias:
            for (const Cell& cell : draw_cells(draw, sizes))
                layer.bias.push_back({cell.i, cell.j, draw.number()});
            break;
        default:
            break;
    }
}

Mask draw_mask(Draw& draw, const Inputs& inputs, const Sizes& sizes) {
    const bool weights = std::holds_alternative<WeightsInputs>(inputs);
    Mask mask;
    for (Index k = draw.between(0, 3); k > 0; --k) {
        MaskLayer layer;
        layer.kind =
            draw.kind<LayerKind>(static_cast<Index>(layer_rules().size()) - (weights ? 2 : 0));
        if (layer.kind == LayerKind::documents && sizes.n_q != sizes.n_k) continue;
        draw_parameters(draw, sizes, layer);
        if (draw.maybe()) layer.heads = draw.distinct(heads_of(inputs));
        mask.layers.push_back(layer);
    }
    mask.apply = weights ? draw.one_of({Apply::none, Apply::multiply_weights,
                                        Apply::multiply_weights_renormalized})
                         : draw.kind<Apply>(6);
    if (weights) return mask;
    mask.value = {draw.kind<ValueKind>(3), 0};
    if (mask.value.kind == ValueKind::number) mask.value.number = draw.number();
    mask.times = static_cast<int>(draw.between(1, 2));
    mask.order = draw.kind<Order>(2);
    return mask;
}

Output draw_output_kind(Draw& draw, const Inputs& inputs) {
    const auto d_v = d_v_of(inputs);
    if (!d_v || draw.maybe()) return {};
    Output output;
    const Index d_out = draw.between(1, 3);
    const Index rows = heads_of(inputs) * *d_v;
    const bool alternative = d_k_of(inputs) && draw.maybe();
    output.kind = alternative ? OutputKind::alternative : OutputKind::projected;
    if (rows < 20 && draw.maybe())
        output.w = alternative ? draw.array({d_out, *d_v}) : draw.array({rows, d_out});
    return output;
}

Variant draw_variant(Draw& draw, const Inputs& inputs, const Sizes& sizes) {
    Variant variant;
    variant.name = draw.token();
    if (has_score(inputs)) variant.score = draw_score(draw, inputs);
    variant.scale = default_scale(inputs, variant.score);
    variant.mask = draw_mask(draw, inputs, sizes);
    variant.empty_rows = draw.kind<EmptyRows>(3);
    variant.dtype = draw.kind<Dtype>(4);
    variant.output = draw_output_kind(draw, inputs);
    if (std::holds_alternative<WeightsInputs>(inputs)) return variant;
    variant.scale = draw_scale(draw, inputs, variant.score);
    variant.normalizer = draw.kind<Normalizer>(2);
    return variant;
}

// --- what is shown

Show draw_show(Draw& draw, const Scene& scene) {
    const Shape shape = shape_of(scene);
    const auto lanes = static_cast<Index>(scene.variants.size());
    const auto cell = [&] {
        return Cell{draw.between(0, shape.n_q - 1), draw.between(0, shape.n_k - 1)};
    };
    Show show;
    if (draw.maybe()) show.view = draw.kind<ViewKind>(5);
    if (draw.maybe()) {
        show.stages.emplace();
        for (const Index stage : draw.distinct(stage_count))
            show.stages->push_back(static_cast<StageKind>(stage));
    }
    if (draw.maybe()) {
        const auto some = draw.distinct(lanes);
        show.lanes.emplace(some.begin(), some.end());
    }
    if (lanes > 1 && draw.maybe()) show.difference = {1, 0};
    if (draw.maybe()) show.sequences = draw.distinct(shape.b);
    if (draw.maybe()) show.heads = draw.distinct(shape.h);
    if (d_v_of(scene.inputs).value_or(0) > 1) show.components = {1, 0};
    if (draw.maybe()) show.d = draw.between(1, 1024);
    if (draw.maybe()) show.focus = cell();
    if (draw.maybe()) show.ring = cell();
    return show;
}

}  // namespace

Scene random_scene(std::mt19937_64& random) {
    Draw draw(random);
    Sizes sizes{draw.between(1, 3), draw.between(1, 4), 0, draw.maybe()};
    sizes.n_k = sizes.own_keys ? draw.between(1, 4) : sizes.n_q;
    Scene scene;
    scene.title = draw.maybe() ? draw.token() : "";
    scene.pad_token = draw.token();
    scene.sequences = draw_sequences(draw, sizes);
    scene.inputs = draw_inputs(draw, sizes, 3);
    for (Index k = draw.between(1, 3); k > 0; --k)
        scene.variants.push_back(draw_variant(draw, scene.inputs, sizes));
    if (draw.maybe()) scene.show = draw_show(draw, scene);
    return scene;
}

}  // namespace maskscope::test
