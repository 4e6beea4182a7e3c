#include "app/session/edits/variant_settings.h"

#include <algorithm>
#include <optional>

#include "core/base/number_text.h"
#include "core/edit/edit.h"
#include "core/scene/names.h"
#include "core/scene/settings.h"

namespace maskscope {

namespace {

using Kind = VariantSetting::Kind;

template <class T>
struct Choices {
    std::vector<std::string> words;
    std::vector<T> values;
    void add(std::string_view word, T value) {
        words.emplace_back(word);
        values.push_back(value);
    }
    void add(T value) { add(in_words(value), value); }
};

template <class T>
Choices<T> named() {
    Choices<T> choices;
    for (const std::string_view word : names<T>())
        choices.add(word, static_cast<T>(choices.values.size()));
    return choices;
}

template <class T>
Choices<T> labelled() {
    Choices<T> choices = named<T>();
    for (std::size_t k = 0; k < choices.values.size(); ++k)
        choices.words[k] = label(choices.values[k]);
    return choices;
}

Choices<Apply> apply_choices(bool over_weights) {
    if (!over_weights) return labelled<Apply>();
    Choices<Apply> choices;
    for (const Apply apply :
         {Apply::multiply_weights, Apply::multiply_weights_renormalized, Apply::none})
        choices.add(label(apply), apply);
    return choices;
}

Choices<BlockedValue> value_choices() {
    Choices<BlockedValue> choices;
    choices.add({ValueKind::minus_infinity, 0});
    choices.add({ValueKind::lowest, 0});
    for (const double number : {-1e9, -1e4, -100.0, -1.0}) choices.add({ValueKind::number, number});
    return choices;
}

Choices<Scale> scale_choices(const Inputs& inputs) {
    Choices<Scale> choices;
    if (d_k_of(inputs)) choices.add({ScaleKind::sqrt_d_k, 1});
    choices.add({ScaleKind::sqrt_n_k, 1});
    choices.add({ScaleKind::none, 1});
    return choices;
}

// products: the scores are products of queries and keys.
Choices<Order> order_choices(bool products) {
    Choices<Order> choices;
    choices.add(Order::scale_then_mask);
    choices.add(Order::mask_then_scale);
    if (products) choices.add(Order::queries_first);
    return choices;
}

// The caps that models use: Grok 1, Gemma 2 on its last layer, and on its scores.
Choices<std::optional<Softcap>> softcap_choices(CapOrder order) {
    Choices<std::optional<Softcap>> choices;
    choices.add("none", std::nullopt);
    for (const double cap : {20.0, 30.0, 50.0}) choices.add(typed_text(cap), Softcap{cap, order});
    return choices;
}

Choices<CapOrder> cap_order_choices() {
    Choices<CapOrder> choices;
    choices.add("before the mask", CapOrder::before_mask);
    choices.add("after the mask", CapOrder::after_mask);
    return choices;
}

Choices<int> times_choices() {
    Choices<int> choices;
    for (const int times : {1, 2}) choices.add(times_in_words(times), times);
    return choices;
}

auto& member(auto& variant, auto Variant::*which) { return variant.*which; }
auto& member(auto& variant, auto Mask::*which) { return variant.mask.*which; }

}  // namespace

std::vector<VariantSetting> variant_settings(const Scene& scene, int lane) {
    const Variant& variant = scene.variants[lane];
    std::vector<VariantSetting> settings;
    const auto add = [&](Kind kind, const char* name, const char* undo, const auto& choices,
                         auto which) {
        const auto& values = choices.values;
        const auto chosen = std::ranges::find(values, member(variant, which));
        settings.push_back({kind, name, undo, choices.words,
                            chosen == values.end() ? -1 : static_cast<int>(chosen - values.begin()),
                            [lane, values, which](Scene& changed, int choice) {
                                member(changed.variants[lane], which) = values[choice];
                            }});
    };
    const auto acts = [&](std::string_view setting) {
        return lane_setting(setting)->acts(scene.inputs, variant);
    };

    // Set by an edit of its own, which says what cannot be.
    const auto set_by = [&](auto edit, const auto& values) {
        settings.back().set = [lane, values, edit](Scene& changed, int choice) {
            edit(changed, lane, values[choice]);
        };
    };

    const Choices<Apply> applies = apply_choices(!has_stage(scene.inputs, StageKind::logits));
    add(Kind::apply, "apply", "change how the mask is applied", applies, &Mask::apply);
    set_by(set_apply, applies.values);
    if (acts("mask.value"))
        add(Kind::value, "value", "change the value", value_choices(), &Mask::value);
    add(Kind::dtype, "dtype", "change the dtype", named<Dtype>(), &Variant::dtype);
    if (acts("scale"))
        add(Kind::scale, "scale", "change the scale", scale_choices(scene.inputs), &Variant::scale);
    add(Kind::empty_rows, "empty rows", "change empty rows", labelled<EmptyRows>(),
        &Variant::empty_rows);
    if (acts("mask.order")) {
        const bool products =
            has_score(scene.inputs) && variant.scale.kind != ScaleKind::formula &&
            (variant.score.kind == ScoreKind::dot || variant.score.kind == ScoreKind::bilinear);
        add(Kind::order, "order", "change the order", order_choices(products), &Mask::order);
        set_by(set_order, order_choices(products).values);
    }
    if (acts("mask.times"))
        add(Kind::times, "added", "add once or twice", times_choices(), &Mask::times);
    if (acts("score"))
        settings.push_back({Kind::score, "score", "change the score", labelled<ScoreKind>().words,
                            static_cast<int>(variant.score.kind),
                            [lane](Scene& changed, int choice) {
                                set_score_kind(changed, lane, static_cast<ScoreKind>(choice));
                            }});
    if (acts("normalizer")) {
        add(Kind::normalizer, "normalizer", "change the normalizer", labelled<Normalizer>(),
            &Variant::normalizer);
        set_by(set_normalizer, labelled<Normalizer>().values);
    }
    if (acts("softcap")) {
        const CapOrder order = variant.softcap.value_or(Softcap{}).order;
        add(Kind::softcap, "softcap", "change the softcap", softcap_choices(order),
            &Variant::softcap);
        set_by(set_softcap, softcap_choices(order).values);
    }
    if (variant.softcap) {
        const auto choices = cap_order_choices();
        settings.push_back({Kind::cap_order, "capped", "cap before or after the mask",
                            choices.words, static_cast<int>(variant.softcap->order),
                            [lane, values = choices.values](Scene& changed, int choice) {
                                Variant& capped = changed.variants[lane];
                                if (capped.softcap) capped.softcap->order = values[choice];
                            }});
    }
    return settings;
}

std::vector<VariantSetting> what_if_settings(const Scene& scene, int lane) {
    std::vector<VariantSetting> settings = variant_settings(scene, lane);
    std::erase_if(settings, [](const auto& setting) { return setting.kind > Kind::empty_rows; });
    // The fields stay where they are while the way of applying is turned.
    const bool has_value =
        std::ranges::find(settings, Kind::value, &VariantSetting::kind) != settings.end();
    if (!has_value && !std::holds_alternative<WeightsInputs>(scene.inputs)) {
        VariantSetting unused;
        unused.kind = Kind::value;
        unused.name = "value";
        settings.insert(settings.begin() + 1, std::move(unused));
    }
    return settings;
}

void choose_setting(Session& session, int lane, Kind kind, int choice) {
    if (lane < 0 || lane >= std::ssize(session.scene().variants)) return;
    for (const VariantSetting& setting : variant_settings(session.scene(), lane))
        if (setting.kind == kind && choice >= 0 && choice < std::ssize(setting.choices))
            session.edit(setting.undo, [&](Scene& scene) { setting.set(scene, choice); });
}

}  // namespace maskscope
