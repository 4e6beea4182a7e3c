// Edits the words of a step: title, caption, question, and what to try. Every keystroke shows at
// once.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <sstream>

#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/text_area.h"
#include "core/scene/names.h"

namespace maskscope {

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
    {"step ask", "Question first", "edit the question", &Step::ask, {1, "No question"}},
    {"step try", "Try", "edit what to try", &Step::try_this, {1, "Nothing to try"}},
    {"step source", "Source", "edit the source", &Step::source, {1, "Paper, book or thread"}},
};

std::string note_of(const Words& words, const Step& step) {
    if (words.words != &Step::caption) return "";
    return fmt::format("{} of {} words", count_words(step.caption), most_words);
}

void draw_words(Gui& gui, Session& session, LessonEditor& editor, const Words& words) {
    const Step step = shown_step(session);  // typing changes the step
    const bool long_winded =
        words.words == &Step::caption && count_words(step.caption) > most_words;
    label_pair(gui, words.name, note_of(words, step), {.style = {.size = 12}, .role = Role::dim},
               {.style = {.size = 12}, .role = long_winded ? Role::odd : Role::dim});
    const bool edited = edited_text(gui, words.id).has_value();
    if (const auto typed = text_area(gui, words.id, step.*words.words, words.options))
        edit_words(session, words.what, words.words, *typed);
    if (edited && !edited_text(gui, words.id)) session.end_merge();
    if (words.id == caption_id && edited_text(gui, caption_id))
        editor.caption_caret = {session.step(), gui.editing->field.caret()};
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

// Draws the answers of a step that asks a question.
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
            fmt::format("answer/{}", session.step()));
    if (edited && !edited_text(gui, id)) session.end_merge();
}

// Chooses whether a variant starts without its mask, which is then to be painted.
void draw_exercise(Gui& gui, Session& session) {
    const Step& step = shown_step(session);
    std::vector<std::string> choices = {"none"};
    for (int lane = 0; lane < std::ssize(step.scene.variants); ++lane)
        choices.emplace_back(1, lane_letter(lane));
    label(gui, "Exercise: paint the mask of", {.style = {.size = 12}, .role = Role::dim});
    const int chosen = step.exercise ? step.exercise->lane + 1 : 0;
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
        fmt::format("{}/{}", what, session.step()));
}

void insert_into_caption(Session& session, LessonEditor& editor, const std::string& expression) {
    TokenField field(shown_step(session).caption);
    auto& caret = editor.caption_caret;
    const auto stops = caret_stops(field.text());
    if (caret && caret->first == session.step() && caret->second < field.text().size())
        field.place_caret(*std::ranges::lower_bound(stops, caret->second), false);
    const bool in_word = field.caret() > 0 && field.text()[field.caret() - 1] != ' ';
    field.insert((in_word ? " " : "") + expression);
    caret = {session.step(), field.caret()};
    session.end_merge();
    edit_words(session, "an expression in the caption", &Step::caption, field.text());
    session.end_merge();
}

void draw_step_words(Gui& gui, Session& session, LessonEditor& editor) {
    ImGui::PushID(session.step());
    for (const Words& words : all_words) {
        draw_words(gui, session, editor, words);
        if (words.words == &Step::ask) draw_answers(gui, session);
    }
    draw_exercise(gui, session);
    ImGui::PopID();
}

}  // namespace maskscope
