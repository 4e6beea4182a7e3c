#pragma once

#include "core/scene/scene.h"

namespace maskscope {

// Makes n equal words, two heads whose widths are not powers of two, and three causal variants. The
// second has a window in one head and is in `dtype`; the third has the output `projected`. If n is
// large, results take several blocks of rows.
inline Scene long_sentence(std::size_t n, Dtype dtype) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>(n, "a"), std::nullopt}};
    scene.inputs = EmbeddingInputs{7, 2, 20, 24, 17};
    scene.variants.resize(3);
    MaskLayer causal, window;
    causal.align = Align::bottom_right;
    window.kind = LayerKind::window;
    window.left = 11;
    window.heads = {1};
    for (Variant& variant : scene.variants) variant.mask.layers = {causal};
    scene.variants[1].mask.layers.push_back(window);
    scene.variants[1].dtype = dtype;
    scene.variants[2].output.kind = OutputKind::projected;
    return scene;
}

}  // namespace maskscope
