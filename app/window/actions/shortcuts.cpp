#include "app/window/actions/shortcuts.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/actions/bench_tensors.h"
#include "app/window/actions/presenting_keys.h"
#include "app/window/widgets/focus.h"

namespace maskscope {
namespace {

constexpr int none = 0, ctrl = GLFW_MOD_CONTROL, shift = GLFW_MOD_SHIFT, alt = GLFW_MOD_ALT;
constexpr When always = When::always, bench = When::bench, presenting = When::presenting;

// Stages are counted as they stand, from 1; stage 0 is the mask.
template <int k>
void stage(App& app) {
    show_or_hide_stage(app, static_cast<StageKind>(k));
}
template <int k>
std::string_view no_stage(const App& app) {
    return why_no_stage(app, static_cast<StageKind>(k));
}
template <int h>
void head(App& app) {
    show_head(app, h - 1);
}
template <int h>
std::string_view no_head(const App& app) {
    return why_no_head(app, h - 1);
}

// Space and Enter belong to the control that has the focus, else to the cell cursor.
void press_or_toggle(App& app) {
    if (anything_has_focus(app))
        press_focused(app);
    else
        toggle_cursor_cell(app);
}

void press_or_type(App& app) {
    if (anything_has_focus(app))
        press_focused(app);
    else
        ask_for_number_at_cursor(app);
}

constexpr auto lesson = Group::lesson;
constexpr std::array lesson_keys{
    Shortcut{GLFW_KEY_PAGE_DOWN, none, "Page Down", "answer, or next step", next_step, always,
             lesson, why_no_next_step},
    Shortcut{GLFW_KEY_PAGE_UP, none, "Page Up", "previous step", previous_step, always, lesson,
             why_no_previous_step},
    Shortcut{GLFW_KEY_PAGE_DOWN, shift, "Shift+Page Down", "the next step with a star", next_star,
             always, lesson, why_no_next_star},
    Shortcut{GLFW_KEY_PAGE_UP, shift, "Shift+Page Up", "the step with a star before", previous_star,
             always, lesson, why_no_previous_star},
    Shortcut{GLFW_KEY_R, none, "R", "restore the step", restore_step, always, lesson,
             why_no_lesson},
    Shortcut{GLFW_KEY_L, ctrl, "Ctrl+L", "write a lesson, and back", toggle_lesson_editor, bench,
             lesson},
    Shortcut{GLFW_KEY_UP, alt, "Alt+Up", "writing: move the step up", move_lesson_step_up, bench,
             lesson, why_no_writing, "writing: move the step"},
    Shortcut{GLFW_KEY_DOWN, alt, "Alt+Down", "writing: move the step down", move_lesson_step_down,
             bench, lesson, why_no_writing, "writing: move the step"},
};

constexpr auto cells = Group::cells;
constexpr std::string_view cursor = "move the cell cursor";
constexpr std::array cell_keys{
    Shortcut{GLFW_KEY_UP, none, "Up", "cell cursor up", cursor_up, bench, cells, nullptr, cursor},
    Shortcut{GLFW_KEY_DOWN, none, "Down", "cell cursor down", cursor_down, bench, cells, nullptr,
             cursor},
    Shortcut{GLFW_KEY_LEFT, none, "Left", "cell cursor left", cursor_left, bench, cells, nullptr,
             cursor},
    Shortcut{GLFW_KEY_RIGHT, none, "Right", "cell cursor right", cursor_right, bench, cells,
             nullptr, cursor},
    Shortcut{GLFW_KEY_SPACE, none, "Space", "block or allow the cell", press_or_toggle, always,
             cells},
    Shortcut{GLFW_KEY_ENTER, none, "Enter", "type the number of the cell", press_or_type, bench,
             cells},
    Shortcut{GLFW_KEY_Q, none, "Q", "fold out Q, then on to K, V, and back", step_through_tensors,
             bench, cells},
};

constexpr auto tokens = Group::tokens;
constexpr std::string_view select = "select a token", move = "move the selected token";
constexpr std::array token_keys{
    Shortcut{GLFW_KEY_LEFT, ctrl, "Ctrl+Left", "select the token before", select_token_before,
             bench, tokens, nullptr, select},
    Shortcut{GLFW_KEY_RIGHT, ctrl, "Ctrl+Right", "select the next token", select_next_token, bench,
             tokens, nullptr, select},
    Shortcut{GLFW_KEY_F2, none, "F2", "rename the selected token", rename_selected_token, bench,
             tokens, why_no_token},
    Shortcut{GLFW_KEY_LEFT, alt, "Alt+Left", "move the selected token back", move_token_back, bench,
             tokens, why_no_token, move},
    Shortcut{GLFW_KEY_RIGHT, alt, "Alt+Right", "move the selected token on", move_token_on, bench,
             tokens, why_no_token, move},
    Shortcut{GLFW_KEY_P, none, "P", "a pad of the selected token, and back", pad_selected_token,
             bench, tokens, why_no_token},
    Shortcut{GLFW_KEY_INSERT, none, "Insert", "a token after the selected",
             insert_after_selected_token, bench, tokens, why_no_token},
    Shortcut{GLFW_KEY_DELETE, none, "Delete", "delete the selected token", delete_selected_token,
             bench, tokens, why_no_token},
};

constexpr auto lanes = Group::lanes;
constexpr std::string_view lane = "open the settings of a lane",
                           some_stage = "show or hide a stage",
                           some_head = "jump to a head, and back";
constexpr std::array lane_keys{
    Shortcut{GLFW_KEY_UP, ctrl, "Ctrl+Up", "open the lane before", choose_lane_before, bench, lanes,
             nullptr, lane},
    Shortcut{GLFW_KEY_DOWN, ctrl, "Ctrl+Down", "open the next lane", choose_next_lane, bench, lanes,
             nullptr, lane},
    Shortcut{GLFW_KEY_1, alt, "Alt+1", "show or hide the scores", stage<1>, bench, lanes,
             no_stage<1>, some_stage},
    Shortcut{GLFW_KEY_2, alt, "Alt+2", "show or hide the scaled scores", stage<2>, bench, lanes,
             no_stage<2>, some_stage},
    Shortcut{GLFW_KEY_3, alt, "Alt+3", "show or hide what goes into the softmax", stage<3>, bench,
             lanes, no_stage<3>, some_stage},
    Shortcut{GLFW_KEY_4, alt, "Alt+4", "show or hide the softmax", stage<4>, bench, lanes,
             no_stage<4>, some_stage},
    Shortcut{GLFW_KEY_5, alt, "Alt+5", "show or hide the weights", stage<5>, bench, lanes,
             no_stage<5>, some_stage},
    Shortcut{GLFW_KEY_6, alt, "Alt+6", "show or hide the output", stage<6>, bench, lanes,
             no_stage<6>, some_stage},
    Shortcut{GLFW_KEY_7, alt, "Alt+7", "show or hide the sensitivity", stage<7>, bench, lanes,
             no_stage<7>, some_stage},
    Shortcut{GLFW_KEY_1, none, "1", "jump to head 1", head<1>, bench, lanes, no_head<1>, some_head},
    Shortcut{GLFW_KEY_2, none, "2", "jump to head 2", head<2>, bench, lanes, no_head<2>, some_head},
    Shortcut{GLFW_KEY_3, none, "3", "jump to head 3", head<3>, bench, lanes, no_head<3>, some_head},
    Shortcut{GLFW_KEY_4, none, "4", "jump to head 4", head<4>, bench, lanes, no_head<4>, some_head},
    Shortcut{GLFW_KEY_5, none, "5", "jump to head 5", head<5>, bench, lanes, no_head<5>, some_head},
    Shortcut{GLFW_KEY_6, none, "6", "jump to head 6", head<6>, bench, lanes, no_head<6>, some_head},
    Shortcut{GLFW_KEY_7, none, "7", "jump to head 7", head<7>, bench, lanes, no_head<7>, some_head},
    Shortcut{GLFW_KEY_8, none, "8", "jump to head 8", head<8>, bench, lanes, no_head<8>, some_head},
    Shortcut{GLFW_KEY_9, none, "9", "jump to head 9", head<9>, bench, lanes, no_head<9>, some_head},
};

constexpr auto view = Group::view;
constexpr std::array view_keys{
    Shortcut{GLFW_KEY_TAB, ctrl, "Ctrl+Tab", "next view", next_tab, bench, view},
    Shortcut{GLFW_KEY_TAB, ctrl | shift, "Ctrl+Shift+Tab", "view before", tab_before, bench, view},
    Shortcut{GLFW_KEY_1, ctrl, "Ctrl+1", "fold the left panel, and back", fold_sidebar, bench,
             view},
    Shortcut{GLFW_KEY_2, ctrl, "Ctrl+2", "fold the right panel, and back", fold_inspector, bench,
             view},
};

constexpr auto file = Group::file;
constexpr std::array file_keys{
    Shortcut{GLFW_KEY_Z, ctrl, "Ctrl+Z", "undo", undo, always, file, why_no_undo},
    Shortcut{GLFW_KEY_Z, ctrl | shift, "Ctrl+Shift+Z", "redo", redo, always, file, why_no_redo,
             "redo"},
    Shortcut{GLFW_KEY_Y, ctrl, "Ctrl+Y", "redo", redo, always, file, why_no_redo, "redo"},
    Shortcut{GLFW_KEY_N, ctrl, "Ctrl+N", "new scene", new_scene, bench, file},
    Shortcut{GLFW_KEY_O, ctrl, "Ctrl+O", "open a scene or a lesson", open_file, bench, file},
    Shortcut{GLFW_KEY_S, ctrl, "Ctrl+S", "save", save, bench, file},
    Shortcut{GLFW_KEY_S, ctrl | shift, "Ctrl+Shift+S", "save as", save_as, bench, file},
    Shortcut{GLFW_KEY_E, ctrl, "Ctrl+E", "export the bench as PNG", export_png, bench, file},
};

constexpr auto room = Group::presenting;
constexpr std::string_view begin = "present, and back", step_or_field = "step; what if: the field",
                           value = "what if: the value", ring = "move the cell cursor",
                           blank = "blank the screen, and back";
constexpr std::array presenting_keys{
    Shortcut{GLFW_KEY_F5, none, "F5", "present, and back", present, always, room, nullptr, begin},
    Shortcut{GLFW_KEY_F11, none, "F11", "present, and back", present, always, room, nullptr, begin},
    Shortcut{GLFW_KEY_LEFT, none, "Left", "previous step; in the what-if line the field before",
             present_left, presenting, room, nullptr, step_or_field},
    Shortcut{GLFW_KEY_RIGHT, none, "Right", "next step; in the what-if line the next field",
             present_right, presenting, room, nullptr, step_or_field},
    Shortcut{GLFW_KEY_TAB, none, "Tab", "open and close the what-if line", toggle_what_if,
             presenting, room},
    Shortcut{GLFW_KEY_UP, none, "Up", "what if: the value before", present_up, presenting, room,
             nullptr, value},
    Shortcut{GLFW_KEY_DOWN, none, "Down", "what if: the next value", present_down, presenting, room,
             nullptr, value},
    Shortcut{GLFW_KEY_UP, shift, "Shift+Up", "cell cursor up", cursor_up, always, room, nullptr,
             ring},
    Shortcut{GLFW_KEY_DOWN, shift, "Shift+Down", "cell cursor down", cursor_down, always, room,
             nullptr, ring},
    Shortcut{GLFW_KEY_LEFT, shift, "Shift+Left", "cell cursor left", cursor_left, always, room,
             nullptr, ring},
    Shortcut{GLFW_KEY_RIGHT, shift, "Shift+Right", "cell cursor right", cursor_right, always, room,
             nullptr, ring},
    Shortcut{GLFW_KEY_L, none, "L", "dim all but the focus row", toggle_spotlight, presenting,
             room},
    Shortcut{GLFW_KEY_B, none, "B", "blank the screen, and back", toggle_blank, presenting, room,
             nullptr, blank},
    Shortcut{GLFW_KEY_PERIOD, none, ".", "blank the screen, and back", toggle_blank, presenting,
             room, nullptr, blank},
};

constexpr auto control = Group::control;
constexpr std::string_view sheet = "this sheet of keys, and back",
                           walk = "go from control to control";
constexpr std::array control_keys{
    Shortcut{GLFW_KEY_P, ctrl | shift, "Ctrl+Shift+P", "all commands by their words", open_palette,
             bench, control},
    Shortcut{0, none, "?", sheet, open_key_help, always, control, nullptr, sheet, "?"},
    Shortcut{GLFW_KEY_F1, none, "F1", sheet, open_key_help, always, control, nullptr, sheet},
    Shortcut{GLFW_KEY_TAB, none, "Tab", "next control", focus_next, bench, control, nullptr, walk},
    Shortcut{GLFW_KEY_TAB, shift, "Shift+Tab", "control before", focus_before, bench, control,
             nullptr, walk},
    Shortcut{GLFW_KEY_ESCAPE, none, "Escape", "lead out, one thing a press", lead_out, always,
             control},
};

template <std::size_t... sizes>
constexpr auto joined(const std::array<Shortcut, sizes>&... parts) {
    std::array<Shortcut, (sizes + ...)> all{};
    auto* at = all.data();
    ((at = std::copy(parts.begin(), parts.end(), at)), ...);
    return all;
}
constexpr auto table = joined(lesson_keys, cell_keys, token_keys, lane_keys, view_keys, file_keys,
                              presenting_keys, control_keys);

constexpr std::array mouse{
    Gesture{"Click, drag in the mask", "block or allow cells"},
    Gesture{"Click a token of it", "block or allow its row or column"},
    Gesture{"Click elsewhere", "pin the cell for the inspector"},
    Gesture{"Alt+click", "block or allow in any heatmap"},
    Gesture{"Wheel", "zoom all heatmaps together"},
    Gesture{"Middle drag, Ctrl+drag", "pan"},
    Gesture{"Double click beside them", "show all again"},
    Gesture{"Double click a number", "type another"},
    Gesture{"Double click a token", "rename it"},
    Gesture{"Drag a token", "move it"},
    Gesture{"Click, Ctrl+click on heads", "enlarge one; compare two"},
};

bool acts_in(const Shortcut& shortcut, bool presenting) {
    return shortcut.when == When::always || (shortcut.when == When::presenting) == presenting;
}

const Shortcut* shortcut_of(int key, int modifiers, bool presenting) {
    const int known = modifiers & (ctrl | shift | alt | GLFW_MOD_SUPER);
    if (key == GLFW_KEY_KP_ENTER) key = GLFW_KEY_ENTER;
    const auto* found = std::find_if(table.begin(), table.end(), [&](const Shortcut& s) {
        return s.typed.empty() && s.key == key && s.modifiers == known && acts_in(s, presenting);
    });
    return found == table.end() ? nullptr : found;
}

// Keys that a text field takes for itself.
bool belongs_to_field(const Shortcut& shortcut) {
    const bool moves_caret = shortcut.key == GLFW_KEY_LEFT || shortcut.key == GLFW_KEY_RIGHT;
    return (shortcut.modifiers & ctrl) == 0 || shortcut.key == GLFW_KEY_Z || moves_caret;
}

void use_key(App& app, const Shortcut& shortcut) {
    if (!app.ui.editing) {
        shortcut.act(app);
    } else if (!belongs_to_field(shortcut)) {
        app.ui.editing->leave = true;  // what was typed counts for what follows
        app.ui.waiting = shortcut.act;
    }
}

// What is typed into no field.
void use_typed(App& app) {
    if (app.ui.editing) return;
    for (const Shortcut& s : table)
        if (!s.typed.empty() && app.now.text == s.typed &&
            acts_in(s, app.ui.presenting.has_value()))
            s.act(app);
}

}  // namespace

std::string_view heading_of(Group group) {
    static constexpr std::array<std::string_view, group_count> headings = {
        "Lesson", "Cells", "Tokens",     "Lanes, stages and heads",
        "View",   "File",  "Presenting", "Everywhere"};
    return headings[static_cast<std::size_t>(group)];
}

std::span<const Shortcut> shortcuts() { return table; }
std::span<const Gesture> gestures() { return mouse; }

void use_shortcuts(App& app) {
    if (const auto waiting = std::exchange(app.ui.waiting, nullptr)) waiting(app);
    const bool above = app.ui.question || app.ui.palette || app.ui.key_help_open || app.ui.list;
    if (above) return;  // keys of their own
    use_typed(app);
    for (const int key : app.now.pressed)
        if (const Shortcut* shortcut =
                shortcut_of(key, app.now.modifiers, app.ui.presenting.has_value()))
            use_key(app, *shortcut);
}

}  // namespace maskscope
