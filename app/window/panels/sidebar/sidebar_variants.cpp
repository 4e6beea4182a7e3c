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

bool is_open(const SidebarState& sidebar, int lane) { return sidebar.variant == lane; }

// Changes one field of a variant, as a step of undo of its own.
template <class Change>
void change(Session& session, int lane, const std::string& what, const Change& change_variant) {
    session.edit(what, [lane, change_variant](Scene& scene) {
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

void draw_apply(Gui& gui, Session& session, int lane, const Variant& variant, bool over_weights) {
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
        combo(gui, fmt::format("apply/{}", lane), choices, static_cast<int>(chosen));
    if (pressed)
        change(session, lane, "apply the mask otherwise",
               [apply = kinds[at(*pressed)]](Variant& v) { v.mask.apply = apply; });
}

void draw_value(Gui& gui, Session& session, int lane, const Variant& variant) {
    const std::string id = fmt::format("value/{}", lane);
    const auto chosen = combo_or_typed(gui, id, "value", {"−∞", "−1e9", "−1e4", "lowest"},
                                       words(variant.mask.value));
    if (!chosen) return;
    BlockedValue value;
    if (!read_value(*chosen, value))
        return session.say(fmt::format("\"{}\" is not a value: −∞, lowest or a number", *chosen),
                           true);
    change(session, lane, "change the value", [value](Variant& v) { v.mask.value = value; });
}

void draw_times(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto times = segments(gui, fmt::format("times/{}", lane), {"added once", "twice"},
                                variant.mask.times - 1);
    if (times)
        change(session, lane, "add once or twice",
               [times](Variant& v) { v.mask.times = *times + 1; });
}

void draw_order(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto order =
        combo(gui, fmt::format("order/{}", lane), {"scale, then mask", "mask, then scale"},
              static_cast<int>(variant.mask.order), {.name = "order"});
    if (order)
        change(session, lane, "change the order",
               [order](Variant& v) { v.mask.order = static_cast<Order>(*order); });
}

void draw_scale(Gui& gui, Session& session, int lane, const Variant& variant) {
    std::vector<std::string> choices{"1/√d", "1/√n", "none"};
    if (!d_k_of(session.scene().inputs)) choices.erase(choices.begin());
    const auto chosen =
        combo_or_typed(gui, fmt::format("scale/{}", lane), "scale", choices, words(variant.scale));
    if (!chosen) return;
    Scale scale;
    if (!read_scale(*chosen, scale))
        return session.say(fmt::format("\"{}\" is not a scale: 1/√d, 1/√n or a number", *chosen),
                           true);
    change(session, lane, "change the scale", [scale](Variant& v) { v.scale = scale; });
}

void draw_score(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto kind = combo(gui, fmt::format("score/{}", lane), choices_of<ScoreKind>(),
                            static_cast<int>(variant.score.kind), {.name = "score"});
    if (kind)
        session.edit("change the score", [lane, kind](Scene& scene) {
            set_score_kind(scene, lane, static_cast<ScoreKind>(*kind));
        });
}

void draw_normalizer(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto pressed = combo(
        gui, fmt::format("normalizer/{}", lane),
        {std::string(label(Normalizer::softmax)), std::string(label(Normalizer::softmax_plus_one))},
        static_cast<int>(variant.normalizer), {.name = "normalizer"});
    if (pressed)
        change(session, lane, "change the normalizer",
               [pressed](Variant& v) { v.normalizer = static_cast<Normalizer>(*pressed); });
}

void draw_empty_rows(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto pressed =
        combo(gui, fmt::format("empty/{}", lane), {"as computed", "zero", "zero, afterwards"},
              static_cast<int>(variant.empty_rows), {.name = "empty rows"});
    if (pressed)
        change(session, lane, "change empty rows",
               [pressed](Variant& v) { v.empty_rows = static_cast<EmptyRows>(*pressed); });
}

void draw_dtype(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto pressed = combo(gui, fmt::format("dtype/{}", lane), choices_of<Dtype>(),
                               static_cast<int>(variant.dtype), {.name = "dtype"});
    if (pressed)
        change(session, lane, "change the dtype",
               [pressed](Variant& v) { v.dtype = static_cast<Dtype>(*pressed); });
}

void draw_variant_buttons(Gui& gui, Session& session, SidebarState& sidebar, int lane,
                          bool is_last) {
    const double gap_width = points(gui, 8);
    const double width = std::floor((room_width() - 2 * gap_width) / 3 / gui.scale);
    if (button(gui, "Rename", {.width = width}))
        edit_field(gui, fmt::format("name/{}", lane), session.scene().variants[at(lane)].name);
    ImGui::SameLine();
    if (button(gui, "Duplicate", {.width = width}) &&
        session.edit("duplicate a variant",
                     [lane](Scene& scene) { duplicate_variant(scene, lane); }))
        sidebar.variant = static_cast<int>(session.scene().variants.size()) - 1;
    ImGui::SameLine();
    if (button(gui, "Remove", {.enabled = !is_last, .width = width}) &&
        session.edit("remove a variant", [lane](Scene& scene) { remove_variant(scene, lane); }))
        sidebar.variant.reset();
}

// Only what acts on this variant is listed.
void draw_settings(Gui& gui, Session& session, SidebarState& sidebar, int lane,
                   const Variant& variant, bool is_last) {
    const Inputs& inputs = session.scene().inputs;
    const bool over_weights = std::holds_alternative<WeightsInputs>(inputs);
    const Apply apply = variant.mask.apply;
    const bool adds = apply == Apply::additive, replaces = apply == Apply::replace;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(gui, 8)), static_cast<float>(points(gui, 4))});
    draw_apply(gui, session, lane, variant, over_weights);
    if (adds || replaces) draw_value(gui, session, lane, variant);
    if (adds && variant.mask.value.kind != ValueKind::minus_infinity)
        draw_times(gui, session, lane, variant);
    if (adds || replaces || apply == Apply::multiply_scores)
        draw_order(gui, session, lane, variant);
    if (!over_weights) {
        if (has_score(inputs)) draw_score(gui, session, lane, variant);
        draw_matrix(gui, session, lane, variant, VariantMatrix::score);
        draw_scale(gui, session, lane, variant);
        draw_normalizer(gui, session, lane, variant);
    }
    draw_empty_rows(gui, session, lane, variant);
    draw_dtype(gui, session, lane, variant);
    draw_output_kind(gui, session, lane, variant);
    draw_matrix(gui, session, lane, variant, VariantMatrix::output);
    draw_variant_buttons(gui, session, sidebar, lane, is_last);
    ImGui::PopStyleVar();
    gap(gui, 2);
}

