// The variants: one card each, and the settings of the one that was opened by a click.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/session/edits/variant_settings.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"
#include "core/base/number_text.h"
#include "core/scene/names.h"
#include "core/scene/settings.h"

namespace maskscope {

namespace {

constexpr double card_height = 56, card_padding = 10;  // points

using Kind = VariantSetting::Kind;

bool is_open(const SidebarState& sidebar, int lane) { return sidebar.variant == lane; }

// --- settings

// Its choice explained, else itself.
std::string tip_of(const VariantSetting& setting) {
    const std::string chosen =
        setting.chosen >= 0 ? explanation(setting.choices[setting.chosen]) : "";
    return chosen.empty() ? explanation(setting.name) : chosen;
}

// A setting whose value may be typed as well as chosen.
template <class T>
void draw_typed(Gui& gui, Session& session, int lane, const VariantSetting& setting,
                const std::string& now, bool (*read)(const std::string&, T&), const char* expected,
                T& (*field)(Variant&)) {
    const auto typed = combo_or_typed(gui, fmt::format("{}/{}", setting.name, lane),
                                      capital(setting.name), setting.choices, now, tip_of(setting));
    if (!typed) return;
    T value;
    if (!read(*typed, value))
        return session.say(
            fmt::format("{} is not a {}: {}", quoted(*typed), setting.name, expected), true);
    session.edit(setting.undo, [&](Scene& scene) { field(scene.variants[lane]) = value; });
}

// --- softcap and sink

// "none", or a number: the cap, at the place that it has.
bool read_softcap(const std::string& text, std::optional<Softcap>& softcap) {
    const std::string word{trimmed(text)};
    softcap.reset();
    if (word == "none" || word.empty()) return true;
    return read_number(word, softcap.emplace().cap);
}

void draw_softcap(Gui& gui, Session& session, int lane, const Variant& variant,
                  const VariantSetting& setting) {
    const std::string now = variant.softcap ? typed_text(variant.softcap->cap) : "none";
    const auto typed = combo_or_typed(gui, fmt::format("softcap/{}", lane), "Softcap",
                                      setting.choices, now, explanation("softcap"));
    if (!typed) return;
    std::optional<Softcap> softcap;
    if (!read_softcap(*typed, softcap))
        return session.say(quoted(*typed) + " is not a softcap: none or a number", true);
    if (softcap && variant.softcap) softcap->order = variant.softcap->order;
    session.edit(setting.undo, [&](Scene& scene) { set_softcap(scene, lane, softcap); });
}

std::string sink_text(const Sink& sink) {
    if (const auto* one = std::get_if<double>(&sink)) return typed_text(*one);
    std::string text;
    for (const double s : std::get<std::vector<double>>(sink))
        text += (text.empty() ? "" : " ") + typed_text(s);
    return text;
}

// One number for all heads, or one for each; nullopt if a word is no number.
std::optional<Sink> read_sink(std::string text) {
    std::ranges::replace(text, ',', ' ');
    std::istringstream words_in(text);
    std::vector<double> each;
    for (std::string word; words_in >> word;)
        if (!read_number(word, each.emplace_back())) return std::nullopt;
    if (each.empty()) return std::nullopt;
    return each.size() == 1 ? Sink(each.front()) : Sink(each);
}

void draw_sink(Gui& gui, Session& session, int lane, const Variant& variant) {
    if (variant.normalizer != Normalizer::softmax_sink) return;
    const bool heads = heads_of(session.scene().inputs) > 1;
    const auto typed =
        text_row(gui, fmt::format("sink/{}", lane), heads ? "Sink, one or one a head" : "Sink",
                 sink_text(variant.sink), heads ? 120 : 84);
    tooltip_beside(gui, explanation("Softmax with a sink"));
    if (!typed) return;
    const auto sink = read_sink(*typed);
    if (!sink)
        return session.say(quoted(*typed) + " is not a sink: a number, or one for each head", true);
    session.edit("change the sink", [&](Scene& scene) { set_sink(scene, lane, *sink); });
}

// --- one of them

void draw_setting(Gui& gui, Session& session, int lane, const Variant& variant,
                  const VariantSetting& setting) {
    if (setting.kind == Kind::value)
        return draw_typed<BlockedValue>(gui, session, lane, setting, in_words(variant.mask.value),
                                        read_value, "−∞, lowest or a number",
                                        [](Variant& v) -> BlockedValue& { return v.mask.value; });
    if (setting.kind == Kind::scale)
        return draw_typed<Scale>(gui, session, lane, setting, in_words(variant.scale), read_scale,
                                 "1/√d, 1/√n or a number",
                                 [](Variant& v) -> Scale& { return v.scale; });
    if (setting.kind == Kind::softcap) return draw_softcap(gui, session, lane, variant, setting);
    const std::string id = fmt::format("{}/{}", setting.name, lane);
    const bool applies = setting.kind == Kind::apply;  // its words need the whole width
    if (applies) label(gui, "How the mask is applied", {.style = {.size = 12}, .role = Role::dim});
    const std::string name = applies ? "" : capital(setting.name);
    if (setting.kind == Kind::cap_order) {
        if (const auto pressed = segments(gui, id, setting.choices, setting.chosen))
            choose_setting(session, lane, setting.kind, *pressed);
        return tooltip_beside(gui, explanation("softcap"));
    }
    const auto pressed =
        setting.kind == Kind::times
            ? segments(gui, id, {name + " " + setting.choices[0], setting.choices[1]},
                       setting.chosen)
            : combo(gui, id, setting.choices, setting.chosen,
                    {.name = name, .tip = tip_of(setting)});
    if (pressed) choose_setting(session, lane, setting.kind, *pressed);
}

// The heads of a translator, each on or off.
void draw_heads_off(Gui& gui, Session& session, int lane, const Variant& variant) {
    if (model_of(session.scene()) == nullptr) return;
    label(gui, "Heads that speak", {.style = {.size = 12}, .role = Role::dim});
    for (Index h = 0; h < heads_of(session.scene().inputs); ++h) {
        const bool on = std::ranges::find(variant.heads_off, h) == variant.heads_off.end();
        if (h > 0) same_line(gui, 4);
        if (chip(gui, fmt::format("{}##head of {}", h + 1, lane), {.selected = on, .dimmed = !on})
                .clicked)
            session.edit(on ? "turn a head off" : "turn a head on",
                         [&](Scene& scene) { turn_head(scene, lane, h, !on); });
    }
}

void draw_variant_buttons(Gui& gui, Session& session, SidebarState& sidebar, int lane,
                          bool is_last) {
    const double gap_width = points(gui, 8);
    const double width = std::floor((room_width() - 2 * gap_width) / 3 / gui.scale);
    if (button(gui, "Rename", {.width = width}))
        edit_field(gui, fmt::format("name/{}", lane), session.scene().variants[lane].name);
    ImGui::SameLine();
    if (button(gui, "Duplicate", {.width = width})) duplicate_lane(session, sidebar, lane);
    ImGui::SameLine();
    if (button(gui, "Remove", {.enabled = !is_last, .width = width}))
        remove_lane(session, sidebar, lane);
}

// Only what acts on this variant is listed.
void draw_settings(Gui& gui, Session& session, SidebarState& sidebar, int lane,
                   const Variant& variant, bool is_last) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        {static_cast<float>(points(gui, 8)), static_cast<float>(points(gui, 4))});
    const auto settings = variant_settings(session.scene(), lane);
    const auto draw = [&](std::initializer_list<Kind> kinds) {
        for (const Kind kind : kinds)
            for (const VariantSetting& setting : settings)
                if (setting.kind == kind) draw_setting(gui, session, lane, variant, setting);
    };
    draw_frameworks(gui, session, lane, variant);
    draw({Kind::apply, Kind::value, Kind::times, Kind::order, Kind::score});
    if (!std::holds_alternative<WeightsInputs>(session.scene().inputs))
        draw_matrix(gui, session, lane, variant, VariantMatrix::score);
    draw({Kind::scale, Kind::softcap, Kind::cap_order, Kind::normalizer});
    draw_sink(gui, session, lane, variant);
    draw({Kind::empty_rows, Kind::dtype});
    draw_heads_off(gui, session, lane, variant);
    draw_output_kind(gui, session, lane, variant);
    draw_matrix(gui, session, lane, variant, VariantMatrix::output);
    draw_variant_buttons(gui, session, sidebar, lane, is_last);
    ImGui::PopStyleVar();
    gap(gui, 2);
}

