#pragma once
// Makes scenes for the tests of edits: random, with all kinds of inputs and rules.

#include <random>
#include <string>
#include <vector>

#include "core/scene/mask_rules.h"
#include "core/scene/scene.h"
#include "tests/support/random_scene.h"

namespace maskscope {

class SceneMaker {
public:
    explicit SceneMaker(unsigned seed) : random_(seed) {}

    Index below(Index n) { return Index(random_() % static_cast<unsigned>(n)); }
    bool chance() { return below(2) == 0; }
    double number() { return double(below(2001) - 1000) / 250; }

    std::string token() {
        static const std::vector<std::string> words = {"<pad>", "My",    "name",      "is",
                                                       "🙂",  "naïve", "two words", "\"quoted\"",
                                                       "日本",  "a\\b"};
        return words[below(Index(words.size()))];
    }

    Array array(std::vector<Index> axes) {
        Index size = 1;
        for (const Index axis : axes) size *= axis;
        std::vector<double> numbers(static_cast<std::size_t>(size));
        for (double& x : numbers) x = number();
        return make_array(std::move(axes), std::move(numbers));
    }

    Scene scene();
    // Makes a scene with this kind of inputs, given as its index in the std::variant Inputs.
    Scene scene_with(std::size_t kind);

private:
    std::vector<std::string> tokens() {
        std::vector<std::string> list;
        for (Index k = 1 + below(5); k > 0; --k) list.push_back(token());
        return list;
    }
    std::optional<Array> maybe_values(const Shape& s) {
        if (chance()) return std::nullopt;
        return array({s.b, s.h, s.n_k, 2});
    }
    Inputs inputs(std::size_t kind, Shape shape, int depth);
    std::vector<MaskLayer> layers(const Shape& shape, bool biases);
    Variant variant(const Inputs& inputs, const Shape& shape);

    std::mt19937 random_;
};

inline Inputs SceneMaker::inputs(std::size_t kind, Shape s, int depth) {
    s.h = 1 + below(3);
    switch (kind) {
        case 0:
            return EmbeddingInputs{static_cast<std::uint64_t>(below(99)), s.h, 4, 2, 8};
        case 1:
            return PatternsInputs{std::vector<PatternHead>(static_cast<std::size_t>(s.h)), 3, 2};
        case 2:
            return TensorsInputs{array({s.b, s.h, s.n_q, 3}), array({s.b, s.h, s.n_k, 3}),
                                 maybe_values(s)};
        case 3:
            return ScoresInputs{array({s.b, s.h, s.n_q, s.n_k}), maybe_values(s),
                                chance() ? std::optional<Index>(4) : std::nullopt};
        case 4:
            return WeightsInputs{array({s.b, s.h, s.n_q, s.n_k}), maybe_values(s)};
        default:
            break;
    }
    const auto before = [&](Index n) {
        const Shape square{s.b, s.h, n, n};
        LayerBefore layer;
        do
            layer.inputs =
                inputs(static_cast<std::size_t>(below(depth > 0 && s.n_q == s.n_k ? 6 : 5)), square,
                       depth - 1);
        while (!d_v_of(layer.inputs));
        layer.variant = variant(layer.inputs, square);
        return layer;
    };
    OutputInputs output{before(s.n_q), std::nullopt};
    if (s.n_q == s.n_k) return output;
    LayerBefore keys;
    do keys = before(s.n_k);
    while (heads_of(keys.inputs) != heads_of(output.of->inputs) ||
           d_v_of(keys.inputs) != d_v_of(output.of->inputs));
    output.keys = keys;
    return output;
}

inline std::vector<MaskLayer> SceneMaker::layers(const Shape& s, bool biases) {
    std::vector<MaskLayer> list;
    for (Index k = below(4); k > 0; --k)
        list.push_back(random_layer(random_(), s, s.n_q - 1, biases));
    return list;
}

inline Variant SceneMaker::variant(const Inputs& inputs, const Shape& shape) {
    const bool weights = std::holds_alternative<WeightsInputs>(inputs);
    Shape s = shape;
    s.h = heads_of(inputs);
    Variant variant;
    variant.name = token();
    variant.scale = default_scale(inputs, variant.score);
    variant.mask.layers = layers(s, !weights);
    if (weights) {
        variant.mask.apply = Apply::none;
        return variant;
    }
    variant.mask.apply = static_cast<Apply>(below(6));
    if (has_score(inputs) && below(3) == 0) {
        variant.score.kind = ScoreKind::additive;
        variant.scale = default_scale(inputs, variant.score);
    }
    return variant;
}

inline Scene SceneMaker::scene_with(std::size_t kind) {
    Scene scene;
    const bool self = chance();
    for (Index b = 1 + below(3); b > 0; --b) {
        scene.sequences.push_back({tokens(), std::nullopt});
        if (!self) scene.sequences.back().keys = tokens();
    }
    Shape shape{Index(scene.sequences.size()), 1, 1, 1};
    scene.inputs = EmbeddingInputs{};
    shape.n_q = shape_of(scene).n_q;
    shape.n_k = shape_of(scene).n_k;
    // A second layer has keys of its own if and only if the tokens do.
    if (kind == 5 && !self && shape.n_q == shape.n_k) return scene_with(kind);
    scene.inputs = inputs(kind, shape, 1);
    for (Index k = 1 + below(3); k > 0; --k) scene.variants.push_back(variant(scene.inputs, shape));
    return scene;
}

inline Scene SceneMaker::scene() { return scene_with(static_cast<std::size_t>(below(6))); }

}  // namespace maskscope
