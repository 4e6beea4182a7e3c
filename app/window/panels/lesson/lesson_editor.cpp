// Draws the lesson editor: the steps, the words of the shown step, and numbers and facts that are
// picked on the bench.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/style/labels.h"
#include "app/window/actions/shortcuts.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/text_area.h"
#include "core/scene/names.h"

namespace maskscope {

// --- the steps as rows: a click shows a step, a drag moves it

namespace {

constexpr double row_height = 28;  // points

void draw_row(Gui& gui, const Session& session, const Rect& row, bool hovered, int k,
              const Step& step) {
    const bool shown = k == session.document().step;
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

// Returns the index at which a dragged row would be dropped.
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
    const Lesson lesson = *session.lesson();  // copied, because rows may change the lesson
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
    const Scene scene = bench_scene(session);
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
                .enabled = !bench_is_step(session),
                .width = -1,
                .tip = "Replace this step's scene and view with the current ones"}))
        take_bench_into_step(session);
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

// --- fields for the words of a step: title, caption, question, and what to try. Every keystroke
// takes effect immediately.

namespace {

const char* const caption_id = "step caption";

struct Words {
    const char* id;
    const char* name;
    const char* what;  // the name of the undo step
    std::string Step::*words;
    AreaOptions options;
};

const Words all_words[] = {
    {"step title", "Title", "retitle the step", &Step::title, {1, "What the step shows"}},
    {caption_id, "Caption", "edit the caption", &Step::caption, {3, "Two sentences"}},
    {"step ask", "Question", "edit the question", &Step::ask, {1, "Optional: asked first"}},
    {"step try", "Try", "edit what to try", &Step::try_this, {1, "Optional: what to try"}},
    {"step source", "Source", "edit the source", &Step::source, {1, "Paper, book or thread"}},
};

std::string note_of(const Words& words, const Step& step) {
    if (words.words != &Step::caption) return "";
    return fmt::format("{} of {} words", count_words(step.caption), most_words);
}

void draw_words(Gui& gui, Session& session, LessonEditor& editor, const Words& words) {
    const Step step = shown_step(session);  // copied, because typing changes the step
    const bool long_winded =
        words.words == &Step::caption && count_words(step.caption) > most_words;
    label_pair(gui, words.name, note_of(words, step), {.style = {.size = 12}, .role = Role::dim},
               {.style = {.size = 12}, .role = long_winded ? Role::odd : Role::dim});
    const bool edited = edited_text(gui, words.id).has_value();
    if (const auto typed = text_area(gui, words.id, step.*words.words, words.options))
        edit_words(session, words.what, words.words, *typed);
    if (edited && !edited_text(gui, words.id)) session.end_merge();
    if (words.id == caption_id && edited_text(gui, caption_id))
        editor.caption_caret = {session.document().step, gui.editing->field.caret()};
}

std::string joined(const std::vector<std::string>& answers) {
    return fmt::format("{}", fmt::join(answers, " | "));
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> answers;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, '|');)
        if (const std::string_view answer = trimmed(part); !answer.empty())
            answers.emplace_back(answer);
    return answers;
}

// Draws the answers to the step's question.
void draw_answers(Gui& gui, Session& session) {
    const char* const id = "step answer";
    const Step& step = shown_step(session);
    if (step.ask.empty() && step.answers.empty()) return;
    label(gui, "Answer", {.style = {.size = 12}, .role = Role::dim});
    const bool edited = edited_text(gui, id).has_value();
    if (const auto typed = text_area(gui, id, joined(step.answers), {1, "True | also accepted"}))
        session.edit_lesson(
            "edit the answer",
            [&](Lesson& lesson, int& k) { lesson.steps[k].answers = split(*typed); },
            fmt::format("answer/{}", session.document().step));
    if (edited && !edited_text(gui, id)) session.end_merge();
}

// Draws the choice of a variant that begins without its mask, to be painted by the reader.
void draw_exercise(Gui& gui, Session& session) {
    const Step& step = shown_step(session);
    std::vector<std::string> choices = {"none"};
    for (int variant = 0; variant < std::ssize(step.scene.variants); ++variant)
        choices.emplace_back(1, variant_letter(variant));
    label(gui, "Exercise: paint the mask of", {.style = {.size = 12}, .role = Role::dim});
    const int chosen = step.exercise ? step.exercise->variant + 1 : 0;
    const auto picked = combo(gui, "step exercise", choices, chosen, {.width = 90});
    if (!picked || *picked == chosen) return;
    session.edit_lesson("change the exercise", [&](Lesson& lesson, int& k) {
        auto& exercise = lesson.steps[k].exercise;
        exercise.reset();
        if (*picked > 0) exercise = Exercise{*picked - 1};
    });
}

}  // namespace

