#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/scene/mask_rules.h"
#include "core/settings/parts.h"

namespace maskscope {

namespace {

constexpr double least_cap = 1e-3, most_cap = 1e6;

void read_softcap(const Node& node, const VariantPlace&, Variant& variant) {
    expect_keys(node, {"cap", "order"});
    const Node cap = require(node, "cap");
    Softcap& softcap = variant.softcap.emplace();
    softcap.cap = read_number(cap);
    if (softcap.cap < least_cap || softcap.cap > most_cap)
        fail(cap, "a number from 0.001 to 1000000");
    softcap.order = read_or(node, "order", read_name<CapOrder>, softcap.order);
}

void check_softcap(const Node& node, const VariantPlace&, const Variant& variant) {
    if (variant.softcap && variant.mask.order == Order::mask_then_scale)
        throw InputError(node.place + "/softcap", "cannot be combined with \"mask_then_scale\"");
}

Json write_softcap(const Variant& variant, const WriteArray&) {
    if (!variant.softcap) return nullptr;
    Json json = {{"cap", number_to_json(variant.softcap->cap)}};
    if (variant.softcap->order != CapOrder::before_mask)
        json["order"] = name(variant.softcap->order);
    return json;
}

bool caps_after_mask(const Variant& variant) {
    return variant.softcap && variant.softcap->order == CapOrder::after_mask;
}

double capped(const Variant& variant, double x) {
    const double cap = variant.softcap->cap;
    return cap * std::tanh(x / cap);
}

std::string cap_text(const Variant& variant) {
    return variant.softcap ? typed_text(variant.softcap->cap) : "none";
}

// Returns no cap, and usual ones: Grok 1 caps its scores at 30, Gemma 2 at 50.
std::vector<Choice> cap_choices(const Scene& scene, int k) {
    const Variant& variant = scene.variants[k];
    std::vector<Choice> choices;
    add_choice(choices, variant, &Variant::softcap, "none", std::optional<Softcap>());
    for (const double cap : {20.0, 30.0, 50.0})
        add_choice(choices, variant, &Variant::softcap, typed_text(cap),
                   std::optional(Softcap{cap, variant.softcap.value_or(Softcap{}).order}));
    return choices;
}

std::string type_softcap(const std::string& text, Variant& variant) {
    const std::string word{trimmed(text)};
    if (word == "none" || word.empty()) {
        variant.softcap.reset();
        return "";
    }
    Softcap softcap = variant.softcap.value_or(Softcap{});
    if (!read_number(word, softcap.cap)) return "softcap: none or a number";
    variant.softcap = softcap;
    return "";
}

std::string conflict_of_softcap(const Scene&, const Variant& variant) {
    if (!variant.softcap) return "";
    if (!(variant.softcap->cap >= least_cap && variant.softcap->cap <= most_cap))
        return "A softcap is a number from 0.001 to 1000000.";
    if (variant.mask.order == Order::mask_then_scale)
        return "With a softcap the scale comes before the mask. Change the order first.";
    return "";
}

std::vector<Choice> cap_order_choices(const Scene& scene, int k) {
    std::vector<Choice> choices;
    for (const bool after : {false, true})
        choices.push_back({after ? "after the mask" : "before the mask",
                           caps_after_mask(scene.variants[k]) == after, [after](Variant& variant) {
                               if (variant.softcap)
                                   variant.softcap->order =
                                       after ? CapOrder::after_mask : CapOrder::before_mask;
                           }});
    return choices;
}

}  // namespace

Settings softcap_settings() {
    const Setting cap{
        .key = "softcap",
        .label = "softcap",
        .undo = "change the softcap",
        .prefix = "softcap ",
        .stands = has_scores,
        .read = read_softcap,
        .check = check_softcap,
        .write = write_softcap,
        .words =
            [](const Variant& v) {
                return cap_text(v) + (caps_after_mask(v) ? ", after the mask" : "");
            },
        .described =
            [](const Variant& v) {
                if (!v.softcap) return std::string();
                return fmt::format("cap {} {} the mask", v.softcap->cap,
                                   caps_after_mask(v) ? "after" : "before");
            },
        .operations = [](const Variant& v) -> std::vector<Operation> {
            if (!v.softcap) return {};
            const std::string cap = typed_text(v.softcap->cap);
            return {{StageKind::logits, caps_after_mask(v) ? 20 : -20,
                     fmt::format("cap {:.4g}", v.softcap->cap), capped,
                     fmt::format("{0} tanh({{}} / {0})", cap), "softcap"}};
        },
        .choices = cap_choices,
        .text = cap_text,
        .typed = type_softcap,
        .settle =
            [](const Inputs&, const Variant&, Variant& now) {  // the order has no effect here
                if (now.softcap && !masks_logits(now.mask.apply))
                    now.mask.order = Order::scale_then_mask;
            },
        .conflict = conflict_of_softcap};
    const Setting order{
        .key = "softcap.order",
        .label = "capped",
        .undo = "cap before or after the mask",
        .term = "softcap",
        .look = Look::buttons,
        .stands = has_scores,
        .has_effect = [](const Inputs&, const Variant& v) { return v.softcap.has_value(); },
        .choices = cap_order_choices};
    return {cap, order};
}

}  // namespace maskscope
