// Draws the bar along the top. On the left: the title's menu and the steps of the lesson. On the
// right, at fixed places: undo and redo, the panels, exporting, a menu for the rest, and
// presenting.

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

constexpr double button_height = 32, side_room = 20, button_gap = 8, icon_width = 34;  // points

// The parts on the right, in the order of drawing.
enum class Part { undo, redo, explore, export_figure, menu, present };
constexpr std::array part_words{"↶", "↷", "Explore", "Export", "⋯", "Present"};
// The parts that a narrow bar moves into the menu, in this order.
constexpr std::array gives_way{Part::export_figure, Part::explore, Part::redo, Part::undo};

// The number of parts in gives_way that a narrow bar omits, and whether it still shows the steps.
struct NarrowBar {
    std::size_t gone = 0;
    bool steps = true;
    bool shows(Part part) const {
        const auto* const end = gives_way.begin() + gone;
        return std::find(gives_way.begin(), end, part) == end;
    }
};

// Items that are placed side by side. x: where the next one begins; middle: the y of their middle.
struct Row {
    double x = 0, middle = 0;
};

void place(const Gui& gui, const Row& row, double height) {
    set_cursor(row.x, row.middle - points(gui, height) / 2);
}

// Moves to the right end of the last item, plus a gap.
void go_on(const Gui& gui, Row& row, double gap) {
    row.x = ImGui::GetItemRectMax().x + points(gui, gap);
}

bool place_button(Gui& gui, Row& row, const std::string& text, const ButtonOptions& options = {}) {
    place(gui, row, button_height);
    const bool pressed = button(gui, text, options);
    go_on(gui, row, button_gap);
    return pressed;
}

