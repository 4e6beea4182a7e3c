#include "app/show/bench/bench_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/show/bench/bench.h"
#include "core/scene/mask_rules.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

using enum StageKind;
using Words = std::vector<std::string>;

// Writes "S + M"; "S, M where blocked"; "S, cap 50".
std::string with_scores(const std::string& operation) {
    const bool apart = operation.front() >= 'A' && operation.front() <= 'z';
    return (apart ? "S, " : "S ") + operation;
}

Words step_into(StageKind stage, const Variant& variant) {
    Words words;
    for (const Operation& operation : operations_into(stage, variant)) {
        words.push_back(operation.words);
        if (stage != logits || operation.order != 0 || !masks_first(variant)) continue;
        words.back() = with_scores(words.back());  // the scores S are masked, then scaled
        for (const Operation& scale : operations_into(scaled, variant))
            words.back() = fmt::format("({}) {}", words.back(), scale.words);
    }
    return words;
}

}  // namespace

std::vector<std::string> operations_between(const Inputs& inputs, const Variant& variant,
                                            StageKind from, StageKind to) {
    if (is_aside(to)) return {};
    Words words;
    for (int k = int(from) + 1; k <= int(to); ++k) {
        if (!has_stage(inputs, StageKind(k))) continue;
        // The step to the logits names the scale then, after the mask.
        if (StageKind(k) == scaled && to > scaled && masks_first(variant)) continue;
        std::ranges::move(step_into(StageKind(k), variant), std::back_inserter(words));
    }
    return words;
}

std::vector<std::string> operations_with_mask(const Inputs& inputs, const Variant& variant,
                                              StageKind to) {
    const bool masks_before = masks_logits(variant.mask.apply);
    if (to < logits || (to < weights && !masks_before) || variant.mask.apply == Apply::none)
        return {};
    // S are the scaled scores; in "(S + M) × 1/√d" they are unscaled.
    Words words = operations_between(inputs, variant, scaled, to);
    if (words.empty() || words.front().starts_with("(")) return words;
    const bool is_given = !has_stage(inputs, scaled);  // are weights given?
    const bool normalized = step_into(softmax, variant).front() == words.front();
    if (normalized)
        words.front() += " of S";
    else
        words.front() = is_given ? "w " + words.front() : with_scores(words.front());
    return words;
}

std::string stage_note(const Scene& scene, const Variant& variant, StageKind stage) {
    if (!has_score(scene.inputs) || variant.score.kind != ScoreKind::dot) return "";
    // A single query makes no matrix.
    const std::string product = shape_of(scene).n_q == 1 ? "q · k" : "QKᵀ";
    if (stage == scores) return product;
    if (stage != scaled) return "";
    switch (variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return product + "/√d";
        case ScaleKind::sqrt_n_k:
            return product + "/√n";
        case ScaleKind::none:
            return product;
        case ScaleKind::number:
            return fmt::format("{:.4g} · {}", variant.scale.number, product);
        case ScaleKind::formula:
            return "f(i) · " + product;
    }
    return "";
}

}  // namespace maskscope
