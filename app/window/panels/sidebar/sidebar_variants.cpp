// Draws a card for each variant, and the settings of the variant whose card was opened.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/session/edits/variant_settings.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr double card_height = 56, card_padding = 10;  // points

bool is_open(const SidebarState& sidebar, int variant) { return sidebar.variant == variant; }

// --- settings

// Returns an explanation of the choice, or if it has none, of the setting.
std::string tip_of(const Setting& setting, const std::string& chosen) {
    const std::string tip = explanation(chosen);
    return tip.empty()
               ? explanation(std::string(setting.term.empty() ? setting.label : setting.term))
               : tip;
}

// Draws a setting that is typed, or chosen from a menu whose last entry starts typing.
void draw_typed(Gui& gui, Session& session, int index, const Variant& variant,
                const Setting& setting, const std::string& id, const std::vector<Choice>& choices) {
    const std::string name = capital(setting.label), now = setting.text(variant);
    std::optional<std::string> typed;
    if (choices.empty()) {
        const bool heads = heads_of(session.scene().inputs) > 1;
        typed = text_row(gui, id, heads ? name + ", or one for each head" : name, now,
                         heads ? 120 : 84);
        tooltip_beside(gui, tip_of(setting, ""));
    } else {
        std::vector<std::string> words;
        for (const Choice& choice : choices) words.push_back(choice.words);
        typed = combo_or_typed(gui, id, name, std::move(words), now, tip_of(setting, now));
    }
    if (typed) type_setting(session, index, setting, *typed);
}

void draw_choices(Gui& gui, Session& session, int variant, const Setting& setting,
                  const std::string& id, const std::vector<Choice>& choices) {
    std::vector<std::string> words;
    for (const Choice& choice : choices) words.push_back(choice.words);
    const int chosen = chosen_of(choices);
    const std::string tip = tip_of(setting, chosen < 0 ? "" : words[chosen]);
    const bool buttons = setting.look == Look::buttons || setting.look == Look::buttons_with_label;
    if (setting.look == Look::below_heading)
        label(gui, "How the mask is applied", {.style = {.size = 12}, .role = Role::dim});
    if (setting.look == Look::buttons_with_label)
        words.front() = capital(setting.label) + " " + words.front();
    const bool named = setting.look == Look::menu;
    const auto pressed = buttons ? segments(gui, id, words, chosen)
                                 : combo(gui, id, words, chosen,
                                         {.name = named ? capital(setting.label) : "", .tip = tip});
    if (setting.look == Look::buttons) tooltip_beside(gui, tip);
    if (pressed) choose_setting(session, variant, setting, *pressed);
}

// Draws a chip for each head of a translator, which switches it on or off.
void draw_heads_off(Gui& gui, Session& session, int index, const Variant& variant) {
    label(gui, "Active heads", {.style = {.size = 12}, .role = Role::dim});
    for (Index h = 0; h < heads_of(session.scene().inputs); ++h) {
        const bool on = std::ranges::find(variant.heads_off, h) == variant.heads_off.end();
        if (h > 0) same_line(gui, 4);
        if (chip(gui, fmt::format("{}##head of {}", h + 1, index), {.selected = on, .dimmed = !on})
                .clicked)
            session.edit(on ? "turn a head off" : "turn a head on",
                         [&](Scene& scene) { turn_head(scene, index, h, !on); });
    }
}

void draw_variant_buttons(Gui& gui, Session& session, SidebarState& sidebar, int variant,
                          bool is_last) {
    const double gap_width = points(gui, 8);
    const double width = std::floor((room_width() - 2 * gap_width) / 3 / gui.scale);
    if (button(gui, "Rename", {.width = width}))
        edit_field(gui, fmt::format("name/{}", variant), session.scene().variants[variant].name);
    ImGui::SameLine();
    if (button(gui, "Duplicate", {.width = width}))
        duplicate_variant_card(session, sidebar, variant);
    ImGui::SameLine();
    if (button(gui, "Remove", {.enabled = !is_last, .width = width}))
        remove_variant_card(session, sidebar, variant);
}

void draw_setting(Gui& gui, Session& session, int index, const Variant& variant,
                  const Setting& setting) {
    if (!setting.acts(session.scene().inputs, variant)) return;
    const std::string id = fmt::format("{}/{}", setting.label, index);
    const std::vector<Choice> choices = choices_of(setting, session.scene(), index);
    if (setting.typed)
        draw_typed(gui, session, index, variant, setting, id, choices);
    else if (!choices.empty())
        draw_choices(gui, session, index, setting, id, choices);
    if (setting.key == "score") draw_matrix(gui, session, index, variant, VariantMatrix::score);
    if (setting.key == "output") draw_matrix(gui, session, index, variant, VariantMatrix::output);
    if (setting.key == "heads_off") draw_heads_off(gui, session, index, variant);
}