const Shortcut& shortcut_of(int key, int modifiers) {
    const auto all = shortcuts();
    return *std::ranges::find_if(all, [&](const Shortcut& shortcut) {
        return shortcut.key == key && shortcut.modifiers == modifiers;
    });
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

// --- the left end

std::string title_of(const Session& session) {
    const Lesson* lesson = session.lesson();
    if (lesson != nullptr) return lesson->title;
    if (!session.scene().title.empty()) return session.scene().title;
    const auto path = session.document().path();
    return path ? path->filename().string() : "untitled";
}

// Draws the title with an arrow. A press opens the list of lessons.
void draw_title(Gui& gui, const Session& session, Commands& commands, Row& row, double room) {
    const double arrow = points(gui, 18), inset = points(gui, 8);
    const std::string title = title_of(session);
    const double text =
        std::min(text_width(gui, title, {.size = 14}), std::max(1.0, room - arrow - 2 * inset));
    const double height = points(gui, button_height);
    const Rect area{row.x, row.middle - height / 2, text + arrow + 2 * inset, height};
    set_cursor(area.x, area.y);
    if (press_area(gui, "lessons", area.w, area.h)) commands.push_back(open_lessons);
    draw_raised(gui, area);
    tooltip(gui, lessons_words);
    Row inside{row.x + inset, row.middle};
    place_text(gui, inside, title, {.size = 14}, Role::ink, text);
    inside.x += points(gui, 6);
    place_text(gui, inside, "▾", {.size = 14}, Role::dim, arrow);
    row.x = area.right() + points(gui, 12);
}

void draw_steps(Gui& gui, Session& session, Row& row) {
    draw_step_dots(gui, session, {row.x, row.middle});
    row.x += step_dots_width(gui, session) + points(gui, 14);
}

// --- the menu

// The lines of a menu, and their actions.
struct Menu {
    std::vector<MenuLine> lines{};
    std::vector<WindowCommand> acts{};
    void add(MenuLine line, WindowCommand act) {
        lines.push_back(std::move(line));
        acts.push_back(std::move(act));
    }
    void add_key(std::string words, int key, int modifiers, std::string why_not = "") {
        const Shortcut& shortcut = shortcut_of(key, modifiers);
        add({.words = std::move(words),
             .keys = std::string(shortcut.keys),
             .why_not = std::move(why_not)},
            shortcut.act);
    }
    void begin_group(std::size_t from) {
        if (from < lines.size()) lines[from].below_line = true;
    }
};

// Adds the parts for which there is no space in the bar.
void add_narrow(Menu& menu, const Session& session, const Ui& ui, const NarrowBar& narrow) {
    constexpr int ctrl = GLFW_MOD_CONTROL;
    const std::size_t first = menu.lines.size();
    if (!narrow.steps && session.lesson() != nullptr) {
        menu.add_key("Next step", GLFW_KEY_PAGE_DOWN, 0, std::string(why_no_next_step(session)));
        menu.add_key("Previous step", GLFW_KEY_PAGE_UP, 0,
                     std::string(why_no_previous_step(session, ui)));
    }
    if (!narrow.shows(Part::undo))
        menu.add_key("Undo", GLFW_KEY_Z, ctrl, std::string(why_no_undo(session)));
    if (!narrow.shows(Part::redo))
        menu.add_key("Redo", GLFW_KEY_Y, ctrl, std::string(why_no_redo(session)));
    if (!narrow.shows(Part::explore)) menu.add({.words = "Show or hide the panels"}, explore);
    if (!narrow.shows(Part::export_figure)) menu.add_key("Export…", GLFW_KEY_E, ctrl);
    menu.begin_group(first);
}

void add_themes(Menu& menu, const WindowChoices& choices) {
    const std::size_t first = menu.lines.size();
    for (const auto& [words, theme] : theme_choices)
        menu.add({.words = fmt::format("{}Theme: {}", choices.theme == theme ? "✓ " : "", words),
                  .chosen = choices.theme == theme},
                 [theme = theme](App& app) { choose_theme(app, theme); });
    menu.add_key("Larger type", GLFW_KEY_EQUAL, GLFW_MOD_CONTROL);
    menu.add_key("Smaller type", GLFW_KEY_MINUS, GLFW_MOD_CONTROL);
    menu.begin_group(first);
}

Menu menu_of(const Session& session, const Ui& ui, const NarrowBar& narrow) {
    constexpr int ctrl = GLFW_MOD_CONTROL;
    Menu menu;
    menu.add_key("New scene", GLFW_KEY_N, ctrl);
    menu.add_key("Open…", GLFW_KEY_O, ctrl);
    if (!ui.overlays.find<StartPage>()) {
        menu.add_key("Save", GLFW_KEY_S, ctrl);
        menu.add_key("Save as…", GLFW_KEY_S, ctrl | GLFW_MOD_SHIFT);
        menu.add_key(ui.lesson_editor ? "Stop writing a lesson" : "Write a lesson", GLFW_KEY_L,
                     ctrl);
        menu.add({.words = "Test this mask", .why_not = std::string(why_not_yet(session))},
                 [](App& app) { open_mask_tests(app.session, app.ui); });
        add_narrow(menu, session, ui, narrow);
    }
    add_themes(menu, ui.choices);
    menu.add_key("Help", GLFW_KEY_F1, 0);
    menu.lines.back().below_line = true;
    return menu;
}

void draw_menu(Gui& gui, const Session& session, Ui& ui, Row& row, const NarrowBar& narrow) {
    const Menu menu = menu_of(session, ui, narrow);
    place(gui, row, button_height);
    const auto pressed = menu_button(gui, part_words[std::size_t(Part::menu)], menu.lines,
                                     {.width = icon_width, .tip = "Files, lessons, themes, help"});
    if (pressed) ui.commands.push_back(menu.acts[std::size_t(*pressed)]);
    row.x += points(gui, icon_width + button_gap);
}

// --- the right end

bool is_icon(Part part) { return part == Part::undo || part == Part::redo || part == Part::menu; }

double right_width(const Gui& gui, const NarrowBar& narrow) {
    double width = -points(gui, button_gap);
    for (std::size_t k = 0; k < part_words.size(); ++k)
        if (const auto part = static_cast<Part>(k); narrow.shows(part))
            width += points(gui, button_gap) +
                     (is_icon(part) ? points(gui, icon_width) : button_width(gui, part_words[k]));
    return width;
}

bool place_part(Gui& gui, Row& row, const NarrowBar& narrow, Part part, ButtonOptions options) {
    if (is_icon(part)) options.width = icon_width;
    return narrow.shows(part) &&
           place_button(gui, row, part_words[static_cast<std::size_t>(part)], options);
}

void draw_right(Gui& gui, Session& session, Ui& ui, Row& row, const NarrowBar& narrow) {
    const auto undone = session.document().undo_name(), redone = session.document().redo_name();
    if (place_part(gui, row, narrow, Part::undo,
                   {.enabled = undone.has_value(),
                    .tip = undone ? fmt::format("Ctrl+Z: undo “{}”", *undone) : ""}))
        session.undo();
    if (place_part(gui, row, narrow, Part::redo,
                   {.enabled = redone.has_value(),
                    .tip = redone ? fmt::format("Ctrl+Y: redo “{}”", *redone) : ""}))
        session.redo();
    if (place_part(gui, row, narrow, Part::explore,
                   {.outlined = explores(gui, ui),
                    .tip = "Show or hide the panels: tokens, mask rules and variants on the left, "
                           "the arithmetic of a cell on the right"}))
        ui.commands.push_back(explore);
    if (place_part(gui, row, narrow, Part::export_figure,
                   {.tip = "Export the current view as .png, .svg, .pdf or .csv (Ctrl+E)"}))
        ui.commands.push_back(shortcut_of(GLFW_KEY_E, GLFW_MOD_CONTROL).act);
    draw_menu(gui, session, ui, row, narrow);
    if (place_part(gui, row, narrow, Part::present,
                   {.filled = true, .tip = "Present in full screen (F5)"}))
        ui.commands.push_back(shortcut_of(GLFW_KEY_F5, 0).act);
}

// Draws the right part on the start page, where nothing can be undone, exported or presented.
void draw_right_of_start(Gui& gui, const Session& session, Ui& ui, const Rect& rect) {
    Row row{rect.right() - points(gui, side_room + 2 * icon_width + button_gap),
            rect.y + rect.h / 2};
    draw_menu(gui, session, ui, row, {});
    if (place_button(gui, row, "?", {.width = icon_width, .tip = "Keys and help (F1)"}))
        ui.commands.push_back(shortcut_of(GLFW_KEY_F1, 0).act);
}

}  // namespace

