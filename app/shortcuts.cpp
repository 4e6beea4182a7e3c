#include "app/shortcuts.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/panels/bench_number.h"
#include "app/panels/bench_tensors.h"
#include "app/panels/panels.h"
#include "app/panels/plots.h"
#include "app/panels/tabs.h"
#include "app/presenting.h"

namespace maskscope {
namespace {

// --- what the keys do

void next(App& app) { app.session.next(); }
void previous(App& app) { app.session.previous(); }
// From star to star; nowhere where there is none.
void go_to_star(App& app, int steps) {
    const Lesson* lesson = app.session.lesson();
    if (lesson == nullptr) return;
    const int count = static_cast<int>(lesson->steps.size());
    for (int step = app.session.step() + steps; step >= 0 && step < count; step += steps)
        if (lesson->steps[static_cast<std::size_t>(step)].star) return app.session.go_to_step(step);
}
void next_star(App& app) { go_to_star(app, 1); }
void previous_star(App& app) { go_to_star(app, -1); }
void restore(App& app) { app.session.restore_step(); }
void undo(App& app) { app.session.undo(); }
void redo(App& app) { app.session.redo(); }
void fold_sidebar(App& app) { app.ui.sidebar_folded = !app.ui.sidebar_folded; }
void fold_inspector(App& app) { app.ui.inspector_folded = !app.ui.inspector_folded; }

void open_path_line(App& app, PathLine::Purpose purpose) {
    app.ui.path_line = PathLine{.purpose = purpose};
}
void open(App& app) {
    leave_unsaved(app, "Open another file?",
                  [](App& a) { open_path_line(a, PathLine::Purpose::open); });
}
void new_scene(App& app) {
    leave_unsaved(app, "Start a new scene?", [](App& a) { a.session.new_scene(); });
}
void save_as(App& app) { open_path_line(app, PathLine::Purpose::save_as); }
void save(App& app) {
    if (app.session.path())
        app.session.save();
    else
        save_as(app);
}
void next_tab(App& app) { turn_tab(app, 1); }
void tab_before(App& app) { turn_tab(app, -1); }
void export_png(App& app) { open_path_line(app, PathLine::Purpose::export_png); }

// --- the selected token

const std::vector<std::string>& tokens_of(const Scene& scene, const TokenRef& ref) {
    const Sequence& sequence = scene.sequences[static_cast<std::size_t>(ref.b)];
    return ref.side == Side::keys && sequence.keys ? *sequence.keys : sequence.queries;
}

// Edits take tokens away: nothing where the selected one is gone.
std::optional<TokenRef> selected_token(const App& app) {
    const std::optional<TokenRef>& ref = app.ui.selected;
    const Scene& scene = app.session.scene();
    if (!ref || ref->b >= static_cast<Index>(scene.sequences.size())) return std::nullopt;
    const auto count = static_cast<Index>(tokens_of(scene, *ref).size());
    return ref->index < count ? ref : std::nullopt;
}

void pad_token(App& app) {
    if (const auto ref = selected_token(app))
        app.session.edit("pad a token",
                         [&](Scene& s) { toggle_pad(s, ref->b, ref->side, ref->index); });
}

void insert_after_token(App& app) {
    const auto ref = selected_token(app);
    if (!ref) return;
    const Index at = ref->index + 1;
    if (app.session.edit("insert a token", [&](Scene& s) {
            maskscope::insert_token(s, ref->b, ref->side, at, "token");
        }))
        app.ui.selected->index = at;
}

void delete_selected_token(App& app) {
    const auto ref = selected_token(app);
    if (!ref) return;
    app.session.edit("delete a token",
                     [&](Scene& s) { delete_token(s, ref->b, ref->side, ref->index); });
    const auto count = static_cast<Index>(tokens_of(app.session.scene(), *ref).size());
    app.ui.selected->index = std::min(ref->index, count - 1);
}

// --- the cell cursor

// The pinned cell; while presenting the ring, until the cursor was moved in this step.
std::optional<Cell> cursor_cell(const App& app) {
    const Show& show = app.session.view().show;
    const auto& presenting = app.ui.presenting;
    const bool on_ring = presenting && presenting->moved_in != app.session.step();
    if (show.ring && (on_ring || !show.focus)) return show.ring;
    return show.focus;
}

void move_cursor(App& app, Index down, Index right) {
    if (move_in_plots(app, down, right) || move_in_tensors(app, down, right)) return;
    const Result& shown = app.session.shown();
    if (shown.variants.empty()) return;
    const Shape& shape = shown.variants.front().shape;
    Show& show = app.session.view().show;
    const Cell from = cursor_cell(app).value_or(Cell{});
    const bool appears = !show.focus && !app.ui.presenting;  // the first press shows where it is
    if (appears) down = right = 0;
    if (app.ui.presenting) app.ui.presenting->moved_in = app.session.step();
    show.focus = Cell{std::clamp<Index>(from.i + down, 0, shape.n_q - 1),
                      std::clamp<Index>(from.j + right, 0, shape.n_k - 1)};
}
void cursor_up(App& app) { move_cursor(app, -1, 0); }
void cursor_down(App& app) { move_cursor(app, 1, 0); }
void cursor_left(App& app) { move_cursor(app, 0, -1); }
void cursor_right(App& app) { move_cursor(app, 0, 1); }

void toggle_cursor_cell(App& app) {
    if (act_in_plots(app)) return;
    const Result& shown = app.session.shown();
    const View& view = app.session.view();
    const auto cursor = cursor_cell(app);
    if (!cursor || shown.variants.empty()) return;
    const Shape& shape = shown.variants.front().shape;
    const Cell cell = *cursor;
    if (cell.i >= shape.n_q || cell.j >= shape.n_k) return;
    const std::vector<int> lanes = shown_lanes(view, app.session.scene());
    const int lane = layers_are_shared(app.session.scene(), lanes) ? -1
                     : view.hovered && view.hovered->lane >= 0     ? view.hovered->lane
                                                                   : lanes.front();
    toggle_cell(app.session, lane, shown_sequences(view, shape).front(),
                shown_heads(view, shape).front(), cell);
}

template <int h>
void show_head(App& app) {
    jump_to_head(app.session, h);
}

// From the innermost outwards, one thing a press.
void lead_out(App& app) {
    if (app.ui.presenting) {
        leave_presenting(app);
    } else if (app.ui.path_line) {
        app.ui.path_line.reset();
        app.ui.after_save = nullptr;
    } else if (app.ui.timings_open) {
        app.ui.timings_open = false;
    } else if (app.ui.selected) {
        app.ui.selected.reset();
    } else if (leave_tensors(app) || back_to_heads(app.session)) {
        return;
    } else if (app.session.view().zoom != Zoom{}) {
        app.session.view().zoom = {};
    } else if (app.session.computing()) {
        app.session.cancel();
    }
}

constexpr int none = 0, ctrl = GLFW_MOD_CONTROL, shift = GLFW_MOD_SHIFT, alt = GLFW_MOD_ALT;

constexpr std::array table{
    Shortcut{GLFW_KEY_PAGE_DOWN, none, "Page Down", "answer, or next step", next, When::always},
    Shortcut{GLFW_KEY_PAGE_UP, none, "Page Up", "previous step", previous, When::always},
    Shortcut{GLFW_KEY_R, none, "R", "restore the step", restore, When::always},
    Shortcut{GLFW_KEY_Z, ctrl, "Ctrl+Z", "undo", undo, When::always},
    Shortcut{GLFW_KEY_Z, ctrl | shift, "Ctrl+Shift+Z", "redo", redo, When::always},
    Shortcut{GLFW_KEY_Y, ctrl, "Ctrl+Y", "redo", redo, When::always},
    Shortcut{GLFW_KEY_N, ctrl, "Ctrl+N", "new scene", new_scene},
    Shortcut{GLFW_KEY_O, ctrl, "Ctrl+O", "open", open},
    Shortcut{GLFW_KEY_S, ctrl, "Ctrl+S", "save", save},
    Shortcut{GLFW_KEY_S, ctrl | shift, "Ctrl+Shift+S", "save as", save_as},
    Shortcut{GLFW_KEY_L, ctrl, "Ctrl+L", "write a lesson, and back", toggle_lesson_editor},
    Shortcut{GLFW_KEY_UP, alt, "Alt+Up", "writing a lesson: move the step up", move_lesson_step_up},
    Shortcut{GLFW_KEY_DOWN, alt, "Alt+Down", "writing a lesson: move the step down",
             move_lesson_step_down},
    Shortcut{GLFW_KEY_E, ctrl, "Ctrl+E", "export the bench as PNG", export_png},
    Shortcut{GLFW_KEY_1, ctrl, "Ctrl+1", "fold the left panel", fold_sidebar},
    Shortcut{GLFW_KEY_2, ctrl, "Ctrl+2", "fold the right panel", fold_inspector},
    Shortcut{GLFW_KEY_TAB, ctrl, "Ctrl+Tab", "next view", next_tab},
    Shortcut{GLFW_KEY_TAB, ctrl | shift, "Ctrl+Shift+Tab", "view before", tab_before},
    Shortcut{GLFW_KEY_P, none, "P", "make the selected token a pad", pad_token},
    Shortcut{GLFW_KEY_INSERT, none, "Insert", "a token after the selected", insert_after_token},
    Shortcut{GLFW_KEY_DELETE, none, "Delete", "delete the token", delete_selected_token},
    Shortcut{GLFW_KEY_UP, none, "Up", "move the cell cursor", cursor_up},
    Shortcut{GLFW_KEY_DOWN, none, "Down", "move the cell cursor", cursor_down},
    Shortcut{GLFW_KEY_LEFT, none, "Left", "move the cell cursor", cursor_left},
    Shortcut{GLFW_KEY_RIGHT, none, "Right", "move the cell cursor", cursor_right},
    Shortcut{GLFW_KEY_SPACE, none, "Space", "block or allow the cell", toggle_cursor_cell,
             When::always},
    Shortcut{GLFW_KEY_ENTER, none, "Enter", "type the number of the cell",
             ask_for_number_at_cursor},
    Shortcut{GLFW_KEY_Q, none, "Q", "fold out Q, then on to K, V, and back", step_through_tensors},
    Shortcut{GLFW_KEY_1, none, "1", "jump to head 1", show_head<0>},
    Shortcut{GLFW_KEY_2, none, "2", "jump to head 2", show_head<1>},
    Shortcut{GLFW_KEY_3, none, "3", "jump to head 3", show_head<2>},
    Shortcut{GLFW_KEY_4, none, "4", "jump to head 4", show_head<3>},
    Shortcut{GLFW_KEY_5, none, "5", "jump to head 5", show_head<4>},
    Shortcut{GLFW_KEY_6, none, "6", "jump to head 6", show_head<5>},
    Shortcut{GLFW_KEY_7, none, "7", "jump to head 7", show_head<6>},
    Shortcut{GLFW_KEY_8, none, "8", "jump to head 8", show_head<7>},
    Shortcut{GLFW_KEY_9, none, "9", "jump to head 9", show_head<8>},
    Shortcut{GLFW_KEY_F5, none, "F5", "present, and back", present, When::always},
    Shortcut{GLFW_KEY_F11, none, "F11", "present, and back", present, When::always},
    Shortcut{GLFW_KEY_RIGHT, none, "Right", "next step; in the what-if line the next field",
             present_right, When::presenting},
    Shortcut{GLFW_KEY_LEFT, none, "Left", "previous step; in the what-if line the field before",
             present_left, When::presenting},
    Shortcut{GLFW_KEY_UP, none, "Up", "what if: the value before", present_up, When::presenting},
    Shortcut{GLFW_KEY_DOWN, none, "Down", "what if: the next value", present_down,
             When::presenting},
    Shortcut{GLFW_KEY_UP, shift, "Shift+Up", "move the cell cursor", cursor_up, When::always},
    Shortcut{GLFW_KEY_DOWN, shift, "Shift+Down", "move the cell cursor", cursor_down, When::always},
    Shortcut{GLFW_KEY_LEFT, shift, "Shift+Left", "move the cell cursor", cursor_left, When::always},
    Shortcut{GLFW_KEY_RIGHT, shift, "Shift+Right", "move the cell cursor", cursor_right,
             When::always},
    Shortcut{GLFW_KEY_TAB, none, "Tab", "open and close the what-if line", toggle_what_if,
             When::presenting},
    Shortcut{GLFW_KEY_B, none, "B", "blank the screen, and back", toggle_blank, When::presenting},
    Shortcut{GLFW_KEY_PERIOD, none, ".", "blank the screen, and back", toggle_blank,
             When::presenting},
    Shortcut{GLFW_KEY_L, none, "L", "dim all but the focus row, and back", toggle_spotlight,
             When::presenting},
    Shortcut{GLFW_KEY_PAGE_DOWN, shift, "Shift+Page Down", "the next step with a star", next_star,
             When::always},
    Shortcut{GLFW_KEY_PAGE_UP, shift, "Shift+Page Up", "the step with a star before", previous_star,
             When::always},
    Shortcut{GLFW_KEY_ESCAPE, none, "Escape", "lead out", lead_out, When::always},
};

const Shortcut* shortcut_of(int key, int modifiers, bool presenting) {
    const int known = modifiers & (ctrl | shift | GLFW_MOD_ALT | GLFW_MOD_SUPER);
    const auto* found = std::find_if(table.begin(), table.end(), [&](const Shortcut& s) {
        const bool acts = s.when == When::always || (s.when == When::presenting) == presenting;
        return s.key == key && s.modifiers == known && acts;
    });
    return found == table.end() ? nullptr : found;
}

// Keys that a text field takes for itself.
bool belongs_to_field(const Shortcut& shortcut) {
    return (shortcut.modifiers & ctrl) == 0 || shortcut.key == GLFW_KEY_Z;
}

}  // namespace

std::span<const Shortcut> shortcuts() { return table; }

void use_shortcuts(App& app) {
    if (const auto waiting = std::exchange(app.ui.waiting, nullptr)) waiting(app);
    if (app.ui.question) return;  // its own keys
    for (const int key : app.now.pressed) {
        const Shortcut* shortcut =
            shortcut_of(key, app.now.modifiers, app.ui.presenting.has_value());
        if (shortcut == nullptr) continue;
        if (!app.ui.editing) {
            shortcut->act(app);
        } else if (!belongs_to_field(*shortcut)) {
            app.ui.editing->leave = true;  // what was typed counts for what follows
            app.ui.waiting = shortcut->act;
        }
    }
}

}  // namespace maskscope
