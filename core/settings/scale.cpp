#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/scene/mask_rules.h"
#include "core/settings/parts.h"

namespace maskscope {

namespace {

// Returns the name by which a formula depends on the key, so that it cannot be the factor of a row;
// "" if it does not.
std::string_view key_in(const std::string& expression) {
    using enum Expression::Name;
    const Expression parsed(expression);
    return parsed.reads(j) ? "j" : parsed.reads(pad_j) ? "pad_j" : "";
}

// Reads {"formula": "0.125 * (1 + i)"}, which must be finite in every row.
Scale read_scale_formula(const Node& node, const VariantPlace& place) {
    expect_keys(node, {"formula"});
    const Node formula = require(node, "formula");
    if (is_trained(place.inputs))
        throw InputError(formula.place, "a model's scale cannot be a formula");
    const Scale scale{ScaleKind::formula, 1, read_expression(formula)};
    if (const std::string_view key = key_in(scale.expression); !key.empty())
        throw InputError(formula.place,
                         fmt::format("a scale is one factor for each row: it cannot use {}", key));
    const std::string bad = bad_scale(*place.tokens.scene, scale, heads_of(place.inputs));
    if (!bad.empty()) throw InputError(formula.place, "expected finite numbers, got " + bad);
    return scale;
}

Scale read_scale(const Node& node, const VariantPlace& place) {
    if (node.json.is_number()) return {ScaleKind::number, read_number(node)};
    if (node.json.is_object()) return read_scale_formula(node, place);
    const auto* word = node.json.get_ptr<const std::string*>();
    const auto kind = word ? from_name<ScaleKind>(*word) : std::nullopt;
    if (!kind) fail(node, alternatives(names<ScaleKind>(), "a number"));
    if (kind == ScaleKind::sqrt_d_k && !d_k_of(place.inputs))
        throw InputError(node.place, "\"sqrt_d_k\" needs a d_k, but these inputs have none");
    return {*kind, 1};
}

Json write_scale(const Variant& variant, const WriteArray&) {
    const Scale& scale = variant.scale;
    if (scale.kind == ScaleKind::formula) return {{"formula", scale.expression}};
    if (scale.kind == ScaleKind::number) return number_to_json(scale.number);
    return name(scale.kind);
}

std::string describe_scale(const Variant& variant) {
    const Scale& scale = variant.scale;
    if (scale.kind == ScaleKind::formula) return "scale " + scale.expression;
    if (scale.kind == ScaleKind::number) return fmt::format("scale {}", scale.number);
    return fmt::format("scale {}", name(scale.kind));
}

std::vector<Operation> scale_operations(const Variant& variant) {
    const auto into = [](std::string words) {
        return std::vector<Operation>{{StageKind::scaled, 0, std::move(words)}};
    };
    switch (variant.scale.kind) {
        case ScaleKind::sqrt_d_k:
            return into("× 1/√d");
        case ScaleKind::sqrt_n_k:
            return into("× 1/√n");
        case ScaleKind::none:
            return {};
        case ScaleKind::number:
            return into(fmt::format("× {:.4g}", variant.scale.number));
        case ScaleKind::formula:
            return into("× f(i)");
    }
    return {};
}

std::vector<Choice> scale_choices(const Scene& scene, int k) {
    std::vector<Choice> choices;
    for (const ScaleKind kind : {ScaleKind::sqrt_d_k, ScaleKind::sqrt_n_k, ScaleKind::none}) {
        const Scale scale{kind, 1};
        if (kind != ScaleKind::sqrt_d_k || d_k_of(scene.inputs))
            add_choice(choices, scene.variants[k], &Variant::scale, in_words(scale), scale);
    }
    return choices;
}

std::string type_scale(const std::string& text, Variant& variant) {
    const std::string word{trimmed(text)};
    constexpr std::pair<std::string_view, ScaleKind> words[] = {
        {"1/√d", ScaleKind::sqrt_d_k}, {"sqrt_d_k", ScaleKind::sqrt_d_k},
        {"1/√n", ScaleKind::sqrt_n_k}, {"sqrt_n_k", ScaleKind::sqrt_n_k},
        {"none", ScaleKind::none},     {"1", ScaleKind::none}};
    for (const auto& [known, kind] : words)
        if (word == known) {
            variant.scale = {kind, 1};
            return "";
        }
    Scale scale{ScaleKind::number, 1, {}};
    if (!read_number(word, scale.number)) {
        try {
            (void)Expression(word);
        } catch (const InputError& error) {
            return fmt::format("scale: 1/√d, 1/√n, a number or a formula ({})", error.what());
        }
        scale = {ScaleKind::formula, 1, word};
    }
    variant.scale = scale;
    return "";
}

std::string conflict_of_scale(const Scene& scene, const Variant& variant) {
    const Scale& scale = variant.scale;
    if (scale.kind != ScaleKind::formula) return "";
    if (is_trained(scene.inputs)) return "The scale of a model cannot be a formula.";
    if (variant.mask.order == Order::queries_first)
        return "With queries scaled first, the scale must be a single factor. Change the order "
               "first.";
    if (const std::string_view key = key_in(scale.expression); !key.empty())
        return fmt::format("A scale is one factor for each row: it cannot use {}.", key);
    const std::string bad = bad_scale(scene, scale, heads_of(scene.inputs));
    return bad.empty() ? ""
                       : fmt::format("A scale must be finite in every row, but this is {}.", bad);
}

}  // namespace

Setting scale_setting() {
    return {.key = "scale",
            .label = "scale",
            .undo = "change the scale",
            .prefix = "scale ",
            .stands = has_scores,
            .be_default = [](const Inputs& inputs,
                             Variant& v) { v.scale = default_scale(inputs, v.score); },
            .read = [](const Node& node, const VariantPlace& place,
                       Variant& v) { v.scale = read_scale(node, place); },
            .write = write_scale,
            .words = [](const Variant& v) { return in_words(v.scale); },
            .described = describe_scale,
            .operations = scale_operations,
            .choices = scale_choices,
            .text = [](const Variant& v) { return in_words(v.scale); },
            .typed = type_scale,
            .conflict = conflict_of_scale};
}

}  // namespace maskscope