// Draws the settings that have an effect on this variant.
void draw_settings(Gui& gui, Session& session, SidebarState& sidebar, int index,
                   const Variant& variant, bool is_last) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(gui, 8)), static_cast<float>(points(gui, 4))});
    draw_frameworks(gui, session, index, variant);
    for (const Setting* setting : listed_settings())
        draw_setting(gui, session, index, variant, *setting);
    draw_variant_buttons(gui, session, sidebar, index, is_last);
    ImGui::PopStyleVar();
    gap(gui, 2);
}

// --- cards

void draw_card_text(Gui& gui, const Rect& card, int index, const Variant& variant,
                    const std::string& title) {
    const double padding = points(gui, card_padding), left = card.x + points(gui, 38);
    const double room = std::max(1.0, card.right() - padding - left);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    set_cursor(card.x + padding, card.y + padding);
    variant_letter_chip(gui, index);
    ImGui::SetCursorScreenPos(after);
    draw_text(gui, {.at = {left, card.y + points(gui, 19)},
                    .text = title,
                    .style = {.size = 13 * gui.scale, .weight = Weight::semibold},
                    .max_width = room});
    draw_text(gui, {.at = {left, card.y + points(gui, 38)},
                    .text = summary(variant),
                    .style = {.size = 12 * gui.scale},
                    .role = Role::dim,
                    .max_width = room});
}

void draw_card(Gui& gui, SidebarState& sidebar, int index, const Variant& variant,
               const std::string& title) {
    const ImVec2 size{static_cast<float>(std::max(1.0, room_width())),
                      static_cast<float>(points(gui, card_height))};
    const bool clicked = press_area(gui, fmt::format("card/{}", index), size.x, size.y);
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 low = ImGui::GetItemRectMin();
    const Rect card{low.x, low.y, size.x, size.y};
    draw_box(gui, {.rect = card,
                   .radius = points(gui, 6),
                   .filled = true,
                   .outlined = hovered || is_open(sidebar, index),
                   .fill = Role::raised,
                   .outline = is_open(sidebar, index) ? Role::hatch : Role::line});
    draw_card_text(gui, card, index, variant, title);
    if (hovered && ImGui::IsMouseDoubleClicked(0)) {
        edit_field(gui, fmt::format("name/{}", index), variant.name);
        sidebar.variant = index;
    } else if (clicked) {
        sidebar.variant = is_open(sidebar, index) ? std::nullopt : std::optional<int>(index);
    }
}

void draw_renaming(Gui& gui, Session& session, int index, const Variant& variant) {
    const auto typed = text_field(gui, fmt::format("name/{}", index), variant.name);
    if (typed)
        session.edit("rename a variant",
                     [index, typed](Scene& scene) { rename_variant(scene, index, *typed); });
}

// Scrolls to settings that have just been opened.
void scroll_to_settings(const SidebarState& sidebar, int variant) {
    const ImGuiID key = ImGui::GetID("open variant");
    const int opened = sidebar.variant.value_or(-1);
    if (opened != variant || ImGui::GetStateStorage()->GetInt(key, -1) == opened) return;
    ImGui::GetStateStorage()->SetInt(key, opened);
    const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    if (ImGui::GetCursorScreenPos().y > bottom) ImGui::SetScrollHereY(1);
}

}  // namespace

void draw_variants(Gui& gui, Session& session, SidebarState& sidebar) {
    heading(gui, "Variants");
    // A copy, because an edit below replaces the scene while its variants are still being drawn.
    const std::vector<Variant> variants = session.scene().variants;
    const bool is_last = variants.size() == 1;
    std::vector<std::string> titles;
    for (int variant = 0; variant < std::ssize(variants); ++variant)
        titles.push_back(variant_title(session.view(), session.scene(), variant));
    for (int variant = 0; variant < static_cast<int>(variants.size()); ++variant) {
        if (edited_text(gui, fmt::format("name/{}", variant)))
            draw_renaming(gui, session, variant, variants[variant]);
        else
            draw_card(gui, sidebar, variant, variants[variant], titles[variant]);
        if (!is_open(sidebar, variant)) continue;
        draw_settings(gui, session, sidebar, variant, variants[variant], is_last);
        scroll_to_settings(sidebar, variant);
    }
    if (!sidebar.variant) ImGui::GetStateStorage()->SetInt(ImGui::GetID("open variant"), -1);
    if (button(gui, "+ variant",
               {.outlined = true, .enabled = std::ssize(variants) < most_variants, .width = -1}))
        add_variant_card(session, sidebar);
}

}  // namespace maskscope
