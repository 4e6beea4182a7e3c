#pragma once
// Helpers that several rows of the table of settings share.

#include <nlohmann/json.hpp>

#include "core/scene/names.h"
#include "core/settings/variant_json.h"

namespace maskscope {

using Settings = std::vector<Setting>;

std::vector<MaskLayer> read_layers(const Node& node, const VariantPlace& place);
Json layers_to_json(const std::vector<MaskLayer>& layers, const WriteArray& array);

inline auto& member(auto& variant, auto Variant::*which) { return variant.*which; }
inline auto& member(auto& variant, auto Mask::*which) { return variant.mask.*which; }
inline auto& member(auto& variant, auto Score::*which) { return variant.score.*which; }
inline auto& member(auto& variant, auto Output::*which) { return variant.output.*which; }

// Adds a choice: one value of a member of Variant or of its parts, and its words.
template <class Member, class T>
void add_choice(std::vector<Choice>& choices, const Variant& variant, Member which,
                std::string_view words, const T& value) {
    choices.push_back({std::string(words), member(variant, which) == value,
                       [which, value](Variant& changed) { member(changed, which) = value; }});
}

// Returns a choice for each value of an enum, in the words of the file or, if labelled, of labels.
template <auto which, bool labelled>
std::vector<Choice> all_choices(const Scene& scene, int k) {
    const Variant& variant = scene.variants[k];
    using T = std::decay_t<decltype(member(variant, which))>;
    std::vector<Choice> choices;
    for (std::size_t n = 0; n < names<T>().size(); ++n) {
        const auto value = static_cast<T>(n);
        if constexpr (labelled)
            add_choice(choices, variant, which, label(value), value);
        else
            add_choice(choices, variant, which, name(value), value);
    }
    return choices;
}

// Returns a setting whose value is a name in the file.
template <auto which, bool labelled>
Setting named_setting(std::string_view key, std::string_view label, std::string_view undo) {
    return {.key = key,
            .label = label,
            .undo = undo,
            .read =
                [](const Node& node, const VariantPlace&, Variant& variant) {
                    auto& value = member(variant, which);
                    value = read_name<std::decay_t<decltype(value)>>(node);
                },
            .write = [](const Variant& variant,
                        const WriteArray&) { return Json(name(member(variant, which))); },
            .words = [](const Variant& variant) -> std::string {
                if constexpr (labelled)
                    return within_sentence(maskscope::label(member(variant, which)));
                else
                    return std::string(name(member(variant, which)));
            },
            .choices = all_choices<which, labelled>};
}

inline bool has_scores(const Inputs& inputs) { return has_stage(inputs, StageKind::scaled); }
// True if scores are products of queries and keys.
inline bool is_product(const Inputs& inputs, const Score& score) {
    return has_score(inputs) && (score.kind == ScoreKind::dot || score.kind == ScoreKind::bilinear);
}

}  // namespace maskscope
