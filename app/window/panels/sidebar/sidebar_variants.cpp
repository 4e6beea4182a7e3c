// The variants: a card each, and the settings of the one that was opened by a click.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/style/labels.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double card_height = 56, card_padding = 10;  // points

std::size_t at(int lane) { return static_cast<std::size_t>(lane); }

bool is_open(const App& app, int lane) { return app.ui.variant == lane; }

// Changes one field of a variant, as a step of undo of its own.
template <class Change>
void change(App& app, int lane, const std::string& what, const Change& change_variant) {
    app.session.edit(what, [lane, change_variant](Scene& scene) {
        change_variant(scene.variants.at(at(lane)));
    });
}

template <class T>
std::vector<std::string> choices_of() {
    std::vector<std::string> choices;
    for (const std::string_view word : names<T>()) choices.emplace_back(word);
    return choices;
}

// --- settings

void draw_apply(App& app, int lane, const Variant& variant, bool over_weights) {
    std::vector<Apply> kinds{Apply::additive,
                             Apply::replace,
                             Apply::multiply_scores,
                             Apply::multiply_weights,
                             Apply::multiply_weights_renormalized,
                             Apply::none};
    if (over_weights) kinds.erase(kinds.begin(), kinds.begin() + 3);
    std::vector<std::string> choices;
    choices.reserve(kinds.size());
    for (const Apply kind : kinds) choices.emplace_back(label(kind));
    const auto chosen = std::find(kinds.begin(), kinds.end(), variant.mask.apply) - kinds.begin();
    const auto pressed =
        combo(app, fmt::format("apply/{}", lane), choices, static_cast<int>(chosen));
    if (pressed)
        change(app, lane, "apply the mask otherwise",
               [apply = kinds[at(*pressed)]](Variant& v) { v.mask.apply = apply; });
}

void draw_value(App& app, int lane, const Variant& variant) {
    const std::string id = fmt::format("value/{}", lane);
    const auto chosen = combo_or_typed(app, id, "value", {"−∞", "−1e9", "−1e4", "lowest"},
                                       words(variant.mask.value));
    if (!chosen) return;
    BlockedValue value;
    if (!read_value(*chosen, value))
        return app.session.say(fmt::format("\"{}\" is no value: −∞, lowest or a number", *chosen),
                               true);
    change(app, lane, "change the value", [value](Variant& v) { v.mask.value = value; });
}

void draw_times(App& app, int lane, const Variant& variant) {
    const auto times = segments(app, fmt::format("times/{}", lane), {"added once", "twice"},
                                variant.mask.times - 1);
    if (times)
        change(app, lane, "add once or twice", [times](Variant& v) { v.mask.times = *times + 1; });
}

void draw_order(App& app, int lane, const Variant& variant) {
    const auto order =
        combo(app, fmt::format("order/{}", lane), {"scale, then mask", "mask, then scale"},
              static_cast<int>(variant.mask.order), {.name = "order"});
    if (order)
        change(app, lane, "change the order",
               [order](Variant& v) { v.mask.order = static_cast<Order>(*order); });
}

void draw_scale(App& app, int lane, const Variant& variant) {
    std::vector<std::string> choices{"1/√d", "1/√n", "none"};
    if (!d_k_of(app.session.scene().inputs)) choices.erase(choices.begin());
    const auto chosen =
        combo_or_typed(app, fmt::format("scale/{}", lane), "scale", choices, words(variant.scale));
    if (!chosen) return;
    Scale scale;
    if (!read_scale(*chosen, scale))
        return app.session.say(fmt::format("\"{}\" is no scale: 1/√d, 1/√n or a number", *chosen),
                               true);
    change(app, lane, "change the scale", [scale](Variant& v) { v.scale = scale; });
}

void draw_score(App& app, int lane, const Variant& variant) {
    const auto kind = combo(app, fmt::format("score/{}", lane), choices_of<ScoreKind>(),
                            static_cast<int>(variant.score.kind), {.name = "score"});
    if (kind)
        app.session.edit("change the score", [lane, kind](Scene& scene) {
            set_score_kind(scene, lane, static_cast<ScoreKind>(*kind));
        });
}

void draw_normalizer(App& app, int lane, const Variant& variant) {
    const auto pressed = combo(
        app, fmt::format("normalizer/{}", lane),
        {std::string(label(Normalizer::softmax)), std::string(label(Normalizer::softmax_plus_one))},
        static_cast<int>(variant.normalizer), {.name = "normalizer"});
    if (pressed)
        change(app, lane, "change the normalizer",
               [pressed](Variant& v) { v.normalizer = static_cast<Normalizer>(*pressed); });
}

void draw_empty_rows(App& app, int lane, const Variant& variant) {
    const auto pressed =
        combo(app, fmt::format("empty/{}", lane), {"as computed", "zero", "zero, afterwards"},
              static_cast<int>(variant.empty_rows), {.name = "empty rows"});
    if (pressed)
        change(app, lane, "change empty rows",
               [pressed](Variant& v) { v.empty_rows = static_cast<EmptyRows>(*pressed); });
}

void draw_dtype(App& app, int lane, const Variant& variant) {
    const auto pressed = combo(app, fmt::format("dtype/{}", lane), choices_of<Dtype>(),
                               static_cast<int>(variant.dtype), {.name = "dtype"});
    if (pressed)
        change(app, lane, "change the dtype",
               [pressed](Variant& v) { v.dtype = static_cast<Dtype>(*pressed); });
}

