#pragma once
// Makes "My name is Luke" with variants that differ in how the causal mask is applied.

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

inline Variant causal(const std::string& name, Apply apply) {
    Variant variant;
    variant.name = name;
    variant.mask.layers = {MaskLayer{}};
    variant.mask.apply = apply;
    return variant;
}

inline Scene sentence(std::vector<Variant> variants, Index heads = 2) {
    Scene scene;
    scene.sequences = {{{"<sos>", "My", "name", "is", "Luke", "<eos>"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{7, heads, 8, 8, 64};
    scene.variants = std::move(variants);
    return scene;
}

}  // namespace maskscope
