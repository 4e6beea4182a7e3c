// The lesson editor: steps, the words of the shown one, numbers and facts picked from the bench.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/style/labels.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/text_area.h"

namespace maskscope {

namespace {

// Picks the cell that was pressed on the bench.
void follow_bench(Gui& gui, const Session& session, LessonEditor& editor, const Rect& bench) {
    const View& view = session.view();
    if (!ImGui::IsMouseClicked(0) || !view.hovered) return;
    if (!bench.contains(gui.now.pointer)) return;
    Pick& pick = editor.pick;
    pick = pick_of(*view.hovered, view, session.shown().scene, pick);
}

void draw_heading(Gui& gui, Commands& commands, bool draft) {
    const double width = 28;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    heading(gui, draft ? "Lesson (draft)" : "Lesson");
    set_cursor(at.x + room_width() - points(gui, width), at.y);
    if (button(gui, "×##close lesson", {.width = width, .tip = "Ctrl+L: back to the inspector"}))
        commands.push_back(on<toggle_lesson_editor>);
}

void draw_beginning(Gui& gui, Session& session, LessonEditor& editor, Commands& commands) {
    paragraph(gui,
              "The current view becomes a step with a title, a caption whose numbers are computed, "
              "and a fact that can fail.",
              {.role = Role::dim});
    gap(gui, 4);
    if (button(gui, "New lesson", {.filled = true, .width = -1})) {
        session.begin_lesson();
        editor.page = LessonEditor::Page::words;
    }
    if (button(gui, "Add to a lesson…",
               {.outlined = true,
                .width = -1,
                .tip = "Add the current view as a step of another lesson file"}))
        commands.push_back(on<open_path_line, PathLine::Purpose::add_to_lesson>);
}

// Draws a line of text of the lesson.
void draw_line(Gui& gui, Session& session, const char* name, const char* hint,
               std::string Lesson::*words) {
    const std::string text = session.lesson()->*words;
    label(gui, name, {.style = {.size = 12}, .role = Role::dim});
    const auto typed = text_area(gui, name, text, {.hint = hint});
    if (!typed) return;
    session.edit_lesson(
        "retitle the lesson", [&](Lesson& lesson, int&) { lesson.*words = *typed; }, name);
}

void draw_facts_page(Gui& gui, Session& session, LessonEditor& editor) {
    heading(gui, fmt::format("Facts of step {}", session.step() + 1), "the first is shown");
    draw_step_facts(gui, session, editor);
    gap(gui, 6);
    if (editor.draft && editor.draft->step == session.step())
        draw_fact_draft(gui, session, editor);
    else
        draw_picked_number(gui, session, editor);
}

void draw_lesson(Gui& gui, Session& session, LessonEditor& editor) {
    using Page = LessonEditor::Page;
    const Page page = editor.page;
    if (const auto pressed =
            segments(gui, "lesson page", {"Steps", "Words", "Facts"}, static_cast<int>(page)))
        editor.page = static_cast<Page>(*pressed);
    gap(gui, 4);
    if (page == Page::facts) return draw_facts_page(gui, session, editor);
    if (page == Page::steps) {
        draw_line(gui, session, "Title of the lesson", "What the lesson is about", &Lesson::title);
        draw_line(gui, session, "Shown in the list of lessons", "One line", &Lesson::about);
        gap(gui, 6);
        draw_lesson_steps(gui, session, editor);
    } else {
        heading(gui, fmt::format("Words of step {}", session.step() + 1));
        draw_step_words(gui, session, editor);
        gap(gui, 6);
        draw_picked_number(gui, session, editor);
    }
}

// Says at the bottom what is missing, in space of its own, so that nothing moves when it appears.
void draw_missing(Gui& gui, const Session& session, const Rect& rect) {
    begin_panel(gui, "missing", rect, {.padding = 12});
    draw_edge(gui, rect, Edge::left);
    ImGui::Indent(static_cast<float>(points(gui, 8)));  // below what is above
    if (const auto& problem = session.lesson_problem())
        paragraph(gui, problem->text, {.style = {.size = 12}, .role = Role::odd});
    end_panel();
}

}  // namespace

const Step& shown_step(const Session& session) { return session.lesson()->steps[session.step()]; }

void flow_before(Gui& gui, const std::string& text) {
    const double width = measure(text, {.size = 13 * gui.scale, .weight = Weight::medium}).width;
    ImGui::SameLine();
    if (room_width() < width + points(gui, 28)) ImGui::NewLine();
}

void verdict_lines(Gui& gui, bool holds, const std::string& text) {
    const double dot = points(gui, 10), line = points(gui, 20);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_box(gui, {.rect = {at.x, at.y + (line - dot) / 2, dot, dot},
                   .radius = holds ? dot / 2 : points(gui, 2),
                   .filled = true,
                   .fill = holds ? Role::right : Role::wrong});
    ImGui::Indent(static_cast<float>(points(gui, 18)));
    paragraph(gui, text, {.role = holds ? Role::ink : Role::wrong});
    ImGui::Unindent(static_cast<float>(points(gui, 18)));
}

void draw_lesson_editor(Gui& gui, Session& session, LessonEditor& editor, Commands& commands,
                        const Rect& rect, const Rect& bench) {
    if (rect.w <= 0 || rect.h <= 0) return;
    session.show_answer();  // the author knows it
    follow_bench(gui, session, editor, bench);
    if (!session.lesson()) editor.draft.reset();
    const bool writes = session.lesson() != nullptr;
    Rect upper = rect, foot = rect;
    foot.h = writes ? std::min(points(gui, 76), rect.h / 3) : 0;
    upper.h = rect.h - foot.h;
    foot.y = upper.bottom();
    begin_panel(gui, "lesson editor", upper);
    draw_edge(gui, upper, Edge::left);
    draw_heading(gui, commands, writes && session.lesson_problem());
    if (writes)
        draw_lesson(gui, session, editor);
    else
        draw_beginning(gui, session, editor, commands);
    end_panel();
    if (writes) draw_missing(gui, session, foot);
}

}  // namespace maskscope
