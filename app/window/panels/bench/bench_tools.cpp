#include "app/window/panels/bench/bench_parts.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "app/session/edits/bench_input.h"
#include "app/show/views/view_entry.h"
#include "app/window/actions/actions.h"
#include "app/window/panels/words.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// One tool in the line above the bench.
struct Tool {
    std::string text;
    bool selected = false;
    std::string tip{};
    bool dimmed = false;
    std::function<void()> act{};
    std::optional<Role> mark{};  // the colour of a line below it
};
using Tools = std::vector<Tool>;

constexpr double tool_gap = 6, more_width = 92;  // points

// Lowers the cursor, so that a list, which is higher than a chip, is centred in the same line.
void lower(const Gui& gui, double by) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + static_cast<float>(points(gui, by)));
}
constexpr double list_above = 2;  // points

// Returns the visible part of a label such as "A − B##difference".
std::string shown_part(const std::string& text) { return text.substr(0, text.find("##")); }

void underline(Gui& gui, Role role) {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    const double inset = points(gui, 12), height = points(gui, 3);
    draw_box(gui, {.rect = {low.x + inset, high.y - height, high.x - low.x - 2 * inset, height},
                   .filled = true,
                   .fill = role});
}

// Draws one line of tools; a list at its end has those that do not fit.
void draw_line(Gui& gui, const Tools& tools) {
    const double room = room_width(), more = points(gui, tool_gap + more_width);
    std::size_t count = 0;
    double used = 0;
    for (; count < tools.size(); ++count) {
        const double width = chip_width(gui, tools[count].text) + points(gui, tool_gap);
        const bool last = count + 1 == tools.size();
        if (used + width + (last ? 0 : more) > room + points(gui, tool_gap)) break;
        used += width;
    }
    const Tool* pressed = nullptr;
    for (std::size_t k = 0; k < count; ++k) {
        const Tool& tool = tools[k];
        if (k > 0) same_line(gui, tool_gap);
        const bool dimmed = tool.dimmed || !tool.selected;
        if (chip(gui, tool.text, {.selected = tool.selected, .dimmed = dimmed, .quiet = true})
                .clicked)
            pressed = &tool;
        tooltip_below(gui, tool.tip);
        if (tool.mark) underline(gui, *tool.mark);
    }
    if (count < tools.size()) {
        if (count > 0) same_line(gui, tool_gap);
        if (count > 0) lower(gui, -list_above);
        std::vector<std::string> rest;
        for (std::size_t k = count; k < tools.size(); ++k)
            rest.push_back((tools[k].selected ? "✓ " : "") + shown_part(tools[k].text));
        const auto picked = combo(gui, "more", rest, -1, {.width = more_width, .hint = "more"});
        if (picked) pressed = &tools[count + std::size_t(*picked)];
    }
    if (pressed && pressed->act) pressed->act();
}

// Adds a chip for each stage that the inputs have, which shows or hides it.
void add_stages(Session& session, Tools& tools) {
    for (int k = 1; k < all_stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!why_no_stage(session, stage).empty()) continue;
        const bool is_shown = shows_stage(session.view(), stage);
        const std::string name(label(stage));
        const bool waits = is_shown && !session.shown().variants.front().stage(stage).exists();
        const std::string tip = (waits ? "Not computed yet.\n" : "") + explanation(name);
        tools.push_back({name, is_shown, tip, waits,
                         [&session, stage] { show_or_hide_stage(session, stage); }});
    }
}

void add_tensors(Session& session, BenchState& bench, Tools& tools) {
    const auto why = why_no_tensors(session.scene());
    const std::string tip = why.value_or("Show Q, K and V (Q). Double-click a number to edit it.");
    tools.push_back({"Q K V", session.view().show.vectors && !why, tip, false,
                     [&] { fold_tensors(session, bench); }});
}

// Adds the choice of the stage that is shown for all heads.
void add_stage_of_heads(Session& session, Tools& tools) {
    const StageKind shown = stage_of_heads(session.shown(), session.view());
    for (int k = 1; k < all_stage_count; ++k) {
        const auto stage = static_cast<StageKind>(k);
        if (!why_no_stage(session, stage).empty()) continue;
        const std::string name(label(stage));
        tools.push_back({name, stage == shown, explanation(name), false, [&session, stage] {
                             session.view().show.stages = std::vector<StageKind>{stage};
                         }});
    }
}

// Adds the switch for A − B.
void add_difference(Session& session, Tools& tools) {
    Show& show = session.view().show;
    if (session.shown().scene.variants.size() < 2) return;
    const auto shown = shown_difference(session.view(), session.shown().scene);
    const Difference d = shown.value_or(Difference{});
    tools.push_back(
        {fmt::format("{} − {}##difference", variant_letter(d.variant), variant_letter(d.minus)),
         shown.has_value(), "Show the difference of two variants below them", false,
         [&show, shown, d] { show.difference = shown ? std::nullopt : std::optional(d); }});
}

std::optional<int> letter_of(Gui& gui, const std::string& id, const std::vector<int>& variants,
                             int chosen) {
    std::vector<std::string> letters;
    for (const int variant : variants) letters.emplace_back(1, variant_letter(variant));
    const auto at = std::find(variants.begin(), variants.end(), chosen);
    constexpr double width = 52;
    same_line(gui, 6);
    const auto picked =
        combo(gui, id, letters, static_cast<int>(at - variants.begin()), {.width = width});
    return picked ? std::optional<int>(variants[*picked]) : std::nullopt;
}

