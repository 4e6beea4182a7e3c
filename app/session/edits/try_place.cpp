#include "app/session/edits/try_place.h"

#include <algorithm>

#include "core/base/error.h"

namespace maskscope {

namespace {

using Kind = TryPlace::Kind;

bool is_painted(const MaskLayer& layer) {
    return (layer.kind == LayerKind::blocked || layer.kind == LayerKind::allowed) && !layer.heads &&
           !layer.invert;
}

// True if clicks on the mask lead from `before` to `after`: every rule of `after` is also in
// `before` or is a list of cells, and at least one list of cells is new.
bool paints(const Mask& before, const Mask& after) {
    const auto is_kept = [&](const MaskLayer& layer) {
        return std::ranges::count(before.layers, layer) > 0;
    };
    return std::ranges::all_of(
               after.layers,
               [&](const MaskLayer& layer) { return is_painted(layer) || is_kept(layer); }) &&
           std::ranges::any_of(after.layers, [&](const MaskLayer& layer) {
               return is_painted(layer) && !is_kept(layer);
           });
}

Kind place_of(const Inputs& before, const Inputs& after) {
    const auto* tensors = std::get_if<TensorsInputs>(&after);
    if (tensors != nullptr && before.index() == after.index()) {
        const auto& old = std::get<TensorsInputs>(before);
        return tensors->kv_map == old.kv_map ? Kind::vectors : Kind::inputs;
    }
    if (const auto* scores = std::get_if<ScoresInputs>(&after)) {
        const auto* old = std::get_if<ScoresInputs>(&before);
        return old && old->d_k != scores->d_k ? Kind::inputs : Kind::bench;
    }
    return std::holds_alternative<WeightsInputs>(after) ? Kind::bench : Kind::inputs;
}

bool share_rules(const Scene& scene) {
    return std::ranges::all_of(scene.variants, [&](const Variant& variant) {
        return variant.mask.layers == scene.variants.front().mask.layers;
    });
}

std::optional<TryPlace> place_of(const Scene& scene, const Variant& after, int variant) {
    const Variant& before = scene.variants[variant];
    Variant rest = after;
    rest.mask.layers = before.mask.layers;
    if (rest != before) return TryPlace{Kind::variant, variant};
    if (after.mask.layers == before.mask.layers || paints(before.mask, after.mask))
        return std::nullopt;
    return TryPlace{Kind::rules, share_rules(scene) ? std::nullopt : std::optional(variant)};
}

}  // namespace

TryPlace try_place(const Step& step, const SceneSources& sources) try {
    if (step.try_sets.empty()) return {};
    const Scene& scene = step.scene;
    const Scene tried = with_fields(scene, step.try_sets, sources);
    for (std::size_t k = 0; k < std::min(scene.variants.size(), tried.variants.size()); ++k)
        if (const auto place = place_of(scene, tried.variants[k], static_cast<int>(k)))
            return *place;
    if (tried.sequences != scene.sequences) return {Kind::tokens, {}};
    if (tried.inputs != scene.inputs) return {place_of(scene.inputs, tried.inputs), {}};
    const Show before = scene.show.value_or(Show()), after = tried.show.value_or(Show());
    if (before.view != after.view && after.view) return {Kind::view, {}, *after.view};
    return {};
} catch (const Error&) {
    return {};
}

}  // namespace maskscope
