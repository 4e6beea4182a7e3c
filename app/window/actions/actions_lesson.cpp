// Handles steps of a lesson, and the lesson editor.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/session/files/load.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/scene/names.h"

namespace maskscope {

// --- the course

namespace {

LessonPlace place_of(const Session& session) {
    return session.lesson() ? LessonPlace{session.lesson()->name, session.document().step}
                            : LessonPlace{};
}

// Returns the built-in lesson; nullptr if there is none with this name.
const BuiltInLesson* lesson_named(std::string_view name) {
    const auto found = std::ranges::find(built_in_lessons(), name, &BuiltInLesson::name);
    return found == built_in_lessons().end() ? nullptr : &*found;
}

void open_named_lesson(Session& session, const LessonPlace& at) {
    try {
        const LoadedLesson loaded = load_lesson("lesson:" + at.lesson);
        session.open_lesson(loaded.lesson, loaded.folder, at.step);
    } catch (const Error& error) {
        session.say(error.what(), true);
    }
}

// Opens a lesson, and then does `then`; asks first if work is unsaved.
WindowCommand opening_lesson(const LessonPlace& at, const WindowCommand& then) {
    return [=](App& app) {
        leave_unsaved(app, "Open another lesson?", [=](App& a) {
            open_named_lesson(a.session, at);
            then(a);
        });
    };
}

// Returns the step of another part at which the course goes on: the next one, if the shown step
// ends its part, or the next one with a star. Returns nullopt if there is none.
std::optional<LessonPlace> next_in_course(const Session& session, bool starred) {
    const auto [name, shown] = place_of(session);
    bool ended = false;
    for (const CoursePart& part : course_parts()) {
        const BuiltInLesson* lesson = lesson_named(part.lesson);
        if (lesson == nullptr) continue;
        const int last = part.last < 0 ? static_cast<int>(lesson->steps.size()) - 1 : part.last;
        for (int step = part.first; ended && step <= last; ++step)
            if (!starred || lesson->steps[step].star) return LessonPlace{lesson->name, step};
        ended |= name == part.lesson && (starred ? part.first <= shown && shown <= last
                                                 : shown == last && leaves_step(session));
    }
    return std::nullopt;
}

// Returns the next step with a star; nullopt if there is none. steps: 1 to look forward, −1 to look
// back.
std::optional<int> star_from(const Session& session, int steps) {
    const Lesson* lesson = session.lesson();
    if (lesson == nullptr) return std::nullopt;
    for (int step = session.document().step + steps; step >= 0 && step < std::ssize(lesson->steps);
         step += steps)
        if (lesson->steps[step].star) return step;
    return std::nullopt;
}

// True if the shown step was reached from another lesson, by going on in the course.
bool has_crossed(const Session& session, const Ui& ui) {
    return !ui.crossings.empty() && ui.crossings.back().to == place_of(session);
}

void cross(Ui& ui, const LessonPlace& from, const LessonPlace& to) {
    ui.commands.push_back(opening_lesson(to, [=](App& app) {
        app.ui.crossings.push_back({from, to});
    }));
}

void cross_back(Ui& ui) {
    ui.commands.push_back(opening_lesson(ui.crossings.back().from, [](App& app) {
        app.ui.crossings.pop_back();
        app.session.show_answer();
    }));
}

// The first press of a key says what the second one will do, once that could be read.
void announce_or_cross(const Gui& gui, Session& session, Ui& ui, const LessonPlace& to,
                       const std::string& key) {
    const LessonPlace here = place_of(session);
    if (is_end_announced(session, ui) && ui.ended->key == key) {
        if (is_read(gui, ui.ended->asked)) cross(ui, here, to);
        return;
    }
    ui.ended = {session.entered(), key, gui.time};
    const bool goes_on = here.step + 1 < std::ssize(session.lesson()->steps);
    session.say(fmt::format(
        "The course goes on with “{}”: press {} again.{}", lesson_named(to.lesson)->title, key,
        ui.presenting && goes_on ? fmt::format(" Enter: step {} of this lesson.", here.step + 2)
                                 : ""));
}

}  // namespace

WindowCommand open_lesson(const std::string& name, int step) {
    return opening_lesson({name, step}, [](App&) {});
}

std::string next_lesson_title(const Session& session) {
    const auto next = next_in_course(session, false);
    return next ? lesson_named(next->lesson)->title : "";
}

bool is_end_announced(const Session& session, const Ui& ui) {
    return ui.ended && ui.ended->entered == session.entered();
}

void open_next_lesson(App& app) {
    if (const auto next = next_in_course(app.session, false))
        cross(app.ui, place_of(app.session), *next);
}

void go_through_lessons(const Gui& gui, Session& session, Ui& ui, int steps) {
    if (steps < 0) return has_crossed(session, ui) ? cross_back(ui) : session.previous();
    if (const auto next = next_in_course(session, false))
        return announce_or_cross(gui, session, ui, *next, "Page Down");
    session.next();
}

void go_to_star(const Gui& gui, Session& session, Ui& ui, int steps) {
    if (const auto step = star_from(session, steps)) return session.go_to_step(*step);
    if (steps < 0 && has_crossed(session, ui)) return cross_back(ui);
    if (steps < 0) return;
    if (const auto next = next_in_course(session, true))
        announce_or_cross(gui, session, ui, *next, "Shift+Page Down");
}

std::string_view why_no_star(const Session& session, const Ui& ui, int steps) {
    if (session.lesson() == nullptr) return why_no_lesson(session);
    const bool goes_on =
        steps > 0 ? next_in_course(session, true).has_value() : has_crossed(session, ui);
    return goes_on || star_from(session, steps) ? "" : "there are no more starred steps";
}

std::string_view why_no_lesson(const Session& session) {
    return session.lesson() != nullptr ? "" : "no lesson is open";
}

std::string_view why_no_next_step(const Session& session) {
    const Lesson* lesson = session.lesson();
    if (lesson == nullptr) return why_no_lesson(session);
    const bool last = session.document().step + 1 == std::ssize(lesson->steps);
    const bool leads_on = next_in_course(session, false).has_value();
    return last && leaves_step(session) && !leads_on ? "this is the last step" : "";
}

std::string_view why_no_previous_step(const Session& session, const Ui& ui) {
    if (session.lesson() == nullptr) return why_no_lesson(session);
    return session.document().step == 0 && !has_crossed(session, ui) ? "this is the first step"
                                                                     : "";
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

void answer_or_stay(Gui& gui, Session& session, const Ui& ui) {
    if (!may_explore(session))
        answer_or_show(gui, session);
    else if (is_end_announced(session, ui))
        session.next();
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
