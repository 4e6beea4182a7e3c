// Lesson, files, and the way out.

#include "app/window/actions/actions.h"

#include <algorithm>

#include "app/show/views/views.h"
#include "app/window/actions/bench_tensors.h"
#include "app/window/actions/presenting_keys.h"
#include "app/window/widgets/focus.h"

namespace maskscope {
namespace {

void turn_tab(App& app, int steps) {
    const Scene& scene = app.session.shown().scene;
    const std::vector<ViewKind> views = views_of(scene);
    const auto count = static_cast<std::ptrdiff_t>(views.size());
    const auto at = std::ranges::find(views, shown_view(app.session.view(), scene)) - views.begin();
    show_view(app, views[((at + steps) % count + count) % count]);
}

// The step with a star that is met first in this direction.
std::optional<int> star_from(const App& app, int steps) {
    const Lesson* lesson = app.session.lesson();
    if (lesson == nullptr) return std::nullopt;
    const int count = static_cast<int>(lesson->steps.size());
    for (int step = app.session.step() + steps; step >= 0 && step < count; step += steps)
        if (lesson->steps[step].star) return step;
    return std::nullopt;
}

void go_to_star(App& app, int steps) {
    if (const auto step = star_from(app, steps)) app.session.go_to_step(*step);
}

std::string_view why_no_star(const App& app, int steps) {
    if (app.session.lesson() == nullptr) return why_no_lesson(app);
    return star_from(app, steps) ? "" : "there is no further star";
}

void open_path_line(App& app, PathLine::Purpose purpose) {
    app.ui.path_line = PathLine{.purpose = purpose};
}

}  // namespace

// --- lesson

void next_step(App& app) { app.session.next(); }
void previous_step(App& app) { app.session.previous(); }
void next_star(App& app) { go_to_star(app, 1); }
void previous_star(App& app) { go_to_star(app, -1); }
void restore_step(App& app) { app.session.restore_step(); }

std::string_view why_no_lesson(const App& app) {
    return app.session.lesson() != nullptr ? "" : "no lesson is open";
}

std::string_view why_no_next_step(const App& app) {
    const Lesson* lesson = app.session.lesson();
    if (lesson == nullptr) return why_no_lesson(app);
    const bool last = app.session.step() + 1 == static_cast<int>(lesson->steps.size());
    return last && !app.session.covered() ? "this is the last step" : "";
}

std::string_view why_no_previous_step(const App& app) {
    if (app.session.lesson() == nullptr) return why_no_lesson(app);
    return app.session.step() == 0 ? "this is the first step" : "";
}

std::string_view why_no_next_star(const App& app) { return why_no_star(app, 1); }
std::string_view why_no_previous_star(const App& app) { return why_no_star(app, -1); }

// --- the lesson that is written

std::string_view why_no_writing(const App& app) {
    return app.ui.lesson_editor ? "" : "no lesson is written";
}

// --- files and history

void undo(App& app) { app.session.undo(); }
void redo(App& app) { app.session.redo(); }

void open_file(App& app) {
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

void export_png(App& app) { open_path_line(app, PathLine::Purpose::export_png); }

std::string_view why_no_undo(const App& app) {
    return app.session.undo_name() ? "" : "nothing was done";
}
std::string_view why_no_redo(const App& app) {
    return app.session.redo_name() ? "" : "nothing was undone";
}

// --- panels and views

void show_view(App& app, ViewKind kind) {
    app.session.view().show.view = kind;
    app.session.view().hovered.reset();
    app.ui.spot.reset();
}

void next_tab(App& app) { turn_tab(app, 1); }
void tab_before(App& app) { turn_tab(app, -1); }
void fold_sidebar(App& app) { app.ui.sidebar_folded = !app.ui.sidebar_folded; }
void fold_inspector(App& app) { app.ui.inspector_folded = !app.ui.inspector_folded; }

// --- help, and the way out

void open_key_help(App& app) { app.ui.key_help_open = !app.ui.key_help_open; }

void lead_out(App& app) {
    Ui& ui = app.ui;
    if (ui.presenting) {
        leave_presenting(app);
    } else if (anything_has_focus(app)) {
        leave_focus(app);
    } else if (ui.path_line) {
        ui.path_line.reset();
        ui.after_save = nullptr;
    } else if (ui.timings_open) {
        ui.timings_open = false;
    } else if (ui.selected) {
        ui.selected.reset();
    } else if (ui.variant) {
        ui.variant.reset();
    } else if (ui.lesson_editor && ui.lesson_editor->draft) {
        ui.lesson_editor->draft.reset();
    } else if (ui.lesson_editor) {
        ui.lesson_editor.reset();
    } else if (leave_tensors(app) || back_to_heads(app.session)) {
        return;
    } else if (app.session.view().zoom != Zoom{}) {
        app.session.view().zoom = {};
    } else if (app.session.computing()) {
        app.session.cancel();
    }
}

}  // namespace maskscope
