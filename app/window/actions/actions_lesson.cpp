// Handles steps of a lesson, and the lesson editor.

#include <algorithm>
#include <optional>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/widgets/widgets.h"

namespace maskscope {

void go_through_lessons(Session& session, Ui& ui, int steps) {
    std::optional<int> before;
    if (ui.presenting) before = std::exchange(ui.presenting->ended, std::nullopt);
    const bool leads_on = ui.presenting && steps > 0 && !next_lesson_title(session).empty();
    if (!leads_on) return steps > 0 ? session.next() : session.previous();
    if (before == session.step())
        ui.commands.push_back(open_next_lesson);
    else
        ui.presenting->ended = session.step();
}

void answer_or_uncover(Gui& gui, Session& session) {
    if (!session.covered()) return;
    if (session.said().empty() || session.said().back().hands > 0)
        edit_field(gui, answer_field, "");
    else
        session.next();
}

// Opens or closes the editor. On a small screen it replaces the left panel as well; both are
// restored afterwards.
void toggle_lesson_editor(Gui& gui, Session& session, Ui& ui) {
    constexpr double both_fit = 1150;  // points
    if (ui.lesson_editor) {
        if (gui.width < points(gui, both_fit))
            ui.sidebar.folded = ui.lesson_editor->sidebar_was_folded;
        ui.inspector_folded = ui.lesson_editor->inspector_was_folded;
        return ui.lesson_editor.reset();
    }
    ui.lesson_editor.emplace();
    ui.lesson_editor->sidebar_was_folded = ui.sidebar.folded;
    ui.lesson_editor->inspector_was_folded = ui.inspector_folded;
    ui.inspector_folded = false;
    if (gui.width < points(gui, both_fit)) ui.sidebar.folded = true;
    if (session.covered()) session.next();  // the author knows the answer
}

void move_lesson_step(Session& session, int from, int to) {
    session.edit_lesson("move a step", [&](Lesson& lesson, int& step) {
        move_step(lesson, from, to);
        if (step == from)
            step = to;
        else if (from < step && step <= to)
            --step;
        else if (to <= step && step < from)
            ++step;
    });
}

void move_shown_step(Session& session, const std::optional<LessonEditor>& editor, int by) {
    if (!editor || !session.lesson()) return;
    const int last = static_cast<int>(session.lesson()->steps.size()) - 1;
    move_lesson_step(session, session.step(), std::clamp(session.step() + by, 0, last));
}

}  // namespace maskscope
