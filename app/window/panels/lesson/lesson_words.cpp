// What a step says: title, caption, question, and what to try. Every key stroke shows at once.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/text_area.h"

namespace maskscope {

namespace {

const char* const caption_id = "step caption";

struct Words {
    const char* id;
    const char* name;
    const char* what;  // the step of undo
    std::string Step::*words;
    AreaOptions options;
};

const Words all_words[] = {
    {"step title", "Title", "retitle the step", &Step::title, {1, "What the step shows"}},
    {caption_id, "Caption", "edit the caption", &Step::caption, {3, "Two sentences"}},
    {"step ask", "Asks first", "edit the question", &Step::ask, {1, "No question"}},
    {"step try", "Try", "edit what to try", &Step::try_this, {1, "Nothing to try"}},
};

std::string note_of(const Words& words, const Step& step) {
    if (words.words != &Step::caption) return "";
    return fmt::format("{} of {} words", count_words(step.caption), most_words);
}

void draw_words(App& app, const Words& words) {
    const Step step = shown_step(app);  // typing changes it
    const bool long_winded =
        words.words == &Step::caption && count_words(step.caption) > most_words;
    label_pair(app, words.name, note_of(words, step), {.style = {.size = 12}, .role = Role::dim},
               {.style = {.size = 12}, .role = long_winded ? Role::odd : Role::dim});
    const bool edited = edited_text(app, words.id).has_value();
    if (const auto typed = text_area(app, words.id, step.*words.words, words.options))
        edit_words(app, words.what, words.words, *typed);
    if (edited && !edited_text(app, words.id)) app.session.end_merge();
    if (words.id == caption_id && edited_text(app, caption_id))
        app.ui.lesson_editor->caption_caret = {app.session.step(), app.ui.editing->field.caret()};
}

}  // namespace

void edit_words(App& app, const std::string& what, std::string Step::*words,
                const std::string& text) {
    app.session.edit_lesson(
        what, [&](Lesson& lesson, int& step) { lesson.steps[step].*words = text; },
        fmt::format("{}/{}", what, app.session.step()));
}

void insert_into_caption(App& app, const Address& address, bool percent) {
    TokenField field(shown_step(app).caption);
    auto& caret = app.ui.lesson_editor->caption_caret;
    const auto stops = caret_stops(field.text());
    if (caret && caret->first == app.session.step() && caret->second < field.text().size())
        field.place_caret(*std::ranges::lower_bound(stops, caret->second), false);
    const bool in_word = field.caret() > 0 && field.text()[field.caret() - 1] != ' ';
    field.insert((in_word ? " " : "") + caption_part(address, percent));
    caret = {app.session.step(), field.caret()};
    app.session.end_merge();
    edit_words(app, "a number in the caption", &Step::caption, field.text());
    app.session.end_merge();
}

void draw_step_words(App& app) {
    ImGui::PushID(app.session.step());
    for (const Words& words : all_words) draw_words(app, words);
    ImGui::PopID();
}

}  // namespace maskscope
