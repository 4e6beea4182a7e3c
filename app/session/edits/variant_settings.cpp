#include "app/session/edits/variant_settings.h"

#include <functional>

#include "core/base/number_text.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// A choice is a word, and what it makes of the variant.
struct Choice {
    std::string word;
    std::function<void(Variant&)> set;
};
struct Field {
    std::string name, what;  // what: of the undo step
    std::vector<Choice> choices;
};

Field apply_field(bool over_weights) {
    Field field{"apply", "change how the mask is applied", {}};
    const auto count = static_cast<int>(names<Apply>().size());
    for (int k = 0; k < count; ++k) {
        const auto apply = static_cast<Apply>(k);
        const bool after =
            apply == Apply::multiply_weights || apply == Apply::multiply_weights_renormalized;
        if (over_weights && !after && apply != Apply::none) continue;
        field.choices.push_back(
            {std::string(label(apply)), [apply](Variant& v) { v.mask.apply = apply; }});
    }
    return field;
}

Field value_field() {
    Field field{"value", "change the value", {}};
    const auto add = [&](const std::string& word, BlockedValue value) {
        field.choices.push_back({word, [value](Variant& v) { v.mask.value = value; }});
    };
    add("−∞", {ValueKind::minus_infinity, 0});
    add("lowest", {ValueKind::lowest, 0});
    for (const double number : {-1e9, -1e4, -100.0, -1.0})
        add(typed_text(number), {ValueKind::number, number});
    return field;
}

Field dtype_field() {
    Field field{"dtype", "change the dtype", {}};
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16})
        field.choices.push_back(
            {std::string(name(dtype)), [dtype](Variant& v) { v.dtype = dtype; }});
    return field;
}

Field scale_field(const Inputs& inputs) {
    Field field{"scale", "change the scale", {}};
    const auto add = [&](const std::string& word, Scale scale) {
        field.choices.push_back({word, [scale](Variant& v) { v.scale = scale; }});
    };
    if (d_k_of(inputs)) add("1/√d", {ScaleKind::sqrt_d_k, 1});
    add("1/√n", {ScaleKind::sqrt_n_k, 1});
    add("none", {ScaleKind::none, 1});
    return field;
}

Field empty_rows_field() {
    Field field{"empty rows", "change empty rows", {}};
    for (const EmptyRows policy : {EmptyRows::nan, EmptyRows::zero, EmptyRows::zero_after})
        field.choices.push_back(
            {std::string(label(policy)), [policy](Variant& v) { v.empty_rows = policy; }});
    return field;
}

std::vector<Field> fields_of(const Scene& scene, const Variant& variant) {
    const bool over_weights = std::holds_alternative<WeightsInputs>(scene.inputs);
    const Apply apply = variant.mask.apply;
    std::vector<Field> fields{apply_field(over_weights)};
    if (apply == Apply::additive || apply == Apply::replace) fields.push_back(value_field());
    fields.push_back(dtype_field());
    if (!over_weights) fields.push_back(scale_field(scene.inputs));
    fields.push_back(empty_rows_field());
    return fields;
}

// The choice that changes nothing is the one that is set.
int chosen_in(const Field& field, const Variant& variant) {
    for (std::size_t k = 0; k < field.choices.size(); ++k) {
        Variant changed = variant;
        field.choices[k].set(changed);
        if (changed == variant) return static_cast<int>(k);
    }
    return -1;
}

}  // namespace

std::vector<WhatIfField> what_if_fields(const Scene& scene, int lane) {
    const Variant& variant = scene.variants[lane];
    std::vector<WhatIfField> shown;
    for (const Field& field : fields_of(scene, variant)) {
        WhatIfField made{field.name, {}, chosen_in(field, variant)};
        for (const Choice& choice : field.choices) made.choices.push_back(choice.word);
        shown.push_back(std::move(made));
    }
    return shown;
}

void choose_what_if(Session& session, int lane, int field, int choice) {
    const auto at = static_cast<std::size_t>(lane);
    const std::vector<Field> fields = fields_of(session.scene(), session.scene().variants[at]);
    const Field& chosen = fields.at(static_cast<std::size_t>(field));
    const auto& set = chosen.choices.at(static_cast<std::size_t>(choice)).set;
    session.edit(chosen.what, [&](Scene& scene) { set(scene.variants[at]); });
}

}  // namespace maskscope