void draw_variant_buttons(App& app, int lane, bool is_last) {
    const double gap_width = points(app, 8);
    const double width = std::floor((room_width() - 2 * gap_width) / 3 / app.ui_scale);
    if (button(app, "Rename", {.width = width}))
        edit_field(app, fmt::format("name/{}", lane), app.session.scene().variants[at(lane)].name);
    ImGui::SameLine();
    if (button(app, "Duplicate", {.width = width}) &&
        app.session.edit("duplicate a variant",
                         [lane](Scene& scene) { duplicate_variant(scene, lane); }))
        app.ui.variant = static_cast<int>(app.session.scene().variants.size()) - 1;
    ImGui::SameLine();
    if (button(app, "Remove", {.enabled = !is_last, .width = width}) &&
        app.session.edit("remove a variant", [lane](Scene& scene) { remove_variant(scene, lane); }))
        app.ui.variant.reset();
}

// Only what acts on this variant is listed.
void draw_settings(App& app, int lane, const Variant& variant, bool is_last) {
    const Inputs& inputs = app.session.scene().inputs;
    const bool over_weights = std::holds_alternative<WeightsInputs>(inputs);
    const Apply apply = variant.mask.apply;
    const bool adds = apply == Apply::additive, replaces = apply == Apply::replace;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(app, 8)), static_cast<float>(points(app, 4))});
    draw_apply(app, lane, variant, over_weights);
    if (adds || replaces) draw_value(app, lane, variant);
    if (adds && variant.mask.value.kind != ValueKind::minus_infinity)
        draw_times(app, lane, variant);
    if (adds || replaces || apply == Apply::multiply_scores) draw_order(app, lane, variant);
    if (!over_weights) {
        if (has_score(inputs)) draw_score(app, lane, variant);
        draw_matrix(app, lane, variant, VariantMatrix::score);
        draw_scale(app, lane, variant);
        draw_normalizer(app, lane, variant);
    }
    draw_empty_rows(app, lane, variant);
    draw_dtype(app, lane, variant);
    draw_output_kind(app, lane, variant);
    draw_matrix(app, lane, variant, VariantMatrix::output);
    draw_variant_buttons(app, lane, is_last);
    ImGui::PopStyleVar();
    gap(app, 2);
}

// --- cards

void draw_card_text(App& app, const Rect& card, int lane, const Variant& variant) {
    const double padding = points(app, card_padding), left = card.x + points(app, 38);
    const double room = std::max(1.0, card.right() - padding - left);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(
        {static_cast<float>(card.x + padding), static_cast<float>(card.y + padding)});
    lane_letter_chip(app, lane);
    ImGui::SetCursorScreenPos(after);
    draw_text(app, {.at = {left, card.y + points(app, 19)},
                    .text = variant.name,
                    .style = {.size = 13 * app.ui_scale, .weight = Weight::semibold},
                    .max_width = room});
    draw_text(app, {.at = {left, card.y + points(app, 38)},
                    .text = summary(variant),
                    .style = {.size = 12 * app.ui_scale},
                    .role = Role::dim,
                    .max_width = room});
}

void draw_card(App& app, int lane, const Variant& variant) {
    const ImVec2 size{static_cast<float>(std::max(1.0, room_width())),
                      static_cast<float>(points(app, card_height))};
    const bool clicked = press_area(app, fmt::format("card/{}", lane), size.x, size.y);
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 low = ImGui::GetItemRectMin();
    const Rect card{low.x, low.y, size.x, size.y};
    draw_box(app, {.rect = card,
                   .radius = points(app, 6),
                   .filled = true,
                   .outlined = hovered || is_open(app, lane),
                   .fill = Role::raised,
                   .outline = is_open(app, lane) ? Role::hatch : Role::line});
    draw_card_text(app, card, lane, variant);
    if (hovered && ImGui::IsMouseDoubleClicked(0)) {
        edit_field(app, fmt::format("name/{}", lane), variant.name);
        app.ui.variant = lane;
    } else if (clicked) {
        app.ui.variant = is_open(app, lane) ? std::nullopt : std::optional<int>(lane);
    }
}

void draw_renaming(App& app, int lane, const Variant& variant) {
    const auto typed = text_field(app, fmt::format("name/{}", lane), variant.name);
    if (typed)
        app.session.edit("rename a variant",
                         [lane, typed](Scene& scene) { rename_variant(scene, lane, *typed); });
}

// Settings that have just been opened are scrolled to where they can be seen.
void scroll_to_settings(const App& app, int lane) {
    const ImGuiID key = ImGui::GetID("open variant");
    const int opened = app.ui.variant.value_or(-1);
    if (opened != lane || ImGui::GetStateStorage()->GetInt(key, -1) == opened) return;
    ImGui::GetStateStorage()->SetInt(key, opened);
    const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    if (ImGui::GetCursorScreenPos().y > bottom) ImGui::SetScrollHereY(1);
}

void add_lane(App& app) {
    if (app.session.edit("add a variant", [](Scene& scene) { add_variant(scene); }))
        app.ui.variant = static_cast<int>(app.session.scene().variants.size()) - 1;
}

}  // namespace

void draw_variants(App& app) {
    heading(app, "Variants");
    // A copy: an edit below replaces the scene while its variants are still being drawn.
    const std::vector<Variant> variants = app.session.scene().variants;
    const bool is_last = variants.size() == 1;
    for (int lane = 0; lane < static_cast<int>(variants.size()); ++lane) {
        if (edited_text(app, fmt::format("name/{}", lane)))
            draw_renaming(app, lane, variants[at(lane)]);
        else
            draw_card(app, lane, variants[at(lane)]);
        if (!is_open(app, lane)) continue;
        draw_settings(app, lane, variants[at(lane)], is_last);
        scroll_to_settings(app, lane);
    }
    if (!app.ui.variant) ImGui::GetStateStorage()->SetInt(ImGui::GetID("open variant"), -1);
    if (button(app, "+ variant", {.outlined = true, .enabled = variants.size() < 26, .width = -1}))
        add_lane(app);
}

}  // namespace maskscope
