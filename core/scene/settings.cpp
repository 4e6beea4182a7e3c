#include "core/scene/settings.h"

#include <algorithm>
#include <iterator>

#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

bool always(const Inputs&, const Variant&) { return true; }
bool over_scores(const Inputs& inputs, const Variant&) {
    return has_stage(inputs, StageKind::scaled);
}

constexpr LaneSetting settings[] = {
    {"mask.apply", always, [](const Variant& v) { return within_sentence(label(v.mask.apply)); }},
    {"mask.value", [](const Inputs&, const Variant& v) { return uses_value(v.mask.apply); },
     [](const Variant& v) { return in_words(v.mask.value); }},
    {"mask.times",
     [](const Inputs&, const Variant& v) {
         return v.mask.apply == Apply::additive && v.mask.value.kind != ValueKind::minus_infinity;
     },
     [](const Variant& v) { return std::string(times_in_words(v.mask.times)); }},
    {"mask.order", [](const Inputs&, const Variant& v) { return masks_logits(v.mask.apply); },
     [](const Variant& v) { return std::string(in_words(v.mask.order)); }},
    {"dtype", always, [](const Variant& v) { return std::string(name(v.dtype)); }},
    {"scale", over_scores, [](const Variant& v) { return in_words(v.scale); }},
    {"empty_rows", always, [](const Variant& v) { return within_sentence(label(v.empty_rows)); }},
    {"softcap", over_scores,
     [](const Variant& v) { return v.softcap ? in_words(*v.softcap) : std::string("none"); }},
    {"normalizer", over_scores,
     [](const Variant& v) { return within_sentence(label(v.normalizer)); }},
    {"score", [](const Inputs& inputs, const Variant&) { return has_score(inputs); },
     [](const Variant& v) { return std::string(name(v.score.kind)); }},
    {"output", [](const Inputs& inputs, const Variant&) { return d_v_of(inputs).has_value(); },
     [](const Variant& v) { return std::string(name(v.output.kind)); }},
};

// --- changes

// What comes before a change whose own words do not say what was changed.
std::string_view change_prefix(std::string_view setting) {
    if (setting == "mask.value") return "value ";
    if (setting == "mask.times") return "value added ";
    if (setting == "empty_rows") return "empty rows ";
    if (setting == "scale") return "scale ";
    if (setting == "softcap") return "softcap ";
    if (setting == "score") return "score ";
    if (setting == "output") return "output ";
    return "";
}

struct Changes {
    std::string text;
    void add(std::string_view change) {
        text += text.empty() ? "" : ", ";
        text += change;
    }
};

// Cells that are painted are seen in the mask, and no name speaks of them.
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

// "window or (sinks and causal)": any or all of these layers, groups in brackets.
std::string joined_words(const std::vector<MaskLayer>& layers, LayerKind kind) {
    std::string text;
    for (const MaskLayer& layer : layers) {
        const std::string words = in_words(layer);
        const bool bare = layers.size() == 1 || layer.layers.size() < 2 || layer.invert;
        text += text.empty() ? "" : kind == LayerKind::any ? " or " : " and ";
        text += bare ? words : "(" + words + ")";
    }
    return text;
}

std::string changes_of(const Inputs& inputs, const Variant& before, const Variant& now) {
    Changes changes;
    const bool says_apply = now.name == label(now.mask.apply);
    for (const LaneSetting& setting : settings) {
        if (setting.name == "mask.apply" && says_apply) continue;
        if (!setting.acts(inputs, now)) continue;
        std::string words = setting.words(now);
        if (words == setting.words(before)) continue;
        // A value can be added or put in place only before the softmax.
        if (setting.name == "mask.apply" && uses_value(now.mask.apply))
            words.resize(words.find(' '));
        changes.add(std::string(change_prefix(setting.name)) + words);
    }
    add_layer_changes(changes, before.mask, now.mask);
    return changes.text;
}

}  // namespace

std::string in_words(const BlockedValue& value) {
    switch (value.kind) {
        case ValueKind::minus_infinity:
            return "−∞";
        case ValueKind::lowest:
            return "lowest";
        case ValueKind::number:
            break;
    }
    return typed_text(value.number);
}

std::string in_words(const Scale& scale) {
    switch (scale.kind) {
        case ScaleKind::sqrt_d_k:
            return "1/√d";
        case ScaleKind::sqrt_n_k:
            return "1/√n";
        case ScaleKind::none:
            return "none";
        case ScaleKind::formula:
            return scale.expression;
        case ScaleKind::number:
            break;
    }
    return typed_text(scale.number);
}

std::string_view in_words(Order order) {
    if (order == Order::queries_first) return "queries scaled first";
    return order == Order::scale_then_mask ? "scale, then mask" : "mask, then scale";
}

std::string in_words(const Softcap& softcap) {
    const bool after = softcap.order == CapOrder::after_mask;
    return typed_text(softcap.cap) + (after ? ", after the mask" : "");
}

std::string in_words(const MaskLayer& layer) {
    const std::string negated = layer.invert ? "not " : "";
    if (!rule_of(layer.kind).is_group)
        return negated + (layer.kind == LayerKind::formula ? layer.expression
                                                           : within_sentence(label(layer.kind)));
    const bool brackets = layer.invert && layer.layers.size() > 1;
    const std::string words = joined_words(layer.layers, layer.kind);
    return negated + (brackets ? "(" + words + ")" : words);
}

std::string in_words(const std::vector<MaskLayer>& layers) {
    std::vector<MaskLayer> terms;
    std::ranges::copy_if(layers, std::back_inserter(terms), [](const MaskLayer& layer) {
        return !is_bias(layer) && !rule_of(layer.kind).opens;
    });
    return joined_words(terms, LayerKind::all);
}

std::string_view times_in_words(int times) { return times == 2 ? "twice" : "once"; }

std::span<const LaneSetting> lane_settings() { return settings; }

const LaneSetting* lane_setting(std::string_view name) {
    const auto* const found = std::ranges::find(settings, name, &LaneSetting::name);
    return found == std::end(settings) ? nullptr : found;
}

std::string changes_since(const Scene& step, const Scene& scene, int lane) {
    const Variant& now = scene.variants[lane];
    // The lane of the step: the one in the same place, or after a lane was deleted that of the same
    // name.
    const Variant* before = nullptr;
    const bool same_place = lane < std::ssize(step.variants);
    if (same_place && step.variants[lane].name == now.name) before = &step.variants[lane];
    for (const Variant& variant : step.variants)
        if (!before && variant.name == now.name) before = &variant;
    const bool follows = same_place && now.name == label(now.mask.apply) &&
                         step.variants[lane].name == label(step.variants[lane].mask.apply);
    if (!before && follows) before = &step.variants[lane];
    if (!before) return "";
    return changes_of(scene.inputs, *before, now);
}

std::string changes_note(const std::string& changes) {
    return changes.empty() ? "" : " (changed: " + changes + ")";
}

std::string with_changes(const std::string& name, const std::string& changes) {
    return name + changes_note(changes);
}

}  // namespace maskscope
