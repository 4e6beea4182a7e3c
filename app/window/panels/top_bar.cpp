// The bar along the top: what is open, the steps of the lesson, undo, files, theme, export.

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/figure/style/labels.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

constexpr double button_height = 32, side_room = 20, button_gap = 8;  // points

// What gives way on a narrow bar, in this order: each is a command with a key.
constexpr std::array<std::string_view, 6> gives_way{"New",    "Redo", "Undo",
                                                    "Lesson", "Open", "Save"};

// How many of gives_way are not drawn.
struct Narrow {
    std::size_t gone = 0;
    bool shows(std::string_view text) const {
        const auto* const end = gives_way.begin() + gone;
        return std::find(gives_way.begin(), end, text) == end;
    }
};

// Things stand side by side in the middle of the bar; x is where the next one begins.
struct Row {
    double x = 0, middle = 0;
};

void place(const App& app, const Row& row, double height) {
    ImGui::SetCursorScreenPos(
        {static_cast<float>(row.x), static_cast<float>(row.middle - points(app, height) / 2)});
}

// The right end of what was drawn last, and a gap.
void go_on(const App& app, Row& row, double gap) {
    row.x = ImGui::GetItemRectMax().x + points(app, gap);
}

bool place_button(App& app, Row& row, const std::string& text, const ButtonOptions& options = {}) {
    place(app, row, button_height);
    const bool pressed = button(app, text, options);
    go_on(app, row, button_gap);
    return pressed;
}

// A button does what the key does.
void press_key(App& app, int key) {
    for (const Shortcut& shortcut : shortcuts())
        if (shortcut.key == key && shortcut.modifiers == GLFW_MOD_CONTROL) shortcut.act(app);
}

double text_width(const App& app, const std::string& text, TextStyle style) {
    style.size *= app.ui_scale;
    return measure(text, style).width;
}

void place_text(App& app, Row& row, const std::string& text, TextStyle style, Role role,
                double room) {
    style.size *= app.ui_scale;
    const double width = std::min(measure(text, style).width, room);
    draw_text(app, {.at = {row.x, row.middle},
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

void draw_steps(App& app, Row& row) {
    Session& session = app.session;
    if (session.lesson() == nullptr) return;
    const TextStyle style{};
    const std::string text = step_text(session);
    const int last = static_cast<int>(session.lesson()->steps.size()) - 1;
    if (place_button(
            app, row, "‹",
            {.enabled = session.step() > 0, .width = 30, .tip = "Page Up: the step before"}))
        session.previous();
    // As wide as the widest step, so that the arrows stay where they are.
    const double room = std::max(text_width(app, text, style), text_width(app, "★ 88 / 88", style));
    Row middle{row.x + (room - text_width(app, text, style)) / 2, row.middle};
    place_text(app, middle, text, style, Role::dim, room + 1);
    row.x += room + points(app, button_gap);
    if (place_button(app, row, "›",
                     {.enabled = session.step() < last || session.covered(),
                      .width = 30,
                      .tip = "Page Down: go on"}))
        session.next();
    row.x += points(app, 14);
}

void draw_undo(App& app, Row& row, const Narrow& narrow) {
    const auto undone = app.session.undo_name(), redone = app.session.redo_name();
    if (narrow.shows("Undo") &&
        place_button(app, row, "Undo",
                     {.enabled = undone.has_value(),
                      .tip = undone ? fmt::format("Ctrl+Z: {}", *undone) : ""}))
        app.session.undo();
    if (narrow.shows("Redo") &&
        place_button(app, row, "Redo",
                     {.enabled = redone.has_value(),
                      .tip = redone ? fmt::format("Ctrl+Y: {}", *redone) : ""}))
        app.session.redo();
    row.x += points(app, 14);
}

void draw_file_buttons(App& app, Row& row, const Narrow& narrow) {
    const auto pressed = [&](const char* text, const char* key) {
        return narrow.shows(text) && place_button(app, row, text, {.tip = key, .role = Role::dim});
    };
    if (pressed("New", "Ctrl+N")) press_key(app, GLFW_KEY_N);
    if (pressed("Open", "Ctrl+O")) press_key(app, GLFW_KEY_O);
    if (pressed("Save", "Ctrl+S")) press_key(app, GLFW_KEY_S);
    if (narrow.shows("Lesson") &&
        place_button(app, row, "Lesson",
                     {.outlined = app.ui.lesson_editor.has_value(),
                      .tip = "Ctrl+L: write a lesson from the bench",
                      .role = app.ui.lesson_editor ? Role::ink : Role::dim}))
        press_key(app, GLFW_KEY_L);
}

void cycle_theme(View& view) {
    switch (view.theme) {
        case ThemeKind::dark:
            view.theme = ThemeKind::light;
            return;
        case ThemeKind::light:
            view.theme = ThemeKind::high_contrast;
            return;
        default:
            view.theme = ThemeKind::dark;
    }
}

double button_width(const App& app, const std::string& text) {
    return text_width(app, text, {.weight = Weight::medium}) + points(app, 28);
}

void draw_right(App& app, Row& row) {
    if (place_button(app, row, "Theme", {.tip = "Dark, light, high contrast"}))
        cycle_theme(app.session.view());
    if (place_button(app, row, "Export Ctrl E", {.tip = "What is on the bench, as PNG"}))
        press_key(app, GLFW_KEY_E);
}

// What the title leaves room for: everything from the steps to the file buttons.
double middle_width(const App& app, const Narrow& narrow) {
    double width = 0;
    for (const std::string_view text : gives_way)
        if (narrow.shows(text))
            width += button_width(app, std::string(text)) + points(app, button_gap);
    if (app.session.lesson() != nullptr)
        width += points(app, 2 * 30 + 3 * button_gap + 14) + text_width(app, "★ 88 / 88", {});
    return width + points(app, 14 + 32);
}

}  // namespace

void draw_top_bar(App& app) {
    const Rect& rect = app.panels.top_bar;
    if (rect.h <= 0) return;
    begin_panel(app, "top bar", rect, {.padding = 0});
    draw_edge(app, rect, Edge::bottom);
    const double gap = points(app, button_gap), margin = points(app, side_room);
    Row right{rect.right() - margin - button_width(app, "Theme") - gap -
                  button_width(app, "Export Ctrl E"),
              rect.y + rect.h / 2};
    Row row{rect.x + margin, right.middle};
    const TextStyle name_style{.size = 15, .weight = Weight::bold};
    const double name_width = text_width(app, "Maskscope", name_style) + points(app, 18);
    Narrow narrow;
    double room = right.x - row.x - middle_width(app, narrow);
    while (room < 0 && narrow.gone < gives_way.size()) {
        ++narrow.gone;
        room = right.x - row.x - middle_width(app, narrow);
    }
    if (room >= name_width) {
        place_text(app, row, "Maskscope", name_style, Role::ink, rect.w);
        row.x += points(app, 18);
        room -= name_width;
    }
    if (room > points(app, 60)) {
        place_text(app, row, title_of(app.session), {.size = 14}, Role::dim, room);
        row.x += points(app, 32);
    }
    draw_steps(app, row);
    draw_undo(app, row, narrow);
    draw_file_buttons(app, row, narrow);
    draw_right(app, right);
    end_panel();
}

}  // namespace maskscope
