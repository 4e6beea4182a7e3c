// The lesson that is written.

#include <algorithm>

#include "app/window/actions/actions.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {
namespace {

void move_shown(App& app, int by) {
    if (!app.ui.lesson_editor || !app.session.lesson()) return;
    const int last = static_cast<int>(app.session.lesson()->steps.size()) - 1;
    move_lesson_step(app, app.session.step(), std::clamp(app.session.step() + by, 0, last));
}

}  // namespace

// On a small screen it takes the room of the left panel; both come back as they were.
void toggle_lesson_editor(App& app) {
    constexpr double both_fit = 1150;  // points
    Ui& ui = app.ui;
    if (ui.lesson_editor) {
        if (app.width < points(app, both_fit))
            ui.sidebar_folded = ui.lesson_editor->sidebar_was_folded;
        ui.inspector_folded = ui.lesson_editor->inspector_was_folded;
        return ui.lesson_editor.reset();
    }
    ui.lesson_editor.emplace();
    ui.lesson_editor->sidebar_was_folded = ui.sidebar_folded;
    ui.lesson_editor->inspector_was_folded = ui.inspector_folded;
    ui.inspector_folded = false;
    if (app.width < points(app, both_fit)) ui.sidebar_folded = true;
    if (app.session.covered()) app.session.next();  // who writes it knows the answer
}

void move_lesson_step(App& app, int from, int to) {
    app.session.edit_lesson("move a step", [&](Lesson& lesson, int& step) {
        move_step(lesson, from, to);
        if (step == from)
            step = to;
        else if (from < step && step <= to)
            --step;
        else if (to <= step && step < from)
            ++step;
    });
}

void move_lesson_step_up(App& app) { move_shown(app, -1); }
void move_lesson_step_down(App& app) { move_shown(app, 1); }

}  // namespace maskscope