void edit_words(Session& session, const std::string& what, std::string Step::*words,
                const std::string& text) {
    session.edit_lesson(
        what, [&](Lesson& lesson, int& step) { lesson.steps[step].*words = text; },
        fmt::format("{}/{}", what, session.document().step));
}

void insert_into_caption(Session& session, LessonEditor& editor, const std::string& expression) {
    TokenField field(shown_step(session).caption);
    auto& caret = editor.caption_caret;
    const auto stops = caret_stops(field.text());
    if (caret && caret->first == session.document().step && caret->second < field.text().size())
        field.place_caret(*std::ranges::lower_bound(stops, caret->second), false);
    const bool in_word = field.caret() > 0 && field.text()[field.caret() - 1] != ' ';
    field.insert((in_word ? " " : "") + expression);
    caret = {session.document().step, field.caret()};
    session.end_merge();
    edit_words(session, "an expression in the caption", &Step::caption, field.text());
    session.end_merge();
}

void draw_step_words(Gui& gui, Session& session, LessonEditor& editor) {
    ImGui::PushID(session.document().step);
    for (const Words& words : all_words) {
        draw_words(gui, session, editor, words);
        if (words.words == &Step::ask) draw_answers(gui, session);
    }
    draw_exercise(gui, session);
    ImGui::PopID();
}

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

// Draws a field for a line of the lesson's text.
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
    heading(gui, fmt::format("Facts of step {}", session.document().step + 1),
            "the first is shown");
    draw_step_facts(gui, session, editor);
    gap(gui, 6);
    if (editor.draft && editor.draft->step == session.document().step)
        draw_fact_draft(gui, session, editor);
    else
        draw_picked_number(gui, session, editor);
}

void draw_lesson(Gui& gui, Session& session, LessonEditor& editor) {
    using Page = LessonEditor::Page;
    const Page page = editor.page;
    if (page == Page::facts) return draw_facts_page(gui, session, editor);
    if (page == Page::steps) {
        draw_line(gui, session, "Title of the lesson", "What the lesson is about", &Lesson::title);
        draw_line(gui, session, "Shown in the list of lessons", "One line", &Lesson::about);
        gap(gui, 6);
        draw_lesson_steps(gui, session, editor);
    } else {
        heading(gui, fmt::format("Words of step {}", session.document().step + 1));
        draw_step_words(gui, session, editor);
        gap(gui, 6);
        draw_picked_number(gui, session, editor);
    }
}

// Draws the tabs of the pages, which stay while a page scrolls.
void draw_page_tabs(Gui& gui, LessonEditor& editor) {
    if (const auto pressed = segments(gui, "lesson page", {"Steps", "Words", "Facts"},
                                      static_cast<int>(editor.page)))
        editor.page = static_cast<LessonEditor::Page>(*pressed);
}

// Says at the bottom what is missing, in a reserved space, so that nothing moves when it appears.
void draw_missing(Gui& gui, const Session& session, const Rect& rect) {
    begin_panel(gui, "missing", rect, {.padding = 12});
    draw_edge(gui, rect, Edge::left);
    ImGui::Indent(static_cast<float>(points(gui, 8)));  // aligned with the text above
    if (const auto& problem = session.results().lesson_problem())
        paragraph(gui, problem->text, {.style = {.size = 12}, .role = Role::odd});
    end_panel();
}

}  // namespace

const Step& shown_step(const Session& session) {
    return session.lesson()->steps[session.document().step];
}

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
    session.show_answer();  // authors do not need the question
    follow_bench(gui, session, editor, bench);
    if (!session.lesson()) editor.draft.reset();
    const bool writes = session.lesson() != nullptr;
    Rect head = rect, page = rect, foot = rect;
    if (writes) {
        head.h = std::min(points(gui, 98), rect.h / 3);
        foot.h = std::min(points(gui, 76), rect.h / 3);
        page.y = head.bottom();
        page.h = rect.h - head.h - foot.h;
        foot.y = page.bottom();
    }
    begin_panel(gui, "lesson editor", head);
    draw_edge(gui, head, Edge::left);
    draw_heading(gui, commands, writes && session.results().lesson_problem());
    if (writes)
        draw_page_tabs(gui, editor);
    else
        draw_beginning(gui, session, editor, commands);
    end_panel();
    if (!writes) return;
    begin_panel(gui, "lesson page", page);
    draw_edge(gui, page, Edge::left);
    draw_lesson(gui, session, editor);
    end_panel();
    draw_missing(gui, session, foot);
}

}  // namespace maskscope