// --- cards

void draw_card_text(Gui& gui, const Rect& card, int lane, const Variant& variant,
                    const std::string& title) {
    const double padding = points(gui, card_padding), left = card.x + points(gui, 38);
    const double room = std::max(1.0, card.right() - padding - left);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    set_cursor(card.x + padding, card.y + padding);
    lane_letter_chip(gui, lane);
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

void draw_card(Gui& gui, SidebarState& sidebar, int lane, const Variant& variant,
               const std::string& title) {
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
    draw_card_text(gui, card, lane, variant, title);
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
        session.edit("rename a lane",
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

}  // namespace

void draw_variants(Gui& gui, Session& session, SidebarState& sidebar) {
    heading(gui, "Lanes");
    // A copy: an edit below replaces the scene while its variants are still being drawn.
    const std::vector<Variant> variants = session.scene().variants;
    const bool is_last = variants.size() == 1;
    std::vector<std::string> titles;
    for (int lane = 0; lane < std::ssize(variants); ++lane)
        titles.push_back(lane_title(session.view(), session.scene(), lane));
    for (int lane = 0; lane < static_cast<int>(variants.size()); ++lane) {
        if (edited_text(gui, fmt::format("name/{}", lane)))
            draw_renaming(gui, session, lane, variants[lane]);
        else
            draw_card(gui, sidebar, lane, variants[lane], titles[lane]);
        if (!is_open(sidebar, lane)) continue;
        draw_settings(gui, session, sidebar, lane, variants[lane], is_last);
        scroll_to_settings(sidebar, lane);
    }
    if (!sidebar.variant) ImGui::GetStateStorage()->SetInt(ImGui::GetID("open variant"), -1);
    if (button(gui, "+ lane",
               {.outlined = true, .enabled = std::ssize(variants) < most_lanes, .width = -1}))
        add_lane(session, sidebar);
}

}  // namespace maskscope
