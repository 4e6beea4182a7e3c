#include "app/window/panels/parts.h"

#include <imgui.h>

#include <algorithm>

#include "app/window/actions/actions.h"
#include "app/window/widgets/widgets.h"
#include "core/edit/edit.h"
#include "core/scene/model.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

constexpr std::size_t most_offered = 8;
constexpr double typed_height = 38, offers_height = 46;  // points

// Returns words that begin with the last, unfinished word; none after a space.
std::vector<std::string> offered(const Vocabulary& vocabulary, const std::string& typed) {
    std::vector<std::string> found;
    const std::vector<std::string> words = typed_words(typed);
    if (words.empty() || typed.ends_with(' ')) return found;
    for (std::size_t id = first_word_id; id < vocabulary.words.size(); ++id)
        if (found.size() < most_offered && vocabulary.words[id].starts_with(words.back()) &&
            vocabulary.words[id] != words.back())
            found.push_back(vocabulary.words[id]);
    return found;
}

std::string completed(const std::string& typed, const std::string& word) {
    std::vector<std::string> words = typed_words(typed);
    if (!words.empty()) words.pop_back();
    words.push_back(word);
    return joined(words);
}

Index shown_sentence(const Session& session) {
    const auto& listed = session.view().show.sequences;
    const auto count = std::ssize(session.scene().sequences);
    return listed && !listed->empty() ? std::min<Index>(listed->front(), count - 1) : 0;
}

// Translates the typed text. Returns why that failed, or "" if the model knows all of it.
std::string translate_typed(Session& session, Index b, const std::string& typed) {
    const std::vector<std::string> words = typed_words(typed);
    const Model& model = *model_of(session.scene())->loaded;
    if (words.empty()) return "";
    if (const auto bad = bad_source(model, words)) return bad->what;
    if (words == session.scene().sequences[b].source) return "";
    session.edit(
        "type a sentence", [&](Scene& scene) { set_source(scene, b, words); },
        sentence_field_id(b, Side::queries));
    session.view().words.reset();
    return "";
}

// Draws words that complete the last one, or if there are none, what is wrong.
void draw_offers(Gui& gui, Session& session, Index b, const std::string& typed,
                 const std::string& wrong) {
    const auto words = offered(model_of(session.scene())->loaded->source, typed);
    for (const std::string& word : words) {
        if (&word != &words.front()) same_line(gui, 4);
        if (room_width() < chip_width(gui, word)) break;
        if (!chip(gui, word + "##offered").clicked) continue;
        const std::string whole = completed(typed, word);
        edit_field(gui, sentence_field_id(b, Side::queries), whole + " ", false);
        translate_typed(session, b, whole);
    }
    if (words.empty() && !wrong.empty()) paragraph(gui, wrong, {.role = Role::wrong});
}

// Draws the buttons for stepping, in place of the offered words.
void draw_stepping(Gui& gui, Session& session) {
    const bool steps = session.view().words.has_value();
    if (!may_explore(session)) return;
    if (chip(gui, "Word by word", {.selected = steps}).clicked) {
        if (steps)
            session.view().words.reset();
        else
            step_in_view(session, 1);
    }
    tooltip_below(gui, "Page Down writes the next word and shows what its query attends to");
}

}  // namespace

void draw_sentence(Gui& gui, Session& session, bool beside) {
    const Index b = shown_sentence(session);
    const std::string shown = joined(session.scene().sequences[b].source);
    FieldOptions options;
    options.height = typed_height;
    options.style = {.size = 17};
    if (beside) options.width = room_width() / 2 / gui.scale;
    options.hint = "An Italian sentence";
    options.on_tab = [&](const std::string& typed) {
        const auto words = offered(model_of(session.scene())->loaded->source, typed);
        return words.empty() ? typed : completed(typed, words.front()) + " ";
    };
    const bool edited = edited_text(gui, sentence_field_id(b, Side::queries)).has_value();
    const ImVec2 at = ImGui::GetCursorPos();
    const auto committed = text_field(gui, sentence_field_id(b, Side::queries), shown, options);
    if (committed) {
        if (const auto wrong = translate_typed(session, b, *committed); !wrong.empty())
            session.say(capital(wrong) + ".", true);
        session.end_merge();
        return;
    }
    if (edited && !edited_text(gui, sentence_field_id(b, Side::queries))) session.end_merge();
    if (beside) same_line(gui, 12);
    const double top = beside ? at.y + points(gui, 5) : ImGui::GetCursorPosY();
    ImGui::SetCursorPosY(static_cast<float>(top));
    if (const auto typed = edited_text(gui, sentence_field_id(b, Side::queries)))
        draw_offers(gui, session, b, *typed, translate_typed(session, b, *typed));
    else
        draw_stepping(gui, session);
    const double below = top + points(gui, offers_height);  // reserved, so that nothing moves while
                                                            // the user types
    ImGui::SetCursorPos({at.x, std::max(ImGui::GetCursorPosY(), static_cast<float>(below))});
}

}  // namespace maskscope
