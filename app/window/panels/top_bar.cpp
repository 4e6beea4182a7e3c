// The bar along the top: what is open, the steps of the lesson, undo, files, theme, export.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

constexpr double button_height = 32, side_room = 20, button_gap = 8;  // points

// Buttons left out on a narrow bar, in this order: each also has a key.
constexpr std::array<std::string_view, 8> gives_way{"New",   "Redo", "Theme", "Undo",
                                                    "Write", "Save", "Open",  "Export"};

// How many of gives_way are not drawn.
struct Narrow {
    std::size_t gone = 0;
    bool shows(std::string_view text) const {
        const auto* const end = gives_way.begin() + gone;
        return std::find(gives_way.begin(), end, text) == end;
    }
};

// Items side by side in the middle of the bar; x is where the next one begins.
struct Row {
    double x = 0, middle = 0;
};

void place(const Gui& gui, const Row& row, double height) {
    set_cursor(row.x, row.middle - points(gui, height) / 2);
}

// The right end of what was drawn last, and a gap.
void go_on(const Gui& gui, Row& row, double gap) {
    row.x = ImGui::GetItemRectMax().x + points(gui, gap);
}

bool place_button(Gui& gui, Row& row, const std::string& text, const ButtonOptions& options = {}) {
    place(gui, row, button_height);
    const bool pressed = button(gui, text, options);
    go_on(gui, row, button_gap);
    return pressed;
}

// A button does what the key does.
void press_key(Commands& commands, int key, int modifiers = GLFW_MOD_CONTROL) {
    for (const Shortcut& shortcut : shortcuts())
        if (shortcut.key == key && shortcut.modifiers == modifiers)
            commands.push_back(shortcut.act);
}

double text_width(const Gui& gui, const std::string& text, const TextStyle& style) {
    return measure(text, scaled(gui, style)).width;
}

void place_text(Gui& gui, Row& row, const std::string& text, TextStyle style, Role role,
                double room) {
    style.size *= gui.scale;
    const double width = std::min(measure(text, style).width, room);
    draw_text(gui, {.at = {row.x, row.middle},
                    .text = text,
                    .style = style,
                    .role = role,
                    .max_width = std::max(1.0, room)});
    row.x += width;
}

std::string step_text(const Session& session) {
    const Lesson& lesson = *session.lesson();
    const auto step = static_cast<std::size_t>(session.step());
    return fmt::format("{}{} / {}", lesson.steps[step].star ? "★ " : "", step + 1,
                       lesson.steps.size());
}

std::string title_of(const Session& session) {
    const Lesson* lesson = session.lesson();
    if (lesson != nullptr) return lesson->title;
    if (!session.scene().title.empty()) return session.scene().title;
    const auto path = session.path();
    return path ? path->filename().string() : "untitled";
}

// The title is a menu, marked by an arrow.
void draw_title(Gui& gui, const Session& session, Commands& commands, Row& row, double room) {
    const double arrow = points(gui, 18), inset = points(gui, 8);
    const std::string title = title_of(session);
    const double text =
        std::min(text_width(gui, title, {.size = 14}), std::max(1.0, room - arrow - 2 * inset));
    const double height = points(gui, button_height);
    const Rect area{row.x, row.middle - height / 2, text + arrow + 2 * inset, height};
    set_cursor(area.x, area.y);
    if (press_area(gui, "lessons", area.w, area.h)) commands.push_back(open_lessons);
    if (ImGui::IsItemHovered()) draw_raised(gui, area);
    tooltip(gui, lessons_words);
    Row inside{row.x + inset, row.middle};
    place_text(gui, inside, title, {.size = 14}, Role::ink, text);
    inside.x += points(gui, 6);
    place_text(gui, inside, "▾", {.size = 14}, Role::dim, arrow);
    row.x = area.right() + points(gui, 12);
}

// At the end of a lesson, what to press for the next one; "" elsewhere.
std::string next_lesson_text(const Session& session) {
    return next_lesson_title(session).empty() ? "" : "Next lesson ›";
}

void draw_steps(Gui& gui, Session& session, Commands& commands, const std::string& next, Row& row) {
    if (session.lesson() == nullptr) return;
    const TextStyle style{};
    const std::string text = step_text(session);
    if (place_button(
            gui, row, "‹",
            {.enabled = session.step() > 0, .width = 30, .tip = "Page Up: the previous step"}))
        session.previous();
    // As wide as the widest step, so that the arrows do not move.
    const double room = std::max(text_width(gui, text, style), text_width(gui, "★ 88 / 88", style));
    Row middle{row.x + (room - text_width(gui, text, style)) / 2, row.middle};
    place_text(gui, middle, text, style, Role::dim, room + 1);
    row.x += room + points(gui, button_gap);
    const bool goes_on = why_no_next_step(session).empty();
    // Where the course leaves a lesson before its end, both are offered.
    const bool is_pressed =
        (goes_on || next.empty()) &&
        place_button(
            gui, row, "›",
            {.enabled = goes_on, .width = 30, .tip = "Page Down: the answer, or the next step"});
    if (is_pressed) session.next();
    if (!next.empty() && place_button(gui, row, next, {.tip = next_lesson_title(session)}))
        commands.push_back(open_next_lesson);
    row.x += points(gui, 14);
}

