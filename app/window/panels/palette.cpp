// Draws the command palette: a field, and below it the commands that match the typed text.

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

namespace {

constexpr double width = 720, palette_padding = 14, row_height = 30;  // points
constexpr double field_room = 46, palette_margin = 24;
constexpr double most_choices = 20;

bool is_switch(const Gui& gui) {
    constexpr int both = GLFW_MOD_CONTROL | GLFW_MOD_SHIFT;
    return was_pressed(gui, GLFW_KEY_P) && (gui.now.modifiers & both) == both;
}

// Moves the chosen row by keys. Steps of one row wrap around at the ends.
void move_chosen(const Gui& gui, std::size_t& chosen, std::size_t count) {
    if (count == 0) return;
    const auto page = static_cast<std::size_t>(most_choices) - 1;
    const bool tab = was_pressed(gui, GLFW_KEY_TAB);
    const bool back = tab && (gui.now.modifiers & GLFW_MOD_SHIFT) != 0;
    if (was_pressed(gui, GLFW_KEY_DOWN) || (tab && !back)) chosen = (chosen + 1) % count;
    if (was_pressed(gui, GLFW_KEY_UP) || back) chosen = (chosen + count - 1) % count;
    if (was_pressed(gui, GLFW_KEY_PAGE_DOWN)) chosen = std::min(chosen + page, count - 1);
    if (was_pressed(gui, GLFW_KEY_PAGE_UP)) chosen -= std::min(chosen, page);
}

void close(App& app) {
    app.ui.overlays.close<Palette>();
    if (app.gui.editing && app.gui.editing->id == palette_field_id) app.gui.editing.reset();
}

// Runs a command, or says why it cannot act. Closes the palette first, because the command may open
// something itself.
void run(App& app, const PaletteEntry& chosen) {
    const PaletteEntry entry = chosen;
    close(app);
    if (!entry.why_not.empty())
        app.session.say(entry.words + ": " + entry.why_not, true);
    else
        app.ui.commands.push_back(entry.act);
}

void draw_row(Gui& gui, const Rect& row, const PaletteEntry& entry, bool chosen) {
    if (chosen) draw_chosen(gui, row, Role::raised);
    const bool acts = entry.why_not.empty();
    const double inset = points(gui, 10), middle = row.y + row.h / 2;
    const std::string& right = acts ? entry.keys : entry.why_not;
    const TextStyle small{.size = 12 * gui.scale};
    const double taken = std::min(measure(right, small).width, row.w / 2);
    draw_text(gui, {.at = {row.right() - inset, middle},
                    .text = right,
                    .style = small,
                    .role = Role::dim,
                    .anchor = Anchor::right,
                    .max_width = std::max(1.0, row.w / 2)});
    const TextStyle style{.size = 13 * gui.scale};
    const double room = std::max(1.0, row.w - taken - 3 * inset);
    draw_text(gui, {.at = {row.x + inset, middle},
                    .text = entry.words,
                    .style = style,
                    .role = acts ? Role::ink : Role::dim,
                    .max_width = room});
    const double words = std::min(measure(entry.words, style).width + inset, room);
    draw_text(gui, {.at = {row.x + inset + words, middle},
                    .text = entry.about,
                    .style = small,
                    .role = Role::dim,
                    .max_width = std::max(1.0, room - words)});
}

// Draws the visible rows of the list, in a panel that scrolls. Returns the index in `found` of the
// clicked row. moved: scroll to the chosen row.
std::optional<std::size_t> draw_list(Gui& gui, Palette& palette,
                                     const std::vector<std::size_t>& found, bool moved) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild("commands", {0, 0}, false, ImGuiWindowFlags_NoNav);
    const double height = points(gui, row_height);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const double room = room_width(), scroll = ImGui::GetScrollY();
    const auto first = static_cast<std::size_t>(scroll / height);
    const auto seen = static_cast<std::size_t>(ImGui::GetWindowHeight() / height) + 2;
    const bool over = ImGui::IsWindowHovered();
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    const bool points_at = over && (by.x != 0 || by.y != 0 || ImGui::IsMouseClicked(0));
    std::optional<std::size_t> clicked;
    for (std::size_t k = first; k < std::min(first + seen, found.size()); ++k) {
        const Rect row{from.x, from.y + static_cast<double>(k) * height, room, height};
        if (points_at && row.contains(gui.now.pointer)) palette.chosen = k;
        if (over && ImGui::IsMouseClicked(0) && row.contains(gui.now.pointer)) clicked = k;
        draw_row(gui, row, palette.entries[found[k]], k == palette.chosen);
    }
    take_room(1, height * static_cast<double>(found.size()));
    const double top = double(palette.chosen) * height, sight = ImGui::GetWindowHeight();
    if (moved && top < scroll) ImGui::SetScrollY(static_cast<float>(top));
    if (moved && top + height > scroll + sight)
        ImGui::SetScrollY(static_cast<float>(top + height - sight));
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return clicked;
}

