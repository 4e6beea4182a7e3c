// The variants: a card each, and the settings of the one that was opened by a click.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/style/labels.h"
#include "app/session/edits/variant_settings.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"

namespace maskscope {

namespace {

constexpr double card_height = 56, card_padding = 10;  // points

using Kind = VariantSetting::Kind;

bool is_open(const App& app, int lane) { return app.ui.variant == lane; }

// --- settings

// A setting whose value may be typed as well as chosen.
template <class T>
void draw_typed(App& app, int lane, const VariantSetting& setting, const std::string& now,
                bool (*read)(const std::string&, T&), const char* expected, T& (*field)(Variant&)) {
    const auto typed = combo_or_typed(app, fmt::format("{}/{}", setting.name, lane), setting.name,
                                      setting.choices, now);
    if (!typed) return;
    T value;
    if (!read(*typed, value))
        return app.session.say(fmt::format("\"{}\" is no {}: {}", *typed, setting.name, expected),
                               true);
    app.session.edit(setting.undo, [&](Scene& scene) { field(scene.variants[lane]) = value; });
}

void draw_setting(App& app, int lane, const Variant& variant, const VariantSetting& setting) {
    if (setting.kind == Kind::value)
        return draw_typed<BlockedValue>(app, lane, setting, words(variant.mask.value), read_value,
                                        "−∞, lowest or a number",
                                        [](Variant& v) -> BlockedValue& { return v.mask.value; });
    if (setting.kind == Kind::scale)
        return draw_typed<Scale>(app, lane, setting, words(variant.scale), read_scale,
                                 "1/√d, 1/√n or a number",
                                 [](Variant& v) -> Scale& { return v.scale; });
    const std::string id = fmt::format("{}/{}", setting.name, lane);
    const std::string name = setting.kind == Kind::apply ? "" : setting.name;
    const auto pressed =
        setting.kind == Kind::times
            ? segments(app, id, {name + " " + setting.choices[0], setting.choices[1]},
                       setting.chosen)
            : combo(app, id, setting.choices, setting.chosen, {.name = name});
    if (pressed) choose_setting(app.session, lane, setting.kind, *pressed);
}

void draw_variant_buttons(App& app, int lane, bool is_last) {
    const double gap_width = points(app, 8);
    const double width = std::floor((room_width() - 2 * gap_width) / 3 / app.ui_scale);
    if (button(app, "Rename", {.width = width}))
        edit_field(app, fmt::format("name/{}", lane), app.session.scene().variants[lane].name);
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
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(app, 8)), static_cast<float>(points(app, 4))});
    const auto settings = variant_settings(app.session.scene(), lane);
    const auto draw = [&](std::initializer_list<Kind> kinds) {
        for (const Kind kind : kinds)
            for (const VariantSetting& setting : settings)
                if (setting.kind == kind) draw_setting(app, lane, variant, setting);
    };
    draw({Kind::apply, Kind::value, Kind::times, Kind::order, Kind::score});
    if (!std::holds_alternative<WeightsInputs>(app.session.scene().inputs))
        draw_matrix(app, lane, variant, VariantMatrix::score);
    draw({Kind::scale, Kind::normalizer, Kind::empty_rows, Kind::dtype});
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
            draw_renaming(app, lane, variants[lane]);
        else
            draw_card(app, lane, variants[lane]);
        if (!is_open(app, lane)) continue;
        draw_settings(app, lane, variants[lane], is_last);
        scroll_to_settings(app, lane);
    }
    if (!app.ui.variant) ImGui::GetStateStorage()->SetInt(ImGui::GetID("open variant"), -1);
    if (button(app, "+ variant", {.outlined = true, .enabled = variants.size() < 26, .width = -1}))
        add_lane(app);
}

}  // namespace maskscope