// --- cards

void draw_card_text(Gui& gui, const Rect& card, int lane, const Variant& variant) {
    const double padding = points(gui, card_padding), left = card.x + points(gui, 38);
    const double room = std::max(1.0, card.right() - padding - left);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos(
        {static_cast<float>(card.x + padding), static_cast<float>(card.y + padding)});
    lane_letter_chip(gui, lane);
    ImGui::SetCursorScreenPos(after);
    draw_text(gui, {.at = {left, card.y + points(gui, 19)},
                    .text = variant.name,
                    .style = {.size = 13 * gui.scale, .weight = Weight::semibold},
                    .max_width = room});
    draw_text(gui, {.at = {left, card.y + points(gui, 38)},
                    .text = summary(variant),
                    .style = {.size = 12 * gui.scale},
                    .role = Role::dim,
                    .max_width = room});
}

void draw_card(Gui& gui, SidebarState& sidebar, int lane, const Variant& variant) {
    const ImVec2 size{static_cast<float>(std::max(1.0, room_width())),
                      static_cast<float>(points(gui, card_height))};
    const bool clicked = press_area(gui, fmt::format("card/{}", lane), size.x, size.y);
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 low = ImGui::GetItemRectMin();
    const Rect card{low.x, low.y, size.x, size.y};
    draw_box(gui, {.rect = card,
                   .radius = points(gui, 6),
                   .filled = true,
                   .outlined = hovered || is_open(sidebar, lane),
                   .fill = Role::raised,
                   .outline = is_open(sidebar, lane) ? Role::hatch : Role::line});
    draw_card_text(gui, card, lane, variant);
    if (hovered && ImGui::IsMouseDoubleClicked(0)) {
        edit_field(gui, fmt::format("name/{}", lane), variant.name);
        sidebar.variant = lane;
    } else if (clicked) {
        sidebar.variant = is_open(sidebar, lane) ? std::nullopt : std::optional<int>(lane);
    }
}

void draw_renaming(Gui& gui, Session& session, int lane, const Variant& variant) {
    const auto typed = text_field(gui, fmt::format("name/{}", lane), variant.name);
    if (typed)
        session.edit("rename a variant",
                     [lane, typed](Scene& scene) { rename_variant(scene, lane, *typed); });
}

// Settings that have just been opened are scrolled to where they can be seen.
void scroll_to_settings(const SidebarState& sidebar, int lane) {
    const ImGuiID key = ImGui::GetID("open variant");
    const int opened = sidebar.variant.value_or(-1);
    if (opened != lane || ImGui::GetStateStorage()->GetInt(key, -1) == opened) return;
    ImGui::GetStateStorage()->SetInt(key, opened);
    const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    if (ImGui::GetCursorScreenPos().y > bottom) ImGui::SetScrollHereY(1);
}

void add_lane(Session& session, SidebarState& sidebar) {
    if (session.edit("add a variant", [](Scene& scene) { add_variant(scene); }))
        sidebar.variant = static_cast<int>(session.scene().variants.size()) - 1;
}

}  // namespace

void draw_variants(Gui& gui, Session& session, SidebarState& sidebar) {
    heading(gui, "Variants");
    // A copy: an edit below replaces the scene while its variants are still being drawn.
    const std::vector<Variant> variants = session.scene().variants;
    const bool is_last = variants.size() == 1;
    for (int lane = 0; lane < static_cast<int>(variants.size()); ++lane) {
        if (edited_text(gui, fmt::format("name/{}", lane)))
            draw_renaming(gui, session, lane, variants[at(lane)]);
        else
            draw_card(gui, sidebar, lane, variants[at(lane)]);
        if (!is_open(sidebar, lane)) continue;
        draw_settings(gui, session, sidebar, lane, variants[at(lane)], is_last);
        scroll_to_settings(sidebar, lane);
    }
    if (!sidebar.variant) ImGui::GetStateStorage()->SetInt(ImGui::GetID("open variant"), -1);
    if (button(gui, "+ variant", {.outlined = true, .enabled = variants.size() < 26, .width = -1}))
        add_lane(session, sidebar);
}

}  // namespace maskscope
