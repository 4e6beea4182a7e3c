// Handles lessons, files, views, and Escape.

#include "app/window/actions/actions.h"

#include <algorithm>
#include <utility>

#include "app/export/export.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "app/show/views/view_entry.h"
#include "app/window/context/app.h"
#include "app/window/widgets/focus.h"

namespace maskscope {
// --- the lesson editor

std::string_view why_no_writing(const std::optional<LessonEditor>& editor) {
    return editor ? "" : "the lesson editor is closed";
}

// --- files and history

void open_file(App& app) {
    leave_unsaved(app, "Open another file?",
                  [](App& a) { open_path_line(a.ui.overlays, PathLine::Purpose::open); });
}

void new_scene(App& app) {
    leave_unsaved(app, "Start a new scene?", [](App& a) {
        a.session.new_scene();
        a.session.say(
            "New scene. Type a sentence on the left, or open a lesson from the title's menu.");
    });
}

void open_start(App& app) { app.ui.overlays.open(StartPage{}); }

void open_path_line(Overlays& overlays, PathLine::Purpose purpose) {
    overlays.open(PathLine{.purpose = purpose});
}

void open_export_sheet(Overlays& overlays) {
    overlays.close<PathLine>();
    overlays.open(ExportSheet{.options = remembered_choices(state_folder()), .path = ""});
}

void save(Session& session, Overlays& overlays) {
    if (session.document().file_to_save() && session.save()) return;
    if (!session.document().file_to_save() || session.document().changed_outside())
        open_path_line(overlays, PathLine::Purpose::save_as);
}

WindowCommand recover(const std::filesystem::path& left_behind) {
    return [=](App& app) {
        leave_unsaved(app, "Recover the unsaved work?", [=](App& a) {
            std::error_code none;
            a.session.open_left_behind(left_behind);
            if (!std::filesystem::exists(left_behind, none))  // another window took or removed it
                std::erase(a.ui.left_behind, left_behind);
        });
    };
}

WindowCommand discard(const std::filesystem::path& left_behind) {
    return [=](App& app) {
        Keeper::discard(left_behind);
        std::erase(app.ui.left_behind, left_behind);
    };
}

std::string_view why_no_undo(const Session& session) {
    return session.document().undo_name() ? "" : "nothing to undo";
}
std::string_view why_no_redo(const Session& session) {
    return session.document().redo_name() ? "" : "nothing to redo";
}

// --- panels and views

void show_view(Session& session, BenchState& bench, ViewKind kind) {
    session.view().show.view = kind;
    if (kind == ViewKind::pipeline) session.view().enlarged = false;  // shows the whole pipeline
    session.view().hovered.reset();
    bench.spot.reset();
}

void turn_tab(Session& session, BenchState& bench, int steps) {
    const Scene& scene = session.shown().scene;
    const std::vector<ViewKind> views = tabs_of(session.view(), scene);
    const auto count = std::ssize(views);
    const auto at = std::ranges::find(views, shown_view(session.view(), scene)) - views.begin();
    show_view(session, bench, views[((at + steps) % count + count) % count]);
}

bool is_narrow(const Gui& gui) { return gui.width < 1100 * gui.scale; }

bool shows_sidebar(const Gui& gui, const Ui& ui) {
    return is_narrow(gui) ? ui.sidebar.drawer : !ui.sidebar.folded;
}

bool shows_inspector(const Gui& gui, const Ui& ui) {
    return is_narrow(gui) ? ui.inspector_drawer : !ui.inspector_folded;
}

void fold_sidebar(Gui& gui, Ui& ui) {
    bool& state = is_narrow(gui) ? ui.sidebar.drawer : ui.sidebar.folded;
    state = !state;
    ui.opened_for_try.reset();
}

void fold_inspector(Gui& gui, Ui& ui) {
    bool& state = is_narrow(gui) ? ui.inspector_drawer : ui.inspector_folded;
    state = !state;
    ui.opened_for_try.reset();
}

bool explores(const Gui& gui, const Ui& ui) {
    return shows_sidebar(gui, ui) || shows_inspector(gui, ui);
}

namespace {

void fold(Ui& ui, bool sidebar, bool inspector) {
    ui.sidebar.folded = sidebar;
    ui.inspector_folded = inspector;
    if (sidebar) ui.sidebar.drawer = false;
    if (inspector) ui.inspector_drawer = false;
    ui.opened_for_try.reset();
}

}  // namespace

void explore(App& app) {
    const bool folds = explores(app.gui, app.ui);
    if (is_narrow(app.gui))
        app.ui.sidebar.drawer = app.ui.inspector_drawer = !folds;
    else
        fold(app.ui, folds, folds);
}

void fold_for_lesson(App& app) {
    Ui& ui = app.ui;
    const bool in_lesson = app.session.lesson() != nullptr;
    const bool before = std::exchange(ui.in_lesson, in_lesson);
    if (ui.lesson_editor) return;  // leave the panels as they are
    const bool is_left = ui.opened_for_try && ui.opened_for_try != app.session.document().step;
    if (in_lesson && (!before || is_left))
        fold(ui, true, true);
    else if (before && !in_lesson)
        fold_as_chosen(ui);
    else if (!in_lesson)
        ui.choices.sidebar_folded = ui.sidebar.folded,
        ui.choices.inspector_folded = ui.inspector_folded;
}

void fold_as_chosen(Ui& ui) { fold(ui, ui.choices.sidebar_folded, ui.choices.inspector_folded); }

void choose_theme(App& app, std::optional<ThemeKind> theme) {
    app.ui.choices.theme = theme;
    app.session.view().theme = theme_of(app.ui.choices);
}

namespace {

// Changes the size of type by steps; the window's own scale follows in its next frame.
void turn_type(App& app, std::ptrdiff_t steps) {
    double& type = app.ui.choices.type;
    const auto at = std::ranges::find(type_sizes, type) - type_sizes.begin();
    const auto to = std::clamp<std::ptrdiff_t>(at + steps, 0, std::ssize(type_sizes) - 1);
    app.gui.scale *= type_sizes[std::size_t(to)] / type;
    type = type_sizes[std::size_t(to)];
}

}  // namespace

void larger_type(App& app) { turn_type(app, 1); }
void smaller_type(App& app) { turn_type(app, -1); }

// --- help, and Escape

void toggle_key_help(Ui& ui) {
    if (ui.presenting)
        toggle_presenting_keys(*ui.presenting);
    else if (!ui.overlays.close<KeyHelp>())
        ui.overlays.open(KeyHelp{});
}

void escape(App& app) {
    Ui& ui = app.ui;
    if (ui.presenting) {
        Presenting& presenting = *ui.presenting;
        if (presenting.keys)
            presenting.keys = false;
        else if (presenting.notes)
            presenting.notes = false;
        else if (presenting.blank)
            presenting.blank = false;
        else if (presenting.what_if)
            presenting.what_if.reset();
        else if (presenting.spotlight)
            presenting.spotlight = false;
        else
            present(app);
    } else if (ui.overlays.top<StartPage>()) {
        ui.overlays.close_top();
    } else if (anything_has_focus(app.gui)) {
        leave_focus(app.gui);
    } else if (ui.overlays.close_top()) {
        return;
    } else if (app.panels.cell_card.w > 0) {
        app.session.view().pinned.reset();
    } else if (ui.sidebar.selected) {
        ui.sidebar.selected.reset();
    } else if (ui.sidebar.variant) {
        ui.sidebar.variant.reset();
    } else if (ui.lesson_editor && ui.lesson_editor->draft) {
        ui.lesson_editor->draft.reset();
    } else if (ui.lesson_editor) {
        ui.lesson_editor.reset();
    } else if (leave_tensors(app.ui.bench) || back_to_heads(app.session)) {
        return;
    } else if (app.session.view().zoom != Zoom{}) {
        app.session.view().zoom = {};
    } else if (app.session.computing()) {
        app.session.cancel();
    }
}

}  // namespace maskscope
