#include "tests/gpu/larger_scenes.h"

#include "core/scene/mask_rules.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

void repeat(TokenList& list, Index n) {
    list.edit([&](auto& tokens) {
        for (std::size_t k = 0; std::ssize(tokens) < n; ++k)
            tokens.push_back(std::string(tokens[k]));
    });
}

// Gives lists of keys an entry for each key. Returns false for tensors and lists of each sequence,
// and if a rule needs keys at the queries' positions and there are none.
bool fit(std::vector<MaskLayer>& layers, const Scene& scene) {
    const Index n_k = shape_of(scene).n_k;
    for (MaskLayer& layer : layers) {
        if (layer.tensor || !layer.lengths_each.empty() || !layer.ids_each.empty()) return false;
        if (rule_of(layer.kind).needs_key && last_position(scene) >= n_k) return false;
        Index listed = 0;
        for (const Index length : layer.lengths) listed += length;
        if (!layer.lengths.empty()) layer.lengths.back() += n_k - listed;
        const auto size = static_cast<std::size_t>(n_k);
        if (!layer.ids.empty()) layer.ids.resize(size, layer.ids.back());
        if (!layer.parents.empty()) layer.parents.resize(size, std::ssize(layer.parents) - 1);
        if (!fit(layer.layers, scene)) return false;
    }
    return true;
}

}  // namespace

std::optional<Scene> larger_scene(std::uint64_t seed, Index n) {
    Scene scene = in_float32(random_scene(seed));
    if (!std::holds_alternative<EmbeddingInputs>(scene.inputs) &&
        !std::holds_alternative<PatternsInputs>(scene.inputs))
        return std::nullopt;
    for (Sequence& sequence : scene.sequences) {
        repeat(sequence.queries, n);
        if (sequence.keys) repeat(*sequence.keys, n + 3);
    }
    for (Variant& variant : scene.variants)
        if (!fit(variant.mask.layers, scene)) return std::nullopt;
    return scene;
}

}  // namespace maskscope::golden