Rect place(const Gui& gui, std::size_t rows) {
    const double w = std::min(points(gui, width), gui.width - points(gui, 2 * palette_margin));
    const double top = std::round(gui.height / 8.0);
    const double shown = std::min(std::max<double>(1, static_cast<double>(rows)), most_choices);
    const double wanted =
        points(gui, 2 * palette_padding + field_room) + shown * points(gui, row_height);
    const double room = gui.height - top - points(gui, palette_margin);
    return {std::round((gui.width - w) / 2), top, std::max(1.0, w),
            std::max(1.0, std::min(wanted, room))};
}

// The text of the field after this pass's keys. left: the field has lost the keyboard.
struct TypedText {
    std::string text;
    bool left = false;
};

TypedText draw_field(Gui& gui, const Palette& palette) {
    FieldOptions options{
        .hint = palette.hint, .commit_on_leave = false, .commit_on_end = false, .tells = true};
    options.on_tab = [](const std::string& text) { return text; };  // Tab moves down the list
    const auto committed = text_field(gui, palette_field_id, palette.typed, options);
    const auto edited = edited_text(gui, palette_field_id);
    return {edited ? *edited : committed.value_or(palette.typed), !edited};
}

void act(App& app, const Palette& palette, const std::vector<std::size_t>& found,
         const TypedText& typed, std::optional<std::size_t> clicked, const Rect& rect) {
    Gui& gui = app.gui;
    if (was_pressed(gui, GLFW_KEY_ENTER) && palette.chosen < found.size()) clicked = palette.chosen;
    const bool beside = ImGui::IsMouseClicked(0) && !rect.contains(gui.now.pointer);
    if (clicked)
        run(app, palette.entries[found[*clicked]]);
    else if (beside || is_switch(gui))
        close(app);
    else if (typed.left)
        edit_field(gui, palette_field_id, typed.text,
                   false);  // after a click elsewhere in the palette, or a second Enter
}

}  // namespace

Rect draw_overlay(App& app, Palette& palette) {
    Gui& gui = app.gui;
    const Rect rect = place(gui, matching(palette.entries, palette.typed).size());
    begin_sheet(gui, "palette", rect, palette_padding);
    const std::size_t before = palette.chosen;
    const TypedText typed = draw_field(gui, palette);
    if (std::exchange(palette.typed, typed.text) != typed.text) palette.chosen = 0;
    const std::vector<std::size_t> found = matching(palette.entries, typed.text);
    if (found.empty()) label(gui, "No matching commands", {.role = Role::dim});
    const bool keys = takes_keys(gui);
    if (keys) move_chosen(gui, palette.chosen, found.size());
    const auto clicked = draw_list(gui, palette, found, !keys || before != palette.chosen);
    end_panel();
    if (keys) act(app, palette, found, typed, clicked, rect);
    return rect;
}

}  // namespace maskscope