// Draws two lists for choosing the variants of the difference next to the tabs, if there are more
// than two variants.
void draw_letters(Gui& gui, Session& session) {
    Show& show = session.view().show;
    std::vector<int> variants(session.shown().scene.variants.size());
    std::iota(variants.begin(), variants.end(), 0);
    const auto shown = shown_difference(session.view(), session.shown().scene);
    if (!shown || variants.size() < 3) return;
    const Difference d = *shown;
    // Choosing the letter of the other side swaps the two, because A − A would be no comparison.
    if (const auto variant = letter_of(gui, "minuend", variants, d.variant))
        show.difference =
            *variant == d.minus ? Difference{d.minus, d.variant} : Difference{*variant, d.minus};
    if (const auto minus = letter_of(gui, "subtrahend", variants, d.minus))
        show.difference =
            *minus == d.variant ? Difference{d.minus, d.variant} : Difference{d.variant, *minus};
}

Tool all_heads(Session& session) {
    return {"‹ all heads", false, "Show all heads (Escape)", false,
            [&session] { back_to_heads(session); }};
}

// Adds "‹ head 3 of 8 ›", with arrows that step through the heads.
void add_heads(Session& session, Tools& tools) {
    const Shape shape = session.shown().variants.front().shape;
    View& view = session.view();
    if (view.enlarged) tools.push_back(all_heads(session));
    if (shape.h < 2) return;
    const Index h = shown_heads(view, shape).front();
    const auto go_to = [&view, shape](Index to) {
        return [&view, to = std::clamp<Index>(to, 0, shape.h - 1)] {
            view.show.heads = std::vector<Index>{to};
        };
    };
    tools.push_back({"‹##head", false, "Previous head", false, go_to(h - 1)});
    const auto keys = shared_keys(session.scene().inputs, h);
    const std::string which = keys ? fmt::format(" · KV head {}", *keys + 1) : "";
    tools.push_back({fmt::format("head {} of {}{}", h + 1, shape.h, which),
                     true,
                     "Keys 1 to 9 jump to a head",
                     false,
                     {},
                     keys ? std::optional(variant_role(static_cast<int>(*keys))) : std::nullopt});
    tools.push_back({"›##head", false, "Next head", false, go_to(h + 1)});
}

void add_batch(Session& session, Tools& tools) {
    View& view = session.view();
    const Shape shape = session.shown().variants.front().shape;
    if (shape.b < 2) return;
    tools.push_back({fmt::format("all {} sequences", shape.b), view.batch,
                     "Show every sequence of the batch. Click one to select it", false,
                     [&view] { view.batch = !view.batch; }});
}

std::vector<std::string> map_choices() {
    std::vector<std::string> choices{"Default colours"};
    choices.insert(choices.end(), colour_map_names.begin(), colour_map_names.end());
    return choices;
}

int chosen_map(const Session& session) {
    const auto& map = session.view().colouring.map;
    return map ? static_cast<int>(*map) + 1 : 0;
}

void choose_map(Session& session, int chosen) {
    session.view().colouring.map =
        chosen == 0 ? std::nullopt : std::optional(static_cast<ColourMap>(chosen - 1));
}

Tool logarithmic(Session& session) {
    Colouring& colouring = session.view().colouring;
    const bool by_itself = session.shown().variants.front().shape.n_k >= many_keys;
    const bool on = colouring.logarithmic.value_or(by_itself);
    return {"logarithmic", on, "Use a logarithmic colour scale", false,
            [&colouring, on, by_itself] {
                colouring.logarithmic = on != by_itself ? std::nullopt : std::optional(!on);
            }};
}

constexpr double map_width = 140;  // points

// Draws the choices of colour map and scale at the right end of the line of tabs. If `low`, or if
// there is no space there, adds them to the tools instead.
void draw_colours(Gui& gui, Session& session, Tools& tools, bool low) {
    const std::vector<std::string> maps = map_choices();
    const Tool log = logarithmic(session);
    const double width = points(gui, map_width + tool_gap) + chip_width(gui, log.text);
    same_line(gui, 18);
    const double room = room_width();
    if (low || room < width) {
        if (!low || room < points(gui, more_width)) ImGui::NewLine();
        for (int k = 0; k < std::ssize(maps); ++k)
            tools.push_back({maps[k], k == chosen_map(session), "Choose the colour map", false,
                             [&session, k] { choose_map(session, k); }});
        tools.push_back(log);
        return;
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + static_cast<float>(room - width));
    if (const auto picked = combo(gui, "colours", maps, chosen_map(session), {.width = map_width}))
        choose_map(session, *picked);
    same_line(gui, tool_gap);
    lower(gui, list_above);
    draw_line(gui, {log});
}

}  // namespace

bool has_low_tools(const Gui& gui, const Rect& bench) { return bench.h < points(gui, 330); }

void draw_bench_tools(Gui& gui, Session& session, BenchState& bench, bool low) {
    const ViewKind kind = shown_view(session.view(), session.shown().scene);
    if (kind != ViewKind::heads && kind != ViewKind::pipeline) return;
    Tools tools, colours;
    if (kind == ViewKind::pipeline) draw_letters(gui, session);
    draw_colours(gui, session, colours, low);
    if (kind == ViewKind::heads) {
        if (!session.view().picked.empty()) tools.push_back(all_heads(session));
        add_stage_of_heads(session, tools);
    } else {
        add_heads(session, tools);
        add_batch(session, tools);
        add_difference(session, tools);
        add_tensors(session, bench, tools);
        add_stages(session, tools);
    }
    std::ranges::move(colours, std::back_inserter(tools));
    draw_line(gui, tools);
}

}  // namespace maskscope
