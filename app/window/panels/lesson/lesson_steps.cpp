// The steps of a lesson: a click shows one, a drag moves it.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"

namespace maskscope {

namespace {

constexpr double row_height = 28;  // points

struct Row {
    Rect rect;
    bool clicked = false, dragged = false, dropped = false, hovered = false;
};

Row press_row(App& app) {
    const ImVec2 size{static_cast<float>(std::max(1.0, room_width())),
                      static_cast<float>(points(app, row_height))};
    Row row;
    const bool pressed = press_area(app, "step", size.x, size.y);
    const ImVec2 low = ImGui::GetItemRectMin();
    row.rect = {low.x, low.y, size.x, size.y};
    const ImVec2 way = ImGui::GetMouseDragDelta(0, static_cast<float>(points(app, 4)));
    const bool moved = way.x != 0 || way.y != 0;
    row.clicked = pressed && !moved;
    row.dragged = ImGui::IsItemActive() && moved;
    row.dropped = ImGui::IsItemDeactivated() && moved;
    row.hovered = ImGui::IsItemHovered();
    return row;
}

void draw_row(App& app, const Row& row, int k, const Step& step) {
    const bool shown = k == app.session.step();
    if (shown || row.hovered)
        draw_box(
            app,
            {.rect = row.rect, .radius = points(app, 5), .filled = true, .fill = Role::raised});
    const double middle = row.rect.y + row.rect.h / 2;
    const TextStyle style{.size = 13 * app.ui_scale,
                          .weight = shown ? Weight::semibold : Weight::regular};
    const auto put = [&](double x, const std::string& text, Role role) {
        const double left = row.rect.x + points(app, x);
        draw_text(app, {.at = {left, middle},
                        .text = text,
                        .style = style,
                        .role = role,
                        .max_width = std::max(1.0, row.rect.right() - left - points(app, 6))});
    };
    put(8, std::to_string(k + 1), Role::dim);
    if (step.star) put(30, "★", Role::odd);
    put(48, step.title.empty() ? "no title yet" : step.title,
        shown && !step.title.empty() ? Role::ink : Role::dim);
}

// Where a dragged row would be let down.
int target_of(const App& app, const Rect& first, int count) {
    const double row = std::floor((app.now.pointer.y - first.y) / first.h);
    return static_cast<int>(std::clamp(row, 0.0, count - 1.0));
}

void draw_target(App& app, const Rect& first, int from, int to) {
    const double y = first.y + (to > from ? to + 1 : to) * first.h;
    const double line = points(app, 2);
    draw_box(app,
             {.rect = {first.x, y - line / 2, first.w, line}, .filled = true, .fill = Role::odd});
}

void show(App& app, int step) {
    app.session.go_to_step(step);
    if (app.session.covered()) app.session.next();  // who writes it knows the answer
}

void draw_rows(App& app) {
    const Lesson lesson = *app.session.lesson();  // rows may change it
    const int count = static_cast<int>(lesson.steps.size());
    std::optional<int> shown, dragged, dropped;
    Rect first;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    for (int k = 0; k < count; ++k) {
        ImGui::PushID(k);
        const Row row = press_row(app);
        ImGui::PopID();
        draw_row(app, row, k, lesson.steps[k]);
        if (k == 0) first = row.rect;
        if (row.clicked) shown = k;
        if (row.dragged) dragged = k;
        if (row.dropped) dropped = k;
    }
    ImGui::PopStyleVar();
    if (dragged) draw_target(app, first, *dragged, target_of(app, first, count));
    if (dropped) move_lesson_step(app, *dropped, target_of(app, first, count));
    if (shown) show(app, *shown);
}

void add(App& app) {
    const Scene scene = app.session.bench_scene();
    app.session.edit_lesson("add a step", [&](Lesson& lesson, int& step) {
        Step added = step_of(scene);
        added.title.clear();
        step = insert_step(lesson, step, std::move(added));
    });
    app.ui.lesson_editor->page = LessonEditor::Page::words;
}

void duplicate(App& app) {
    app.session.edit_lesson("duplicate the step",
                            [](Lesson& lesson, int& step) { step = duplicate_step(lesson, step); });
}

void toggle_star(App& app) {
    app.session.edit_lesson("star the step", [](Lesson& lesson, int& step) {
        bool& star = lesson.steps[step].star;
        star = !star;
    });
}

// The bench goes its own way until the step takes it.
void draw_update(App& app) {
    const Session& session = app.session;
    if (button(app, "Update the step with the bench",
               {.outlined = true,
                .enabled = !session.bench_is_step(),
                .width = -1,
                .tip = "Its scene, and what is shown of it, become those on the bench"}))
        app.session.take_bench_into_step();
}

}  // namespace

void draw_lesson_steps(App& app) {
    heading(app, "Steps", "drag to reorder");
    draw_rows(app);
    gap(app, 2);
    const double width = std::floor((room_width() - 3 * points(app, 8)) / 4 / app.ui_scale);
    const bool several = app.session.lesson()->steps.size() > 1, star = shown_step(app).star;
    if (button(app, "+ Step",
               {.width = width, .tip = "The bench as a new step after the one that is shown"}))
        add(app);
    ImGui::SameLine();
    if (button(app, "Copy", {.width = width, .tip = "The step, its words and facts, once more"}))
        duplicate(app);
    ImGui::SameLine();
    if (button(app, "Delete##step",
               {.enabled = several, .width = width, .tip = "Undo brings it back"}))
        app.session.remove_shown_step();
    ImGui::SameLine();
    if (button(app, star ? "★" : "☆",
               {.width = width, .tip = "Steps with a star are the short lecture"}))
        toggle_star(app);
    draw_update(app);
}

}  // namespace maskscope
