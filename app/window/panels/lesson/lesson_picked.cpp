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

namespace maskscope {

namespace {

void choose_lane(App& app, Pick& pick) {
    const Scene& scene = app.session.shown().scene;
    const std::vector<Pick> picks = lanes_to_pick(app.session.view(), scene, pick);
    std::vector<std::string> names;
    for (const Pick& one : picks) names.push_back(lane_text(one));
    const auto at = std::ranges::find(picks, pick);
    const int chosen = at == picks.end() ? -1 : static_cast<int>(at - picks.begin());
    constexpr std::size_t most_segments = 5;
    if (picks.size() < 2) {
        if (chosen < 0) pick = picks.front();
        return;
    }
    const auto pressed = picks.size() <= most_segments
                             ? segments(app, "picked lane", names, chosen)
                             : combo(app, "picked lane", names, chosen, {.name = "Lane"});
    if (pressed) pick = picks[*pressed];
}

void choose_measure(App& app, Pick& pick) {
    const std::vector<Measure> measures = measures_of(app.session.shown().scene, pick);
    std::vector<std::string> names;
    for (const Measure& measure : measures) names.push_back(measure.text);
    const auto at = std::ranges::find(measures, pick.of, &Measure::of);
    const auto pressed = combo(app, "picked measure", names,
                               at == measures.end() ? -1 : static_cast<int>(at - measures.begin()));
    if (pressed) pick.of = measures[*pressed].of;
}

void choose_reach(App& app, Pick& pick) {
    const bool figure = is_figure(pick.of);
    const std::vector<std::string> names =
        figure ? std::vector<std::string>{"This row", "Every row"}
               : std::vector<std::string>{"This cell", "Its row", "Every cell"};
    const std::vector<Reach> reaches = figure
                                           ? std::vector<Reach>{Reach::one, Reach::all}
                                           : std::vector<Reach>{Reach::one, Reach::row, Reach::all};
    if (figure && pick.reach == Reach::row) pick.reach = Reach::one;
    const auto chosen = std::ranges::find(reaches, pick.reach) - reaches.begin();
    if (const auto pressed = segments(app, "picked reach", names, static_cast<int>(chosen)))
        pick.reach = reaches[*pressed];
}

// The address as a caption has it, and its number.
void draw_number(App& app, const Pick& pick, const Address& address) {
    const std::string value = pick.reach == Reach::one
                                  ? fill_caption(caption_part(address, false), app.session.shown())
                                  : "";
    label_pair(app, address_text(address), value,
               {.style = {.size = 12, .mono = true}, .role = Role::dim},
               {.style = {.weight = Weight::semibold}});
}

void draft_fact(App& app, const Address& address) {
    const Session& session = app.session;
    const Result& shown = session.shown();
    FactDraft draft;
    draft.fact = propose_fact(shown, address, shown_lanes(session.view(), shown.scene));
    draft.fact.says = words_of(draft.fact, shown.scene);
    draft.step = session.step();
    app.ui.lesson_editor->draft = std::move(draft);
}

void draw_caption_uses(App& app, const Address& address) {
    if (button(app, "Into the caption",
               {.filled = true, .tip = "Where the caret stood in it; it follows every edit"}))
        insert_into_caption(app, address, false);
    flow_before(app, "as %");
    if (button(app, "as %", {.enabled = is_share(address.of)}))
        insert_into_caption(app, address, true);
}

void draw_fact_use(App& app, const Address& address) {
    if (button(app, "Make a fact",
               {.filled = true, .width = -1, .tip = "A claim that the lesson checks"}))
        draft_fact(app, address);
}

}  // namespace

void draw_picked_number(App& app) {
    heading(app, "From the bench");
    if (!app.session.view().show.focus) {
        paragraph(app,
                  "Click a cell to pin it: its number can stand in the caption, and a fact can be "
                  "made of it.",
                  {.role = Role::dim});
        return;
    }
    Pick& pick = app.ui.lesson_editor->pick;
    choose_lane(app, pick);
    choose_measure(app, pick);
    const bool for_fact = app.ui.lesson_editor->page == LessonEditor::Page::facts;
    if (for_fact)
        choose_reach(app, pick);
    else
        pick.reach = Reach::one;
    const Scene& scene = app.session.shown().scene;
    const auto address = address_of(pick, app.session.view(), scene);
    if (!address) {
        label(app, "There is no such number here.", {.role = Role::dim});
        return;
    }
    paragraph(app, words_of(*address, scene));
    draw_number(app, pick, *address);
    if (for_fact)
        draw_fact_use(app, *address);
    else
        draw_caption_uses(app, *address);
}

}  // namespace maskscope
