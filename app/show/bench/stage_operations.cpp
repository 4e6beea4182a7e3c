#include "app/show/bench/stage_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/show/bench/bench.h"

namespace maskscope {

namespace {

using enum StageKind;
using Words = std::vector<std::string>;

Words scale_operation(const Scale& scale) {
    switch (scale.kind) {
        case ScaleKind::sqrt_d_k:
            return {"× 1/√d"};
        case ScaleKind::sqrt_n_k:
            return {"× 1/√n"};
        case ScaleKind::none:
            return {};
        case ScaleKind::number:
            return {fmt::format("× {:.4g}", scale.number)};
        case ScaleKind::formula:
            return {"× f(i)"};
    }
    return {};
}

bool has_bias(const Mask& mask) { return std::ranges::any_of(mask.layers, is_bias); }

Words mask_operation(const Mask& mask) {
    switch (mask.apply) {
        case Apply::additive:
            return {mask.times == 2 ? "+ M + M" : "+ M"};
        case Apply::replace:
            return {"M where blocked"};
        case Apply::multiply_scores:
            return {"× m"};
        default:
            return {};
    }
}

// "S + M"; "S, M where blocked"; "S, cap 50"
std::string with_scores(const std::string& operation) {
    const bool apart = operation.starts_with("M") || operation.starts_with("cap");
    return (apart ? "S, " : "S ") + operation;
}

// scaled -> logits. A bias is added before the mask, or last if the mask comes before the scale.
Words into_softmax(const Variant& variant) {
    Words words = mask_operation(variant.mask);
    const bool inside = variant.mask.order == Order::mask_then_scale && !words.empty();
    if (inside) {  // the scores S are masked, then scaled
        words = {with_scores(words.front())};
        for (const std::string& scale : scale_operation(variant.scale))
            words = {fmt::format("({}) {}", words.front(), scale)};
    }
    if (has_bias(variant.mask)) words.insert(inside ? words.end() : words.begin(), "+ bias");
    if (variant.softcap) {
        const bool first = variant.softcap->order == CapOrder::before_mask;
        words.insert(first ? words.begin() : words.end(),
                     fmt::format("cap {:.4g}", variant.softcap->cap));
    }
    return words;
}

Words after_softmax(const Mask& mask) {
    if (mask.apply == Apply::multiply_weights) return {"× m"};
    if (mask.apply == Apply::multiply_weights_renormalized) return {"× m", "÷ Σ"};
    return {};
}

std::string normalizer_operation(Normalizer normalizer) {
    switch (normalizer) {
        case Normalizer::softmax:
            return "softmax";
        case Normalizer::softmax_plus_one:
            return "softmax + 1";
        case Normalizer::softmax_sink:
            return "softmax + eˢ";
        case Normalizer::sigmoid:
            return "sigmoid";
    }
    return "";
}

Words step_into(StageKind stage, const Variant& variant) {
    switch (stage) {
        case scaled:
            return scale_operation(variant.scale);
        case logits:
            return into_softmax(variant);
        case softmax:
            return {normalizer_operation(variant.normalizer)};
        case weights:
            return after_softmax(variant.mask);
        case output:
            switch (variant.output.kind) {
                case OutputKind::values:
                    return {"· V"};
                case OutputKind::projected:
                    return {"· V", "W"};
                case OutputKind::alternative:
                    return {"· V", "· Wᵀ/√d"};
            }
            return {};
        default:
            return {};
    }
}

}  // namespace

std::vector<std::string> operations_between(const Inputs& inputs, const Variant& variant,
                                            StageKind from, StageKind to) {
    if (is_aside(to)) return {};
    Words words;
    for (int k = int(from) + 1; k <= int(to); ++k) {
        if (!has_stage(inputs, StageKind(k))) continue;
        // With mask_then_scale, into_softmax() names the scale, after the mask.
        if (StageKind(k) == scaled && to > scaled && variant.mask.order == Order::mask_then_scale &&
            !mask_operation(variant.mask).empty())
            continue;
        std::ranges::move(step_into(StageKind(k), variant), std::back_inserter(words));
    }
    return words;
}

std::vector<std::string> operations_with_mask(const Inputs& inputs, const Variant& variant,
                                              StageKind to) {
    const bool masks_before = !mask_operation(variant.mask).empty();
    if (to < logits || (to < weights && !masks_before) || variant.mask.apply == Apply::none)
        return {};
    // S are the scaled scores; "(S + M) × 1/√d" has them unscaled.
    Words words = operations_between(inputs, variant, scaled, to);
    if (words.empty() || words.front().starts_with("(")) return words;
    const bool is_given = !has_stage(inputs, scaled);  // weights are
    if (words.front().starts_with("softmax") || words.front() == "sigmoid")
        words.front() += " of S";
    else
        words.front() = is_given ? "w " + words.front() : with_scores(words.front());
    return words;
}

std::string stage_note(const Scene& scene, const Variant& variant, StageKind stage) {
    if (!has_score(scene.inputs) || variant.score.kind != ScoreKind::dot) return "";
    if (stage == scores) return "QKᵀ";
    if (stage != scaled) return "";
    switch (variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return "QKᵀ/√d";
        case ScaleKind::sqrt_n_k:
            return "QKᵀ/√n";
        case ScaleKind::none:
            return "QKᵀ";
        case ScaleKind::number:
            return fmt::format("{:.4g} · QKᵀ", variant.scale.number);
        case ScaleKind::formula:
            return "f(i) · QKᵀ";
    }
    return "";
}

}  // namespace maskscope
