// A lesson is written: its steps, the words of the one that is shown, numbers and facts picked from
// the bench.

#include <fmt/format.h>
#include <imgui.h>

#include "app/figure/style/labels.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/text_area.h"

namespace maskscope {

namespace {

// A cell that was pressed on the bench is what is picked.
void follow_bench(App& app) {
    const View& view = app.session.view();
    if (!ImGui::IsMouseClicked(0) || !view.hovered || app.session.covered()) return;
    if (!app.panels.bench.contains(app.now.pointer)) return;
    Pick& pick = app.ui.lesson_editor->pick;
    pick = pick_of(*view.hovered, view, app.session.shown().scene, pick);
}

void draw_heading(App& app) {
    const double width = 28;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    heading(app, "Lesson");
    ImGui::SetCursorScreenPos({at.x + static_cast<float>(room_width() - points(app, width)), at.y});
    if (button(app, "×##close lesson", {.width = width, .tip = "Ctrl+L: back to the inspector"}))
        toggle_lesson_editor(app);
}

void draw_beginning(App& app) {
    paragraph(app,
              "What is on the bench becomes a step: with a title, a caption whose numbers are "
              "computed, and a fact that can fail.",
              {.role = Role::dim});
    gap(app, 4);
    if (button(app, "New lesson", {.filled = true, .width = -1})) {
        app.session.begin_lesson();
        app.ui.lesson_editor->page = LessonEditor::Page::words;
    }
    if (button(app, "Add to a lesson …",
               {.outlined = true, .width = -1, .tip = "The bench as one more step of its file"}))
        app.ui.path_line = PathLine{.purpose = PathLine::Purpose::add_to_lesson};
}

void draw_title(App& app) {
    const std::string title = app.session.lesson()->title;
    const auto typed = text_area(app, "lesson title", title, {.hint = "Title of the lesson"});
    if (!typed) return;
    app.session.edit_lesson(
        "retitle the lesson", [&](Lesson& lesson, int&) { lesson.title = *typed; }, "lesson title");
}

void draw_problem(App& app) {
    const auto& problem = app.session.lesson_problem();
    if (!problem) return;
    paragraph(app, problem->text, {.style = {.size = 12}, .role = Role::odd});
}

void draw_steps_page(App& app) {
    draw_title(app);
    gap(app, 6);
    draw_lesson_steps(app);
}

void draw_facts_page(App& app) {
    heading(app, fmt::format("Facts of step {}", app.session.step() + 1), "the first is shown");
    if (app.session.covered()) {
        if (button(app, "Show the answer", {.width = -1})) app.session.next();
        return;
    }
    draw_step_facts(app);
    gap(app, 6);
    if (app.ui.lesson_editor->draft)
        draw_fact_draft(app);
    else
        draw_picked_number(app);
}

void draw_words_page(App& app) {
    heading(app, fmt::format("Words of step {}", app.session.step() + 1));
    draw_step_words(app);
    gap(app, 6);
    if (!app.session.covered()) draw_picked_number(app);
}

void draw_lesson(App& app) {
    using Page = LessonEditor::Page;
    const Page page = app.ui.lesson_editor->page;
    if (const auto pressed =
            segments(app, "lesson page", {"Steps", "Words", "Facts"}, static_cast<int>(page)))
        app.ui.lesson_editor->page = static_cast<Page>(*pressed);
    draw_problem(app);
    gap(app, 4);
    if (page == Page::steps) draw_steps_page(app);
    if (page == Page::words) draw_words_page(app);
    if (page == Page::facts) draw_facts_page(app);
}

// What was being made belongs to the step that was shown.
void forget_others_draft(App& app) {
    auto& draft = app.ui.lesson_editor->draft;
    if (draft && (!app.session.lesson() || draft->step != app.session.step())) draft.reset();
}

}  // namespace

const Step& shown_step(const App& app) { return app.session.lesson()->steps[app.session.step()]; }

void flow_before(App& app, const std::string& text) {
    const double width = measure(text, {.size = 13 * app.ui_scale, .weight = Weight::medium}).width;
    ImGui::SameLine();
    if (room_width() < width + points(app, 28)) ImGui::NewLine();
}

void verdict_lines(App& app, bool holds, const std::string& text) {
    const double dot = points(app, 10), line = points(app, 20);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_box(app, {.rect = {at.x, at.y + (line - dot) / 2, dot, dot},
                   .radius = holds ? dot / 2 : points(app, 2),
                   .filled = true,
                   .fill = holds ? Role::right : Role::wrong});
    ImGui::Indent(static_cast<float>(points(app, 18)));
    paragraph(app, text, {.role = holds ? Role::ink : Role::wrong});
    ImGui::Unindent(static_cast<float>(points(app, 18)));
}

void draw_lesson_editor(App& app) {
    const Rect& rect = app.panels.inspector;
    if (rect.w <= 0 || rect.h <= 0) return;
    follow_bench(app);
    forget_others_draft(app);
    begin_panel(app, "lesson editor", rect);
    draw_edge(app, rect, Edge::left);
    draw_heading(app);
    if (!app.ui.lesson_editor) {  // just closed
    } else if (app.session.lesson() == nullptr) {
        draw_beginning(app);
    } else {
        draw_lesson(app);
    }
    end_panel();
}

}  // namespace maskscope
