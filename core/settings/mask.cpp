#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/scene/mask_rules.h"
#include "core/settings/parts.h"

namespace maskscope {

namespace {

// True if a mask can be applied in this way: given weights can only be multiplied.
bool can_apply(const Inputs& inputs, Apply apply) {
    return has_scores(inputs) || !masks_logits(apply);
}

void read_apply(const Node& node, const VariantPlace& place, Variant& variant) {
    const auto all = names<Apply>();
    std::vector<std::string_view> words(all.begin(), all.end());
    std::erase_if(words, [&](std::string_view word) {
        return !can_apply(place.inputs, *from_name<Apply>(word));
    });
    variant.mask.apply = *from_name<Apply>(words[read_word(node, words)]);
}

std::vector<Choice> apply_choices(const Scene& scene, int k) {
    std::vector<Choice> choices = all_choices<&Mask::apply, true>(scene, k);
    if (!has_scores(scene.inputs))
        std::erase_if(choices, [](const Choice& choice) {
            Variant changed;
            choice.put(changed);
            return masks_logits(changed.mask.apply);
        });
    return choices;
}

// Renames a variant that is named after the old way of masking, after the new one.
void settle_apply(const Inputs&, const Variant& before, Variant& now) {
    if (before.name == label(before.mask.apply)) now.name = label(now.mask.apply);
}

std::vector<Operation> apply_operations(const Variant& variant) {
    const auto at = [](StageKind into, std::string words) {
        return std::vector<Operation>{{into, 0, std::move(words)}};
    };
    switch (variant.mask.apply) {
        case Apply::additive:
            return at(StageKind::logits, variant.mask.times == 2 ? "+ M + M" : "+ M");
        case Apply::replace:
            return at(StageKind::logits, "M where blocked");
        case Apply::multiply_scores:
            return at(StageKind::logits, "× m");
        case Apply::multiply_weights:
            return at(StageKind::weights, "× m");
        case Apply::multiply_weights_renormalized:
            return {{StageKind::weights, 0, "× m"}, {StageKind::weights, 1, "÷ Σ"}};
        case Apply::none:
            break;
    }
    return {};
}

// --- the mask value

void read_blocked_value(const Node& node, const VariantPlace&, Variant& variant) {
    BlockedValue& value = variant.mask.value;
    if (node.json.is_number()) {
        value = {ValueKind::number, read_number(node)};
        return;
    }
    const auto* word = node.json.get_ptr<const std::string*>();
    const auto kind = word ? from_name<ValueKind>(*word) : std::nullopt;
    if (!kind) fail(node, alternatives(names<ValueKind>(), "a number"));
    value = {*kind, 0};
}

Json write_value(const Variant& variant, const WriteArray&) {
    const BlockedValue& value = variant.mask.value;
    if (value.kind == ValueKind::number) return number_to_json(value.number);
    return name(value.kind);
}

std::string describe_value(const Variant& variant) {
    const auto& [layers, apply, value, times, order] = variant.mask;
    if (!uses_value(apply)) return "";
    return fmt::format("mask value {}{}",
                       value.kind == ValueKind::number ? fmt::format("{}", value.number)
                                                       : std::string(name(value.kind)),
                       times == 2 ? " twice" : "");
}

std::vector<Choice> value_choices(const Scene& scene, int k) {
    std::vector<Choice> choices;
    const auto add = [&](const BlockedValue& value) {
        add_choice(choices, scene.variants[k], &Mask::value, in_words(value), value);
    };
    add({ValueKind::minus_infinity, 0});
    add({ValueKind::lowest, 0});
    for (const double number : {-1e9, -1e4, -100.0, -1.0}) add({ValueKind::number, number});
    return choices;
}

std::string type_value(const std::string& text, Variant& variant) {
    const std::string word{trimmed(text)};
    BlockedValue value;
    for (const char* infinity : {"-inf", "−∞", "-∞", "−inf"})
        if (word == infinity) {
            variant.mask.value = value;
            return "";
        }
    value.kind = word == "lowest" ? ValueKind::lowest : ValueKind::number;
    if (value.kind == ValueKind::number && !read_number(word, value.number))
        return "mask value: −∞, lowest or a number";
    variant.mask.value = value;
    return "";
}

// --- the order

// Throws unless the scores are products: only those can be computed from scaled queries.
void check_order(const Node& node, const VariantPlace& place, const Variant& variant) {
    if (variant.mask.order != Order::queries_first) return;
    if (!is_product(place.inputs, variant.score))
        throw InputError(
            node.place + "/mask/order",
            "\"queries_first\" needs scores \"dot\" or \"bilinear\" over queries and keys");
    if (variant.scale.kind == ScaleKind::formula)
        throw InputError(node.place + "/scale", "with \"queries_first\" it cannot be a formula");
}

std::vector<Choice> order_choices(const Scene& scene, int k) {
    const Variant& variant = scene.variants[k];
    std::vector<Choice> choices;
    const auto add = [&](Order order) {
        add_choice(choices, variant, &Mask::order, in_words(order), order);
    };
    add(Order::scale_then_mask);
    add(Order::mask_then_scale);
    if (is_product(scene.inputs, variant.score) && variant.scale.kind != ScaleKind::formula)
        add(Order::queries_first);
    return choices;
}

std::string conflict_of_order(const Scene& scene, const Variant& variant) {
    if (variant.mask.order == Order::mask_then_scale && variant.softcap)
        return "With a softcap the scale comes before the mask. Turn the softcap off first.";
    if (variant.mask.order != Order::queries_first) return "";
    if (!is_product(scene.inputs, variant.score))
        return "Queries can be scaled first only if the score is a product.";
    if (variant.scale.kind == ScaleKind::formula)
        return "Queries can be scaled first only by one factor, but this scale is a formula.";
    return "";
}

std::string describe_order(const Variant& variant) {
    if (variant.mask.order == Order::queries_first) return "queries first";
    return variant.mask.order == Order::mask_then_scale ? "mask then scale" : "";
}

std::string times_in_words(int times) { return times == 2 ? "twice" : "once"; }

std::vector<Choice> times_choices(const Scene& scene, int k) {
    std::vector<Choice> choices;
    for (const int times : {1, 2})
        add_choice(choices, scene.variants[k], &Mask::times, times_in_words(times), times);
    return choices;
}

std::vector<Operation> bias_operations(const Variant& variant) {
    if (!std::ranges::any_of(variant.mask.layers, is_bias)) return {};
    return {{StageKind::logits, masks_first(variant) ? 10 : -10, "+ bias"}};
}

}  // namespace

bool masks_first(const Variant& variant) {
    return variant.mask.order == Order::mask_then_scale && masks_logits(variant.mask.apply);
}

Settings mask_settings() {
    const Setting layers{
        .key = "mask.layers",
        .label = "layers",
        .undo = "change a mask rule",
        .read = [](const Node& node, const VariantPlace& place,
                   Variant& v) { v.mask.layers = read_layers(node, place); },
        .write = [](const Variant& v,
                    const WriteArray& array) { return layers_to_json(v.mask.layers, array); },
        .operations = bias_operations};
    Setting apply =
        named_setting<&Mask::apply, true>("mask.apply", "apply", "change how the mask is applied");
    apply.look = Look::below_heading;
    apply.be_default = [](const Inputs& inputs, Variant& v) {
        v.mask.apply = has_scores(inputs) ? Apply::additive : Apply::none;
    };
    apply.read = read_apply;
    apply.described = [](const Variant& v) { return fmt::format("apply {}", name(v.mask.apply)); };
    apply.operations = apply_operations;
    apply.choices = apply_choices;
    apply.settle = settle_apply;
    const Setting value{
        .key = "mask.value",
        .label = "mask value",
        .undo = "change the mask value",
        .prefix = "mask value ",
        .stands = has_scores,
        .has_effect = [](const Inputs&, const Variant& v) { return uses_value(v.mask.apply); },
        .read = read_blocked_value,
        .write = write_value,
        .words = [](const Variant& v) { return in_words(v.mask.value); },
        .described = describe_value,
        .choices = value_choices,
        .text = [](const Variant& v) { return in_words(v.mask.value); },
        .typed = type_value};
    const Setting times{
        .key = "mask.times",
        .label = "added",
        .undo = "add the mask once or twice",
        .prefix = "mask added ",
        .look = Look::buttons_with_label,
        .stands = has_scores,
        .has_effect =
            [](const Inputs&, const Variant& v) {
                return v.mask.apply == Apply::additive &&
                       v.mask.value.kind != ValueKind::minus_infinity;
            },
        .read = [](const Node& node, const VariantPlace&,
                   Variant& v) { v.mask.times = static_cast<int>(read_count(node, 1, 2)); },
        .write = [](const Variant& v, const WriteArray&) { return Json(v.mask.times); },
        .words = [](const Variant& v) { return times_in_words(v.mask.times); },
        .choices = times_choices};
    Setting order = named_setting<&Mask::order, false>("mask.order", "order", "change the order");
    order.stands = has_scores;
    order.has_effect = [](const Inputs&, const Variant& v) { return masks_logits(v.mask.apply); };
    order.check = check_order;
    order.words = [](const Variant& v) { return std::string(in_words(v.mask.order)); };
    order.described = describe_order;
    order.choices = order_choices;
    order.conflict = conflict_of_order;
    return {layers, apply, value, times, order};
}

}  // namespace maskscope
