#include "app/window/actions/shortcuts.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/widgets/focus.h"

namespace maskscope {
namespace {

using Purpose = PathLine::Purpose;
constexpr int none = 0, ctrl = GLFW_MOD_CONTROL, shift = GLFW_MOD_SHIFT, alt = GLFW_MOD_ALT;
constexpr KeyScope always = KeyScope::always, bench = KeyScope::bench,
                   presenting = KeyScope::presenting;

// Handle Space and Enter. They press the control that has the focus. If none has it, Space acts on
// the cell cursor, and Enter answers the step's question, or types a number at the cell cursor.
void press_or_toggle(Gui& gui, Session& session, const BenchState& bench,
                     const SidebarState& sidebar, const std::optional<Presenting>& presenting) {
    if (anything_has_focus(gui))
        press_focused(gui);
    else
        toggle_cursor_cell(session, bench, sidebar, presenting);
}

void press_or_type(Gui& gui, Session& session, BenchState& bench) {
    if (anything_has_focus(gui))
        press_focused(gui);
    else if (!may_explore(session))
        answer_or_show(gui, session);
    else
        ask_for_number_at_cursor(session, bench);
}

constexpr auto lesson = Group::lesson;
constexpr std::array lesson_keys{
    Shortcut{GLFW_KEY_PAGE_DOWN, none, "Page Down", "show the answer, then the next step",
             on<go_on, 1>, always, lesson, on<why_not_on>},
    Shortcut{GLFW_KEY_PAGE_UP, none, "Page Up", "previous step", on<go_on, -1>, always, lesson,
             on<why_no_previous_step>},
    Shortcut{GLFW_KEY_PAGE_DOWN, shift, "Shift+Page Down", "next starred step", on<go_to_star, 1>,
             always, lesson, on<why_no_star, 1>},
    Shortcut{GLFW_KEY_PAGE_UP, shift, "Shift+Page Up", "previous starred step", on<go_to_star, -1>,
             always, lesson, on<why_no_star, -1>},
    Shortcut{GLFW_KEY_R, none, "R", "restore the step", on<&Session::restore_step>, always, lesson,
             on<why_no_lesson>},
    Shortcut{GLFW_KEY_L, ctrl, "Ctrl+L", "write a lesson, or stop", on<toggle_lesson_editor>, bench,
             lesson},
    Shortcut{GLFW_KEY_UP, alt, "Alt+Up", "writing: move the step up", on<move_shown_step, -1>,
             bench, lesson, on<why_no_writing>, "writing: move the step"},
    Shortcut{GLFW_KEY_DOWN, alt, "Alt+Down", "writing: move the step down", on<move_shown_step, 1>,
             bench, lesson, on<why_no_writing>, "writing: move the step"},
};

constexpr auto cells = Group::cells;
constexpr std::string_view cursor = "move the cell cursor";
constexpr std::array cell_keys{
    Shortcut{GLFW_KEY_UP, none, "Up", "cell cursor up", on<move_cursor, -1, 0>, bench, cells,
             nullptr, cursor},
    Shortcut{GLFW_KEY_DOWN, none, "Down", "cell cursor down", on<move_cursor, 1, 0>, bench, cells,
             nullptr, cursor},
    Shortcut{GLFW_KEY_LEFT, none, "Left", "cell cursor left", on<move_cursor, 0, -1>, bench, cells,
             nullptr, cursor},
    Shortcut{GLFW_KEY_RIGHT, none, "Right", "cell cursor right", on<move_cursor, 0, 1>, bench,
             cells, nullptr, cursor},
    Shortcut{GLFW_KEY_SPACE, none, "Space", "block or allow the cell", on<press_or_toggle>, always,
             cells},
    Shortcut{GLFW_KEY_ENTER, none, "Enter", "type a number, or an answer", on<press_or_type>, bench,
             cells},
    Shortcut{GLFW_KEY_Q, none, "Q", "show Q, K and V", on<step_through_tensors>, bench, cells},
};

constexpr auto tokens = Group::tokens;
constexpr std::string_view select = "select a token", move = "move the selected token";
constexpr std::array token_keys{
    Shortcut{GLFW_KEY_LEFT, ctrl, "Ctrl+Left", "select the previous token", on<select_token, -1>,
             bench, tokens, nullptr, select},
    Shortcut{GLFW_KEY_RIGHT, ctrl, "Ctrl+Right", "select the next token", on<select_token, 1>,
             bench, tokens, nullptr, select},
    Shortcut{GLFW_KEY_F2, none, "F2", "rename the selected token", on<rename_selected_token>, bench,
             tokens, on<why_no_token>},
    Shortcut{GLFW_KEY_LEFT, alt, "Alt+Left", "move the selected token back",
             on<move_selected_token, -1>, bench, tokens, on<why_no_token>, move},
    Shortcut{GLFW_KEY_RIGHT, alt, "Alt+Right", "move the selected token forward",
             on<move_selected_token, 1>, bench, tokens, on<why_no_token>, move},
    Shortcut{GLFW_KEY_P, none, "P", "make the token padding, or undo that", on<pad_selected_token>,
             bench, tokens, on<why_no_token>},
    Shortcut{GLFW_KEY_INSERT, none, "Insert", "insert a token after the selected one",
             on<insert_after_selected_token>, bench, tokens, on<why_no_token>},
    Shortcut{GLFW_KEY_DELETE, none, "Delete", "delete the selected token",
             on<delete_selected_token>, bench, tokens, on<why_no_token>},
};

constexpr auto variants = Group::variants;
constexpr std::string_view variant = "open the settings of a variant",
                           some_stage = "show or hide a stage",
                           some_head = "show one head, or all again";
template <int k>
constexpr Shortcut stage_key(std::string_view keys, std::string_view what) {
    return {GLFW_KEY_0 + k,
            alt,
            keys,
            what,
            on<show_or_hide_stage, StageKind(k)>,
            bench,
            variants,
            on<why_no_stage, StageKind(k)>,
            some_stage};
}
template <int k>
constexpr Shortcut head_key(std::string_view keys, std::string_view what) {
    return {GLFW_KEY_0 + k,         none,     keys, what, on<show_head, k - 1>, bench, variants,
            on<why_no_head, k - 1>, some_head};
}
constexpr std::array variant_keys{
    Shortcut{GLFW_KEY_UP, ctrl, "Ctrl+Up", "open the previous variant", on<turn_variant, -1>, bench,
             variants, nullptr, variant},
    Shortcut{GLFW_KEY_DOWN, ctrl, "Ctrl+Down", "open the next variant", on<turn_variant, 1>, bench,
             variants, nullptr, variant},
    Shortcut{GLFW_KEY_B, alt, "Alt+B", "regroup the mask rules in a new variant",
             on<show_other_bracket>, bench, variants, on<why_no_bracket>},
    stage_key<1>("Alt+1", "show or hide the scores"),
    stage_key<2>("Alt+2", "show or hide the scaled scores"),
    stage_key<3>("Alt+3", "show or hide the softmax input"),
    stage_key<4>("Alt+4", "show or hide the softmax output"),
    stage_key<5>("Alt+5", "show or hide the weights"),
    stage_key<6>("Alt+6", "show or hide the output"),
    stage_key<7>("Alt+7", "show or hide the sensitivity"),
    stage_key<8>("Alt+8", "show or hide the influence"),
    head_key<1>("1", "jump to head 1"),
    head_key<2>("2", "jump to head 2"),
    head_key<3>("3", "jump to head 3"),
    head_key<4>("4", "jump to head 4"),
    head_key<5>("5", "jump to head 5"),
    head_key<6>("6", "jump to head 6"),
    head_key<7>("7", "jump to head 7"),
    head_key<8>("8", "jump to head 8"),
    head_key<9>("9", "jump to head 9"),
};

constexpr auto view = Group::view;
constexpr std::array view_keys{
    Shortcut{GLFW_KEY_TAB, ctrl, "Ctrl+Tab", "next view", on<turn_tab, 1>, bench, view},
    Shortcut{GLFW_KEY_TAB, ctrl | shift, "Ctrl+Shift+Tab", "previous view", on<turn_tab, -1>, bench,
             view},
    Shortcut{GLFW_KEY_1, ctrl, "Ctrl+1", "show or hide the left panel", on<fold_sidebar>, bench,
             view},
    Shortcut{GLFW_KEY_2, ctrl, "Ctrl+2", "show or hide the right panel", on<fold_inspector>, bench,
             view},
    Shortcut{GLFW_KEY_EQUAL, ctrl, "Ctrl+=", "larger type", larger_type, bench, view, nullptr,
             "larger type"},
    Shortcut{GLFW_KEY_EQUAL, ctrl | shift, "Ctrl++", "larger type", larger_type, bench, view,
             nullptr, "larger type"},
    Shortcut{GLFW_KEY_MINUS, ctrl, "Ctrl+−", "smaller type", smaller_type, bench, view},
};

constexpr auto file = Group::file;
constexpr std::array file_keys{
    Shortcut{GLFW_KEY_Z, ctrl, "Ctrl+Z", "undo", on<&Session::undo>, always, file, on<why_no_undo>},
    Shortcut{GLFW_KEY_Z, ctrl | shift, "Ctrl+Shift+Z", "redo", on<&Session::redo>, always, file,
             on<why_no_redo>, "redo"},
    Shortcut{GLFW_KEY_Y, ctrl, "Ctrl+Y", "redo", on<&Session::redo>, always, file, on<why_no_redo>,
             "redo"},
    Shortcut{GLFW_KEY_N, ctrl, "Ctrl+N", "new scene", new_scene, bench, file},
    Shortcut{GLFW_KEY_O, ctrl, "Ctrl+O", "open a scene or a lesson", open_file, bench, file},
    Shortcut{GLFW_KEY_S, ctrl, "Ctrl+S", "save", on<save>, bench, file},
    Shortcut{GLFW_KEY_S, ctrl | shift, "Ctrl+Shift+S", "save as",
             on<open_path_line, Purpose::save_as>, bench, file},
    Shortcut{GLFW_KEY_E, ctrl, "Ctrl+E", "export a figure", on<open_export_sheet>, bench, file},
    Shortcut{GLFW_KEY_C, ctrl, "Ctrl+C", "copy the picture", on<copy_remembered_figure>, bench,
             file},
    Shortcut{GLFW_KEY_C, ctrl | shift, "Ctrl+Shift+C", "copy the numbers of a heatmap",
             on<copy_numbers>, bench, file},
};

constexpr auto room = Group::presenting;
constexpr std::string_view begin = "start or stop presenting",
                           step_or_field = "step; what-if line: the field",
                           value = "what-if line: the value", ring = "move the cell cursor",
                           blank = "black out the screen";
constexpr std::array presenting_keys{
    Shortcut{GLFW_KEY_F5, none, "F5", "start or stop presenting", present, always, room, nullptr,
             begin},
    Shortcut{GLFW_KEY_F11, none, "F11", "start or stop presenting", present, always, room, nullptr,
             begin},
    Shortcut{GLFW_KEY_ENTER, none, "Enter", "answer; “B: 12” counts hands", on<answer_or_stay>,
             presenting, room},
    Shortcut{GLFW_KEY_LEFT, none, "Left",
             "previous token or step; in the what-if line the previous field", on<turn_or_step, -1>,
             presenting, room, nullptr, step_or_field},
    Shortcut{GLFW_KEY_RIGHT, none, "Right",
             "next token or step; in the what-if line the next field", on<turn_or_step, 1>,
             presenting, room, nullptr, step_or_field},
    Shortcut{GLFW_KEY_TAB, none, "Tab", "open and close the what-if line", on<toggle_what_if>,
             presenting, room},
    Shortcut{GLFW_KEY_UP, none, "Up", "what-if line: the previous value", on<turn_value, -1>,
             presenting, room, nullptr, value},
    Shortcut{GLFW_KEY_DOWN, none, "Down", "what-if line: the next value", on<turn_value, 1>,
             presenting, room, nullptr, value},
    Shortcut{GLFW_KEY_UP, shift, "Shift+Up", "cell cursor up", on<move_cursor, -1, 0>, always, room,
             nullptr, ring},
    Shortcut{GLFW_KEY_DOWN, shift, "Shift+Down", "cell cursor down", on<move_cursor, 1, 0>, always,
             room, nullptr, ring},
    Shortcut{GLFW_KEY_LEFT, shift, "Shift+Left", "cell cursor left", on<move_cursor, 0, -1>, always,
             room, nullptr, ring},
    Shortcut{GLFW_KEY_RIGHT, shift, "Shift+Right", "cell cursor right", on<move_cursor, 0, 1>,
             always, room, nullptr, ring},
    Shortcut{GLFW_KEY_L, none, "L", "dim the rows not in focus", on<toggle_spotlight>, presenting,
             room},
    Shortcut{GLFW_KEY_B, none, "B", "black out the screen", on<toggle_blank>, presenting, room,
             nullptr, blank},
    Shortcut{GLFW_KEY_PERIOD, none, ".", "black out the screen", on<toggle_blank>, presenting, room,
             nullptr, blank},
    Shortcut{GLFW_KEY_N, none, "N", "show the notes", on<toggle_presenting_notes>, presenting,
             room},
    Shortcut{GLFW_KEY_H, none, "H", "list these keys", on<toggle_presenting_keys>, presenting,
             room},
};

constexpr auto control = Group::control;
constexpr std::string_view help = "show or hide this help", walk = "move between controls";
constexpr std::array control_keys{
    Shortcut{GLFW_KEY_P, ctrl | shift, "Ctrl+Shift+P", "find any command", open_palette, bench,
             control},
    Shortcut{0, none, "?", help, on<toggle_key_help>, always, control, nullptr, help, "?"},
    Shortcut{GLFW_KEY_F1, none, "F1", help, on<toggle_key_help>, always, control, nullptr, help},
    Shortcut{GLFW_KEY_TAB, none, "Tab", "next control", on<focus_next>, bench, control, nullptr,
             walk},
    Shortcut{GLFW_KEY_TAB, shift, "Shift+Tab", "previous control", on<focus_before>, bench, control,
             nullptr, walk},
    Shortcut{GLFW_KEY_ESCAPE, none, "Escape", "close what is open, one by one", escape, always,
             control},
};

template <std::size_t... sizes>
constexpr auto joined(const std::array<Shortcut, sizes>&... parts) {
    std::array<Shortcut, (sizes + ...)> all{};
    auto* at = all.data();
    ((at = std::copy(parts.begin(), parts.end(), at)), ...);
    return all;
}
constexpr auto table = joined(lesson_keys, cell_keys, token_keys, variant_keys, view_keys,
                              file_keys, presenting_keys, control_keys);

constexpr std::array mouse{
    Gesture{"Click, drag in the mask", "block or allow cells"},
    Gesture{"Drag an edge in the mask", "resize a window, chunk, sinks, …"},
    Gesture{"Click a token beside it", "block or allow its row or column"},
    Gesture{"Click elsewhere", "pin the cell for the inspector"},
    Gesture{"Alt+click", "block or allow in any heatmap"},
    Gesture{"Wheel, Shift+wheel", "scroll down, sideways"},
    Gesture{"Ctrl+wheel", "zoom all heatmaps together"},
    Gesture{"Middle drag, Ctrl+drag", "pan"},
    Gesture{"Double-click background", "fit all heatmaps"},
    Gesture{"Double-click a number", "edit it"},
    Gesture{"Double-click a token", "rename it"},
    Gesture{"Drag a token", "move it"},
    Gesture{"Click, Ctrl+click on heads", "enlarge one; compare two"},
};

// True if the key acts on the start page, which itself handles movement between its panels.
bool acts_on_start(const Shortcut& shortcut) {
    return shortcut.act == open_file || shortcut.act == new_scene || shortcut.act == open_palette ||
           shortcut.act == escape || shortcut.act == on<toggle_key_help>;
}

bool acts_in(const Shortcut& shortcut, bool presenting) {
    return shortcut.when == KeyScope::always ||
           (shortcut.when == KeyScope::presenting) == presenting;
}

const Shortcut* shortcut_of(int key, int modifiers, bool presenting) {
    const int known = modifiers & (ctrl | shift | alt | GLFW_MOD_SUPER);
    if (key == GLFW_KEY_KP_ENTER) key = GLFW_KEY_ENTER;
    const auto* found = std::find_if(table.begin(), table.end(), [&](const Shortcut& s) {
        return s.typed.empty() && s.key == key && s.modifiers == known && acts_in(s, presenting);
    });
    return found == table.end() ? nullptr : found;
}

// True for keys that a text field handles itself. Page keys in the field for an answer are not
// among them: a presenter's clicker sends them, and they end the typing.
bool belongs_to_field(const Shortcut& shortcut, const std::string& id) {
    const bool moves_caret = shortcut.key == GLFW_KEY_LEFT || shortcut.key == GLFW_KEY_RIGHT;
    const bool turns_page = shortcut.key == GLFW_KEY_PAGE_UP || shortcut.key == GLFW_KEY_PAGE_DOWN;
    if (turns_page && id == answer_field) return false;
    const bool edits = shortcut.key == GLFW_KEY_Z || shortcut.key == GLFW_KEY_C;
    return (shortcut.modifiers & ctrl) == 0 || edits || moves_caret;
}

}  // namespace

std::string_view heading_of(Group group) {
    static constexpr std::array<std::string_view, group_count> headings = {
        "Lesson", "Cells", "Tokens",     "Variants, stages and heads",
        "View",   "File",  "Presenting", "Everywhere"};
    return headings[static_cast<std::size_t>(group)];
}

std::span<const Shortcut> shortcuts() { return table; }
std::span<const Gesture> gestures() { return mouse; }

void use_shortcuts(App& app) {
    const Input& now = app.gui.now;
    Ui& ui = app.ui;
    const bool presenting = ui.presenting.has_value(), starts = ui.overlays.top<StartPage>();
    const auto* line = ui.overlays.top<PathLine>();
    const bool asks = line && (!line->conflicts.empty() || line->purpose == Purpose::tokens);
    if (app.gui.list) return;  // it gets the keys
    if ((ui.overlays.layer() > 0 && !starts && !line) || asks) {
        // The overlay uses all other keys itself. In the tensors, Escape leaves a field first.
        const bool leaves_field = app.gui.editing && ui.overlays.top<TensorSheet>();
        if (was_pressed(app.gui, GLFW_KEY_ESCAPE) && !leaves_field) ui.overlays.close_top();
        return;
    }
    if (!app.gui.editing)
        for (const Shortcut& s : table)
            if (!s.typed.empty() && now.text == s.typed && acts_in(s, presenting)) s.act(app);
    for (const int key : now.pressed) {
        const Shortcut* shortcut = shortcut_of(key, now.modifiers, ui.presenting.has_value());
        if (shortcut == nullptr || (starts && !acts_on_start(*shortcut))) continue;
        if (!app.gui.editing) {
            shortcut->act(app);
        } else if (!belongs_to_field(*shortcut, app.gui.editing->id)) {
            app.gui.editing->leave = true;  // what was typed takes effect first
            app.ui.commands.push_back(shortcut->act);
        }
    }
}

}  // namespace maskscope
