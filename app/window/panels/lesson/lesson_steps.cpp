// Draws the steps of a lesson: a click shows one, a drag moves it.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

constexpr double row_height = 28;  // points

void draw_row(Gui& gui, const Session& session, const Rect& row, bool hovered, int k,
              const Step& step) {
    const bool shown = k == session.step();
    if (shown || hovered) draw_raised(gui, row);
    const double middle = row.y + row.h / 2;
    const TextStyle style{.size = 13 * gui.scale,
                          .weight = shown ? Weight::semibold : Weight::regular};
    const auto put = [&](double x, const std::string& text, Role role) {
        const double left = row.x + points(gui, x);
        draw_text(gui, {.at = {left, middle},
                        .text = text,
                        .style = style,
                        .role = role,
                        .max_width = std::max(1.0, row.right() - left - points(gui, 6))});
    };
    put(8, std::to_string(k + 1), Role::dim);
    if (step.star) put(30, "★", Role::odd);
    put(48, step.title.empty() ? "no title yet" : step.title,
        shown && !step.title.empty() ? Role::ink : Role::dim);
}

// Returns where a dragged row would be dropped.
int target_of(const Gui& gui, const Rect& first, int count) {
    const double row = std::floor((gui.now.pointer.y - first.y) / first.h);
    return static_cast<int>(std::clamp(row, 0.0, count - 1.0));
}

void draw_target(Gui& gui, const Rect& first, int from, int to) {
    const double y = first.y + (to > from ? to + 1 : to) * first.h;
    const double line = points(gui, 2);
    draw_box(gui,
             {.rect = {first.x, y - line / 2, first.w, line}, .filled = true, .fill = Role::odd});
}

void draw_rows(Gui& gui, Session& session) {
    const Lesson lesson = *session.lesson();  // rows may change the lesson
    const int count = static_cast<int>(lesson.steps.size());
    std::optional<int> shown, dragged, dropped;
    Rect first;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (int k = 0; k < count; ++k) {
        ImGui::PushID(k);
        const Rect row = row_at_cursor(gui, row_height);
        const bool pressed = press_area(gui, "step", row.w, row.h);
        const ChipEvents events = events_of_item(gui, pressed);
        ImGui::PopID();
        draw_row(gui, session, row, events.hovered, k, lesson.steps[k]);
        if (k == 0) first = row;
        if (events.clicked) shown = k;
        if (events.dragged) dragged = k;
        if (events.dropped) dropped = k;
    }
    ImGui::PopStyleVar();
    if (dragged) draw_target(gui, first, *dragged, target_of(gui, first, count));
    if (dropped) move_lesson_step(session, *dropped, target_of(gui, first, count));
    if (shown) session.go_to_step(*shown);
}

void add(Session& session, LessonEditor& editor) {
    const Scene scene = session.bench_scene();
    session.edit_lesson("add a step", [&](Lesson& lesson, int& step) {
        Step added = step_of(scene);
        added.title.clear();
        step = insert_step(lesson, step, std::move(added));
    });
    editor.page = LessonEditor::Page::words;
}

void duplicate(Session& session) {
    session.edit_lesson("duplicate the step",
                        [](Lesson& lesson, int& step) { step = duplicate_step(lesson, step); });
}

void toggle_star(Session& session) {
    session.edit_lesson("star the step", [](Lesson& lesson, int& step) {
        bool& star = lesson.steps[step].star;
        star = !star;
    });
}

// Draws the button that saves the bench to the step; until then it may differ.
void draw_update(Gui& gui, Session& session) {
    if (button(gui, "Save current view to this step",
               {.outlined = true,
                .enabled = !session.bench_is_step(),
                .width = -1,
                .tip = "Replace this step's scene and view with the current ones"}))
        session.take_bench_into_step();
}

}  // namespace

void draw_lesson_steps(Gui& gui, Session& session, LessonEditor& editor) {
    heading(gui, "Steps", "drag to reorder");
    draw_rows(gui, session);
    gap(gui, 2);
    const double width = std::floor((room_width() - 3 * points(gui, 8)) / 4 / gui.scale);
    const bool several = session.lesson()->steps.size() > 1, star = shown_step(session).star;
    if (button(gui, "+ Step",
               {.width = width, .tip = "Add the current view as a new step after this one"}))
        add(session, editor);
    ImGui::SameLine();
    if (button(gui, "Copy",
               {.width = width, .tip = "Duplicate this step with its words and facts"}))
        duplicate(session);
    ImGui::SameLine();
    if (button(gui, "Delete##step", {.enabled = several, .width = width, .tip = "Can be undone"}))
        session.remove_shown_step();
    ImGui::SameLine();
    if (button(gui, star ? "★" : "☆",
               {.width = width, .tip = "Starred steps form the short lecture"}))
        toggle_star(session);
    draw_update(gui, session);
}

}  // namespace maskscope
