// Describes what was changed in a variant since its step.

#include <algorithm>

#include "core/scene/mask_rules.h"
#include "core/settings/parts.h"

namespace maskscope {

namespace {

struct Changes {
    std::string text;
    void add(std::string_view change) {
        text += text.empty() ? "" : ", ";
        text += change;
    }
};

// True for painted cells: they are visible in the mask, and need no words.
bool is_painted(const MaskLayer& layer) { return rule_of(layer.kind).lists_cells; }

void add_layer_changes(Changes& changes, const Mask& before, const Mask& now) {
    const auto has_kind = [](const Mask& mask, LayerKind kind) {
        return std::ranges::find(mask.layers, kind, &MaskLayer::kind) != mask.layers.end();
    };
    const auto has = [](const Mask& mask, const MaskLayer& layer) {
        return std::ranges::find(mask.layers, layer) != mask.layers.end();
    };
    for (const MaskLayer& layer : before.layers)
        if (!is_painted(layer) && !has_kind(now, layer.kind))
            changes.add("no " + within_sentence(label(layer.kind)));
    for (const MaskLayer& layer : now.layers) {
        if (is_painted(layer) || has(before, layer)) continue;
        const char* const prefix = has_kind(before, layer.kind) ? "" : "with ";
        changes.add(prefix + within_sentence(label(layer.kind)));
    }
}

std::string changes_of(const Inputs& inputs, const Variant& before, const Variant& now) {
    Changes changes;
    for (const Setting* setting : listed_settings()) {
        if (!setting->words || !setting->acts(inputs, now)) continue;
        const bool is_apply = setting->key == "mask.apply";
        if (is_apply && now.name == label(now.mask.apply)) continue;
        std::string words = setting->words(now);
        if (words == setting->words(before)) continue;
        // A value can be added or put in place only before the softmax, so the words end there.
        if (is_apply && uses_value(now.mask.apply)) words.resize(words.find(' '));
        changes.add(std::string(setting->prefix) + words);
    }
    add_layer_changes(changes, before.mask, now.mask);
    return changes.text;
}

}  // namespace

std::string changes_since(const Scene& step, const Scene& scene, int variant) {
    const Variant& now = scene.variants[variant];
    // The variant of the step at the same index, or after a variant was deleted, that of the same
    // name.
    const Variant* before = nullptr;
    const bool same_place = variant < std::ssize(step.variants);
    if (same_place && step.variants[variant].name == now.name) before = &step.variants[variant];
    for (const Variant& other : step.variants)
        if (!before && other.name == now.name) before = &other;
    const bool follows = same_place && now.name == label(now.mask.apply) &&
                         step.variants[variant].name == label(step.variants[variant].mask.apply);
    if (!before && follows) before = &step.variants[variant];
    if (!before) return "";
    return changes_of(scene.inputs, *before, now);
}

}  // namespace maskscope
