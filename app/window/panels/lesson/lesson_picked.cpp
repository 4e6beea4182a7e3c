// The number that is picked on the bench, and where it goes: into the caption, or a fact.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_proposal.h"
#include "core/lesson/fact_words.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

void choose_lane(Gui& gui, const Session& session, Pick& pick) {
    const Scene& scene = session.shown().scene;
    const std::vector<Pick> picks = lanes_to_pick(session.view(), scene, pick);
    std::vector<std::string> names;
    for (const Pick& one : picks) names.push_back(lane_text(one));
    auto at = std::ranges::find(picks, pick);
    if (at == picks.end()) {  // an edit removed or hid it
        at = picks.begin();
        pick = *at;
    }
    const int chosen = static_cast<int>(at - picks.begin());
    constexpr std::size_t most_segments = 5;
    if (picks.size() < 2) return;
    const auto pressed = picks.size() <= most_segments
                             ? segments(gui, "picked variant", names, chosen)
                             : combo(gui, "picked variant", names, chosen, {.name = "Variant"});
    if (pressed) pick = picks[*pressed];
}

void choose_measure(Gui& gui, const Session& session, Pick& pick) {
    const std::vector<Measure> measures = measures_of(session.view(), session.shown().scene, pick);
    std::vector<std::string> names;
    for (const Measure& measure : measures) names.push_back(measure.text);
    const auto at = std::ranges::find(measures, pick.of, &Measure::of);
    const auto pressed = combo(gui, "picked measure", names,
                               at == measures.end() ? -1 : static_cast<int>(at - measures.begin()));
    if (pressed) pick.of = measures[*pressed].of;
}

void choose_reach(Gui& gui, Pick& pick) {
    const bool figure = is_figure(pick.of);
    const std::vector<std::string> names =
        figure ? std::vector<std::string>{"This row", "Every row"}
               : std::vector<std::string>{"This cell", "Its row", "Every cell"};
    const std::vector<Reach> reaches = figure
                                           ? std::vector<Reach>{Reach::one, Reach::all}
                                           : std::vector<Reach>{Reach::one, Reach::row, Reach::all};
    if (figure && pick.reach == Reach::row) pick.reach = Reach::one;
    const auto chosen = std::ranges::find(reaches, pick.reach) - reaches.begin();
    if (const auto pressed = segments(gui, "picked reach", names, static_cast<int>(chosen)))
        pick.reach = reaches[*pressed];
}

std::string number_of(const Session& session, const Address& address) {
    const Result& shown = session.shown();
    return fill_caption(caption_part(address, false), shown, shown.scene, false).value_or("");
}

// Draws the address as written in a caption, and its number.
void draw_number(Gui& gui, const Session& session, const Pick& pick, const Address& address) {
    const std::string value = pick.reach == Reach::one ? number_of(session, address) : "";
    label_pair(gui, address_text(address), value,
               {.style = {.size = 12, .mono = true}, .role = Role::dim},
               {.style = {.weight = Weight::semibold}});
}

void draft_fact(const Session& session, LessonEditor& editor, const Address& address) {
    const Result& shown = session.shown();
    FactDraft draft;
    draft.fact = propose_fact(shown, address, shown_lanes(session.view(), shown.scene));
    draft.fact.says = words_of(draft.fact, shown.scene);
    draft.step = session.step();
    editor.draft = std::move(draft);
}

// Draws the picked cell's query and key by name.
void draw_token_uses(Gui& gui, Session& session, LessonEditor& editor, const Address& address) {
    const Scene& scene = session.shown().scene;
    const bool has_key = address.at.size() > 3 && address.of != name(StageKind::output);
    const Index b = address.at[0].index;
    std::vector<TokenPart> tokens = {{TokenPart::Of::query, b, address.at[2].index}};
    if (has_key) tokens.push_back({TokenPart::Of::key, b, address.at[3].index});
    for (const TokenPart& token : tokens) {
        const bool of_query = token.of == TokenPart::Of::query;
        const auto all = of_query ? query_tokens(scene, b) : key_tokens(scene, b);
        const std::string word = "“" + chip_text(all[token.index]) + "”";
        flow_before(gui, word);
        if (button(gui, fmt::format("{}##{}", word, of_query ? "query" : "key"),
                   {.tip = "Insert the token. It follows every edit"}))
            insert_into_caption(session, editor, "“" + expression_text(token) + "”");
    }
}

void draw_caption_uses(Gui& gui, Session& session, LessonEditor& editor, const Address& address) {
    if (button(gui, "Insert into caption",
               {.filled = true, .tip = "Insert the number at the caret. It follows every edit"}))
        insert_into_caption(session, editor, caption_part(address, false));
    flow_before(gui, "as %");
    if (button(gui, "as %", {.enabled = is_share(address.of)}))
        insert_into_caption(session, editor, caption_part(address, true));
    draw_token_uses(gui, session, editor, address);
}

void draw_fact_use(Gui& gui, const Session& session, LessonEditor& editor, const Address& address) {
    if (button(gui, "Add as a fact",
               {.filled = true, .width = -1, .tip = "Add a statement that the lesson checks"}))
        draft_fact(session, editor, address);
}

}  // namespace

void draw_picked_number(Gui& gui, Session& session, LessonEditor& editor) {
    heading(gui, "From the view");
    if (!session.view().show.focus) {
        paragraph(gui,
                  "Click a cell to pin it. Then you can insert its number into the caption, or add "
                  "a fact about it.",
                  {.role = Role::dim});
        return;
    }
    Pick& pick = editor.pick;
    choose_lane(gui, session, pick);
    choose_measure(gui, session, pick);
    const bool for_fact = editor.page == LessonEditor::Page::facts;
    if (for_fact)
        choose_reach(gui, pick);
    else
        pick.reach = Reach::one;
    const Scene& scene = session.shown().scene;
    const auto address = address_of(pick, session.view(), scene);
    if (!address) {
        label(gui, "There is no such number here.", {.role = Role::dim});
        return;
    }
    paragraph(gui, words_of(*address, scene));
    draw_number(gui, session, pick, *address);
    if (for_fact)
        draw_fact_use(gui, session, editor, *address);
    else
        draw_caption_uses(gui, session, editor, *address);
}

}  // namespace maskscope
