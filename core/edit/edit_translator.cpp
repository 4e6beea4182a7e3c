// Edits of a translator's scene.

#include <algorithm>

#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/model.h"

namespace maskscope {

namespace {

ModelInputs& expected_model(Scene& scene) {
    auto* model = std::get_if<ModelInputs>(&scene.inputs);
    if (model == nullptr) throw EditError("There is no translator in this scene.");
    return *model;
}

// Removes rules that no longer fit the scene.
void keep_fitting(Scene& scene) {
    for (Variant& variant : scene.variants)
        std::erase_if(variant.mask.layers, [&](const MaskLayer& layer) {
            try {
                expect_fitting_layer(scene, layer);
                return false;
            } catch (const EditError&) {
                return true;
            }
        });
}

// Removes cells and list entries beyond the new sizes.
void clip(MaskLayer& layer, const Shape& shape) {
    const auto beyond = [&](const auto& cell) {
        return cell.i >= shape.n_q || cell.j >= shape.n_k;
    };
    if (layer.cells) std::erase_if(*layer.cells, beyond);
    if (layer.rows) std::erase_if(*layer.rows, [&](Index i) { return i >= shape.n_q; });
    if (layer.columns) std::erase_if(*layer.columns, [&](Index j) { return j >= shape.n_k; });
    std::erase_if(layer.bias, beyond);
    std::erase_if(layer.tokens, [&](Index j) { return j >= shape.n_k; });
    for (MaskLayer& inner : layer.layers) clip(inner, shape);
}

bool lists_places(const MaskLayer& layer) {
    return rule_of(layer.kind).lists_cells || (layer.kind == LayerKind::bias && !layer.tensor);
}

// Cuts the lists of rules to the new sizes. Removes rules whose entries, one for each key or cell,
// no longer match the scene, and rules that are left empty.
void fit_layers(Scene& scene, const Shape& before) {
    const Shape shape = shape_of(scene);
    for (Variant& variant : scene.variants) {
        for (MaskLayer& layer : variant.mask.layers) clip(layer, shape);
        std::erase_if(variant.mask.layers, [&](MaskLayer& layer) {
            const bool lists_keys = !layer.ids.empty() || !layer.parents.empty() ||
                                    !layer.lengths.empty() || !layer.ids_each.empty() ||
                                    !layer.lengths_each.empty();
            return (lists_keys && shape.n_k != before.n_k) || (layer.tensor && shape != before) ||
                   (layer.kind == LayerKind::global && layer.tokens.empty()) ||
                   (lists_places(layer) && !tidy_listed(layer));
        });
    }
    keep_fitting(scene);
}

}  // namespace

void expect_given(const Inputs& inputs, ScenePart part) {
    if (!is_trained(inputs)) return;
    switch (part) {
        case ScenePart::tokens:
            throw EditError("Type the translator's words as a sentence in the Translator view.");
        case ScenePart::vectors:
            throw EditError("A translator has no seeded vectors.");
        case ScenePart::scores:
            throw EditError("The translator computes its scores; they cannot be edited.");
    }
}

void set_source(Scene& scene, Index b, const std::vector<std::string>& words) {
    expect_index(b, std::ssize(scene.sequences), "sequence");
    Scene next = scene;
    if (const auto bad = bad_source(*expected_model(next).loaded, words))
        throw EditError(bad->what + ".");
    const Shape before = shape_of(scene);
    next.sequences[b].source = words;
    fit_layers(next, before);
    scene = std::move(next);
}

void show_attention(Scene& scene, ModelAttention attention, Index layer) {
    Scene next = scene;
    ModelInputs& model = expected_model(next);
    expect_index(layer, layers_of(*model.loaded, attention), "layer");
    const Shape before = shape_of(scene);
    const Mask old_own = own_mask(*model.loaded, model.attention);
    const Mask new_own = own_mask(*model.loaded, attention);
    const bool another = model.attention != attention;
    model.attention = attention;
    model.layer = layer;
    if (another) {
        for (Variant& variant : next.variants)
            if (variant.mask == old_own) variant.mask = new_own;
        if (attention != ModelAttention::cross)
            for (Sequence& sequence : next.sequences) sequence.start = 0;
        fit_layers(next, before);
    }
    scene = std::move(next);
}

void turn_head(Scene& scene, int index, Index h, bool on) {
    expected_model(scene);
    Variant& variant = variant_of(scene, index);
    expect_index(h, heads_of(scene.inputs), "head");
    std::erase(variant.heads_off, h);
    if (!on) variant.heads_off.push_back(h);
    std::ranges::sort(variant.heads_off);
}

}  // namespace maskscope