void draw_top_bar(Gui& gui, Session& session, Ui& ui, const Rect& rect) {
    if (rect.h <= 0) return;
    begin_panel(gui, "top bar", rect, {.padding = 0});
    draw_edge(gui, rect, Edge::bottom);
    const double margin = points(gui, side_room), least_title = points(gui, 120);
    Row row{rect.x + margin, rect.y + rect.h / 2};
    const TextStyle name_style{.size = 15, .weight = Weight::bold};
    const double name_width = text_width(gui, "Maskscope", name_style) + points(gui, 10);
    NarrowBar narrow;
    const auto room_for_title = [&] {
        return rect.right() - margin - right_width(gui, narrow) - row.x - points(gui, 28) -
               (narrow.steps ? step_dots_width(gui, session) : 0);
    };
    while (room_for_title() < least_title && narrow.gone < gives_way.size()) ++narrow.gone;
    narrow.steps = room_for_title() >= least_title / 2;
    double room = room_for_title();
    if (room >= name_width + least_title || ui.overlays.find<StartPage>()) {
        place_text(gui, row, "Maskscope", name_style, Role::ink, rect.w);
        row.x += points(gui, 10);
        room -= name_width;
    }
    if (ui.overlays.find<StartPage>()) {
        draw_right_of_start(gui, session, ui, rect);
    } else {
        draw_title(gui, session, ui.commands, row, std::max(room, points(gui, 40)));
        if (narrow.steps) draw_steps(gui, session, row);
        Row right{rect.right() - margin - right_width(gui, narrow), row.middle};
        draw_right(gui, session, ui, right, narrow);
    }
    end_panel();
}

}  // namespace maskscope