void draw_undo(Gui& gui, Session& session, Row& row, const Narrow& narrow) {
    const auto undone = session.undo_name(), redone = session.redo_name();
    if (narrow.shows("Undo") &&
        place_button(gui, row, "Undo",
                     {.enabled = undone.has_value(),
                      .tip = undone ? fmt::format("Ctrl+Z: {}", *undone) : ""}))
        session.undo();
    if (narrow.shows("Redo") &&
        place_button(gui, row, "Redo",
                     {.enabled = redone.has_value(),
                      .tip = redone ? fmt::format("Ctrl+Y: {}", *redone) : ""}))
        session.redo();
    row.x += points(gui, 14);
}

void draw_file_buttons(Gui& gui, Commands& commands, bool writes, Row& row, const Narrow& narrow) {
    const auto pressed = [&](const char* text, const char* key) {
        return narrow.shows(text) && place_button(gui, row, text, {.tip = key, .role = Role::dim});
    };
    if (pressed("New", "Ctrl+N")) press_key(commands, GLFW_KEY_N);
    if (pressed("Open", "Ctrl+O")) press_key(commands, GLFW_KEY_O);
    if (pressed("Save", "Ctrl+S")) press_key(commands, GLFW_KEY_S);
    if (narrow.shows("Write") && place_button(gui, row, "Write",
                                              {.outlined = writes,
                                               .tip = "Ctrl+L: write a lesson from the bench",
                                               .role = writes ? Role::ink : Role::dim}))
        press_key(commands, GLFW_KEY_L);
}

ThemeKind theme_after(ThemeKind theme) {
    if (theme == ThemeKind::dark) return ThemeKind::light;
    return theme == ThemeKind::light ? ThemeKind::high_contrast : ThemeKind::dark;
}

// At the right end, from the left: theme, export, help, and the one filled button.
constexpr const char *help_text = "?", *present_text = "Present F5";

double right_width(const Gui& gui, const Narrow& narrow) {
    const double gap = points(gui, button_gap);
    double width = points(gui, 34) + gap + button_width(gui, present_text);
    for (const char* text : {"Theme", "Export"})
        if (narrow.shows(text)) width += button_width(gui, text) + gap;
    return width;
}

void draw_right(Gui& gui, Session& session, Commands& commands, Row& row, const Narrow& narrow) {
    if (narrow.shows("Theme") &&
        place_button(gui, row, "Theme", {.tip = "Dark, light, high contrast", .role = Role::dim}))
        session.view().theme = theme_after(session.view().theme);
    if (narrow.shows("Export") &&
        place_button(gui, row, "Export",
                     {.tip = "Ctrl+E: export what is on the bench (.png, .svg, .pdf, .csv)",
                      .role = Role::dim}))
        press_key(commands, GLFW_KEY_E);
    if (place_button(gui, row, help_text, {.width = 34, .tip = "F1: keys and help"}))
        press_key(commands, GLFW_KEY_F1, 0);
    if (place_button(gui, row, present_text,
                     {.filled = true, .tip = "Full screen, for a lecture room"}))
        press_key(commands, GLFW_KEY_F5, 0);
}

// The width reserved next to the title: everything from the steps to the file buttons.
double middle_width(const Gui& gui, const Session& session, const std::string& next,
                    const Narrow& narrow) {
    double width = 0;
    for (const std::string_view text : {"New", "Redo", "Undo", "Write", "Save", "Open"})
        if (narrow.shows(text))
            width += button_width(gui, std::string(text)) + points(gui, button_gap);
    if (session.lesson() != nullptr)
        width += points(gui, 2 * 30 + 3 * button_gap + 14) + text_width(gui, "★ 88 / 88", {});
    if (!next.empty())
        width += button_width(gui, next) +
                 points(gui, why_no_next_step(session).empty() ? button_gap : -30.0);
    return width + points(gui, 14 + 32);
}

}  // namespace

void draw_top_bar(Gui& gui, Session& session, Commands& commands, bool writes, const Rect& rect) {
    if (rect.h <= 0) return;
    begin_panel(gui, "top bar", rect, {.padding = 0});
    draw_edge(gui, rect, Edge::bottom);
    const double margin = points(gui, side_room), least_title = points(gui, 120);
    Row row{rect.x + margin, rect.y + rect.h / 2};
    const TextStyle name_style{.size = 15, .weight = Weight::bold};
    const double name_width = text_width(gui, "Maskscope", name_style) + points(gui, 10);
    const std::string next = next_lesson_text(session);
    Narrow narrow;
    const auto room_for_title = [&] {
        return rect.right() - margin - right_width(gui, narrow) - row.x -
               middle_width(gui, session, next, narrow);
    };
    while (room_for_title() < least_title && narrow.gone < gives_way.size()) ++narrow.gone;
    double room = room_for_title();
    if (room >= name_width + least_title) {
        place_text(gui, row, "Maskscope", name_style, Role::ink, rect.w);
        row.x += points(gui, 10);
        room -= name_width;
    }
    draw_title(gui, session, commands, row, room);
    draw_steps(gui, session, commands, next, row);
    draw_undo(gui, session, row, narrow);
    draw_file_buttons(gui, commands, writes, row, narrow);
    Row right{rect.right() - margin - right_width(gui, narrow), row.middle};
    if (session.lesson() != nullptr) {  // where there is room for it
        const std::string& title = session.lesson()->steps[session.step()].title;
        row.x += points(gui, 16);
        const double space = right.x - points(gui, 24) - row.x;
        if (text_width(gui, title, {.size = 14}) <= space)
            place_text(gui, row, title, {.size = 14}, Role::dim, space);
    }
    draw_right(gui, session, commands, right, narrow);
    end_panel();
}

}  // namespace maskscope
