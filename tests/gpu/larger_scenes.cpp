#include "tests/gpu/larger_scenes.h"

#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

void repeat(std::vector<std::string>& tokens, Index n) {
    for (std::size_t k = 0; static_cast<Index>(tokens.size()) < n; ++k) tokens.push_back(tokens[k]);
}

}  // namespace

std::optional<Scene> larger_scene(std::uint64_t seed, Index n) {
    Scene scene = in_float32(random_scene(seed));
    if (!std::holds_alternative<EmbeddingInputs>(scene.inputs) &&
        !std::holds_alternative<PatternsInputs>(scene.inputs))
        return std::nullopt;
    const Index before = shape_of(scene).n_q;
    for (Sequence& sequence : scene.sequences) {
        repeat(sequence.queries, n);
        if (sequence.keys) repeat(*sequence.keys, n + 3);
    }
    for (Variant& variant : scene.variants)
        for (MaskLayer& layer : variant.mask.layers)
            if (layer.kind == LayerKind::documents)
                layer.lengths.back() += shape_of(scene).n_q - before;
    if (!is_self_attention(scene))  // documents want as many keys as queries
        for (Variant& variant : scene.variants)
            std::erase_if(variant.mask.layers, [](const MaskLayer& layer) {
                return layer.kind == LayerKind::documents;
            });
    return scene;
}

}  // namespace maskscope::golden
