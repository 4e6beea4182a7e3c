// Makes the weights of the layers from which the inputs come.

#include <algorithm>

#include "app/show/bench/bench_parts.h"

namespace maskscope {

namespace {

// Returns the number of layers that precede the one with these inputs.
int layers_below(const Inputs& inputs) {
    const auto* output = std::get_if<OutputInputs>(&inputs);
    return output == nullptr ? 0 : 1 + layers_below(output->of->inputs);
}

std::string title_of(const Result& layer, bool two, bool among_keys) {
    if (two) return among_keys ? "Keys’ layer" : "Queries’ layer";
    constexpr const char* names[] = {"First layer", "Second layer", "Third layer"};
    return names[std::clamp(layers_below(layer.scene.inputs), 0, 2)];
}

SharedSource source_of_layer(const BenchSource& d, const VariantResult& layer, std::size_t k) {
    const std::pair key(foreign_variant - static_cast<int>(k), StageKind::weights);
    SharedSource& made = d.sources[key];
    const auto old = d.before.find(key);
    if (!made)
        made = source_of(layer, StageKind::weights, old != d.before.end() ? old->second : nullptr);
    return made;
}

}  // namespace

std::vector<BenchStage> earlier_of(const BenchSource& d, Index b, Index h) {
    std::vector<BenchStage> stages;
    const auto& layers = d.result.layers_before;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const VariantResult& layer = layers[k]->variants.front();
        BenchStage stage;
        stage.cells = cells_of(source_of_layer(d, layer, k), b, h);
        stage.limits = d.limits[std::size_t(StageKind::weights)];
        stage.map = d.colouring.map.value_or(map_of(StageKind::weights, ThemeKind::dark));
        stage.title = title_of(*layers[k], layers.size() > 1, k == 1);
        stage.note = noted("weights", *stage.cells);
        if (layer.queries != d.of(d.variants.front()).queries ||
            layer.keys != d.of(d.variants.front()).keys)
            stage.tokens = d.tokens_of(layer, b);
        stages.push_back(std::move(stage));
    }
    return stages;
}

}  // namespace maskscope
