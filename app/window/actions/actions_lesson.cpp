// Handles steps of a lesson, and the lesson editor.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {

void go_through_lessons(Session& session, Ui& ui, int steps) {
    const std::optional<int> before = std::exchange(ui.ended, std::nullopt);
    const std::string next = steps > 0 ? next_lesson_title(session) : "";
    if (next.empty()) return steps > 0 ? session.next() : session.previous();
    if (before == session.document().step) return ui.commands.push_back(open_next_lesson);
    ui.ended = session.document().step;
    if (!ui.presenting) session.say(fmt::format("Next lesson: {}. Page Down opens it.", next));
}

// --- where a Try is followed

namespace {

using TryKind = TryPlace::Kind;

// Returns the place where the shown step's Try is followed. Finds it only once for each step.
const TryPlace& shown_try(const Session& session, Ui& ui) {
    const std::pair of{session.document().number, session.entered()};
    if (!ui.placed_try || ui.placed_try->of != of)
        ui.placed_try = PlacedTry{of, try_place(session.lesson()->steps[session.document().step],
                                                session.document().folder)};
    return ui.placed_try->place;
}

SidebarState::Section section_of(TryKind kind) {
    switch (kind) {
        case TryKind::rules:
            return SidebarState::Section::rules;
        case TryKind::variant:
            return SidebarState::Section::variants;
        case TryKind::inputs:
            return SidebarState::Section::inputs;
        default:
            return SidebarState::Section::tokens;
    }
}

}  // namespace

std::string try_opener(const Session& session, Ui& ui) {
    if (session.lesson() == nullptr || exercise_of(session)) return "";
    const TryPlace& place = shown_try(session, ui);
    const std::string letter = place.variant ? std::string(1, variant_letter(*place.variant)) : "";
    switch (place.kind) {
        case TryKind::bench:
            return "";
        case TryKind::vectors:
            return session.view().show.vectors ? "" : "Show Q, K, V";
        case TryKind::view:
            return shown_view(session.view(), session.scene()) == place.view
                       ? ""
                       : fmt::format("Show {}", label(place.view));
        case TryKind::tokens:
            return "Open the tokens";
        case TryKind::rules:
            return letter.empty() ? "Open the mask rules" : "Open the mask rules of " + letter;
        case TryKind::variant:
            return "Open variant " + letter;
        case TryKind::inputs:
            return "Open the inputs";
    }
    return "";
}

void open_for_try(App& app) {
    Session& session = app.session;
    Ui& ui = app.ui;
    if (session.lesson() == nullptr) return;
    const TryPlace place = shown_try(session, ui);
    if (place.kind == TryKind::bench) return;
    if (place.kind == TryKind::view) return show_view(session, ui.bench, place.view);
    if (place.kind == TryKind::vectors) {
        if (!session.view().show.vectors) fold_tensors(session, ui.bench);
        return;
    }
    if (place.variant) ui.sidebar.variant = place.variant;
    ui.sidebar.comes = section_of(place.kind);
    if (shows_sidebar(app.gui, ui)) return;
    if (!explores(app.gui, ui)) ui.opened_for_try = session.document().step;
    ui.sidebar.open();
}

bool may_explore(const Session& session) { return !session.view().asks(); }

std::string_view why_not_yet(const Session& session) {
    return may_explore(session) ? "" : "answer the question first";
}

void answer_or_show(Gui& gui, Session& session) {
    if (may_explore(session)) return;
    if (session.answers().said.empty() || session.answers().said.back().hands > 0)
        edit_field(gui, answer_field, "");
    else
        session.show_answer();
}

// Opens or closes the editor. It replaces the inspector, which is restored afterwards.
void toggle_lesson_editor(Gui& gui, Ui& ui) {
    bool& folded = ui.inspector_folded;
    if (ui.lesson_editor) {
        folded = ui.lesson_editor->inspector_was_folded;
        ui.inspector_drawer = ui.lesson_editor->inspector_was_drawer;
        return ui.lesson_editor.reset();
    }
    ui.lesson_editor.emplace();
    ui.lesson_editor->inspector_was_folded = std::exchange(folded, false);
    ui.lesson_editor->inspector_was_drawer = std::exchange(ui.inspector_drawer, true);
    if (is_narrow(gui)) ui.sidebar.drawer = false;
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
    move_lesson_step(session, session.document().step,
                     std::clamp(session.document().step + by, 0, last));
}

}  // namespace maskscope
