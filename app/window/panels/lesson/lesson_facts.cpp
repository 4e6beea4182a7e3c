// Draws the facts of a step, and the number that is picked on the bench for a fact or the caption.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/session/computing.h"
#include "app/window/panels/lesson/lesson_parts.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/text_area.h"
#include "core/base/number_text.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_proposal.h"
#include "core/lesson/fact_words.h"
#include "core/scene/names.h"

namespace maskscope {

// --- the number that was picked on the bench, with buttons that put it into the caption or a fact

namespace {

void choose_variant(Gui& gui, const Session& session, Pick& pick) {
    const Scene& scene = session.shown().scene;
    const std::vector<Pick> picks = variants_to_pick(session.view(), scene, pick);
    std::vector<std::string> names;
    for (const Pick& one : picks) names.push_back(variant_text(one));
    auto at = std::ranges::find(picks, pick);
    if (at == picks.end()) {  // an edit has removed or hidden it
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

// Draws the address as it is written in a caption, and the number.
void draw_number(Gui& gui, const Session& session, const Pick& pick, const Address& address) {
    const std::string value = pick.reach == Reach::one ? number_of(session, address) : "";
    label_pair(gui, address_text(address), value,
               {.style = {.size = 12, .mono = true}, .role = Role::dim},
               {.style = {.weight = Weight::semibold}});
}

void draft_fact(const Session& session, LessonEditor& editor, const Address& address) {
    const Result& shown = session.shown();
    FactDraft draft;
    draft.fact = propose_fact(shown, address, shown_variants(session.view(), shown.scene));
    draft.fact.says = words_of(draft.fact, shown.scene);
    draft.step = session.document().step;
    editor.draft = std::move(draft);
}

// Draws buttons for the names of the picked cell's query and key.
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
    choose_variant(gui, session, pick);
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

// --- the facts of the step, each with whether it holds

namespace {

constexpr double number_width = 96;  // points

Step& step_at(Lesson& lesson, int step) { return lesson.steps[step]; }

void remove_fact(Session& session, std::size_t k) {
    session.edit_lesson("remove a fact", [&](Lesson& lesson, int& step) {
        auto& facts = step_at(lesson, step).facts;
        facts.erase(facts.begin() + static_cast<std::ptrdiff_t>(k));
    });
}

void put_first(Session& session, std::size_t k) {
    session.edit_lesson("move a fact to the top", [&](Lesson& lesson, int& step) {
        auto& facts = step_at(lesson, step).facts;
        const auto at = facts.begin() + static_cast<std::ptrdiff_t>(k);
        std::rotate(facts.begin(), at, at + 1);
    });
}

void change_fact(const Session& session, LessonEditor& editor, const Fact& fact) {
    editor.draft = FactDraft{
        .fact = fact, .replaces = fact, .own_words = true, .step = session.document().step};
}

void draw_fact(Gui& gui, Session& session, LessonEditor& editor, std::size_t k, const Fact& fact,
               const Verdict* verdict) {
    const Result& shown = session.shown();
    const std::string claimed = claim(fact, shown, false);
    ImGui::PushID(static_cast<int>(k));
    if (verdict != nullptr)
        verdict_lines(gui, verdict->holds,
                      claimed + verdict_after(claimed, fact, *verdict, shown.scene));
    else
        paragraph(gui, claimed);
    ImGui::Indent(static_cast<float>(points(gui, 18)));
    paragraph(gui, fmt::format("fails with {}", words_of(fact.fails_with)),
              {.style = {.size = 12}, .role = Role::dim});
    gap(gui, 1);
    if (button(gui, "Change", {.outlined = true})) change_fact(session, editor, fact);
    flow_before(gui, "Remove");
    if (button(gui, "Remove", {.outlined = true})) remove_fact(session, k);
    if (k > 0) {
        flow_before(gui, "First");
        if (button(gui, "First",
                   {.outlined = true,
                    .tip = "Make this the first fact, which is shown below the caption"}))
            put_first(session, k);
    }
    ImGui::Unindent(static_cast<float>(points(gui, 18)));
    ImGui::PopID();
}

// --- a fact that is being written or changed

// Call it when the fact has changed: rewrites its words, unless the user has edited them, and
// restarts the search for an edit that makes it false.
void follow_with_words(const Session& session, FactDraft& draft) {
    if (!draft.own_words) draft.fact.says = words_of(draft.fact, session.shown().scene);
    draft.from = 0;
}

void choose_relation(Gui& gui, const Session& session, FactDraft& draft) {
    std::vector<std::string> names;
    for (int k = 0; k <= static_cast<int>(Relation::nan); ++k)
        names.emplace_back(words_of(static_cast<Relation>(k)));
    const auto pressed = combo(gui, "fact is", names, static_cast<int>(draft.fact.is));
    if (!pressed) return;
    draft.fact = with_relation(draft.fact, static_cast<Relation>(*pressed));
    follow_with_words(session, draft);
}

// Returns the same number in the other shown variants.
std::vector<Operand> beside(const Session& session, const Fact& fact) {
    std::vector<Operand> operands;
    const Scene& scene = session.shown().scene;
    for (const int variant : shown_variants(session.view(), scene)) {
        Address other = fact.address;
        other.variant = variant;
        other.minus.reset();
        if (other != fact.address && exists(scene, other)) operands.emplace_back(other);
    }
    return operands;
}

// Draws the choice of the other side of the comparison: a number, or another variant.
void choose_side(Gui& gui, const Session& session, FactDraft& draft) {
    std::vector<Operand> operands = {0.0};
    std::vector<std::string> names = {"a number"};
    for (const Operand& operand : beside(session, draft.fact)) {
        operands.push_back(operand);
        names.push_back(
            fmt::format("variant {}", variant_letter(std::get<Address>(operand).variant)));
    }
    const Operand& now = draft.fact.than->value;
    auto at = std::ranges::find(operands, now) - operands.begin();
    if (std::holds_alternative<double>(now)) {
        at = 0;
    } else if (at == static_cast<std::ptrdiff_t>(operands.size())) {
        operands.push_back(now);
        names.push_back(address_text(std::get<Address>(now)));
    }
    if (names.size() == 1) return;
    const auto pressed =
        combo(gui, "fact than", names, static_cast<int>(at), {.name = "Compared with"});
    if (!pressed) return;
    draft.fact.than = Comparand{operands[*pressed], {}, {}};
    follow_with_words(session, draft);
}

// Returns −1 if the typed distance is subtracted from the other variant's number, as for "less
// than", otherwise 1.
double distance_sign(Relation is) { return is == Relation::less ? -1 : 1; }

void type_distance(Gui& gui, const Session& session, FactDraft& draft) {
    std::optional<Operand>& plus = draft.fact.than->plus;
    if (plus && std::holds_alternative<Address>(*plus)) return;
    const double sign = distance_sign(draft.fact.is);
    const bool apart = draft.fact.is == Relation::less || draft.fact.is == Relation::greater;
    field_name(gui, apart ? "By more than" : "Plus", number_width);
    const double shown = plus ? sign * std::get<double>(*plus) : 0;
    const auto typed = number_field(gui, "fact number", shown, {.width = number_width});
    if (!typed) return;
    plus.reset();
    if (*typed != 0) plus.emplace(sign * *typed);
    follow_with_words(session, draft);
}

void type_number(Gui& gui, const Session& session, FactDraft& draft) {
    double* number = std::get_if<double>(&draft.fact.than->value);
    if (number == nullptr) return type_distance(gui, session, draft);
    field_name(gui, "Number", number_width);
    const auto typed = number_field(gui, "fact number", *number, {.width = number_width});
    if (!typed) return;
    *number = *typed;
    follow_with_words(session, draft);
}

void type_words(Gui& gui, FactDraft& draft) {
    label(gui, "Words", {.style = {.size = 12}, .role = Role::dim});
    const auto typed =
        text_area(gui, "fact says", draft.fact.says, {2, "As it is shown under the caption"});
    if (!typed) return;
    draft.fact.says = *typed;
    draft.own_words = !typed->empty();
}

// Names the edit that makes the fact false, and the number after it. Omits the number if the fact
// compares two variants, because the edit may have changed either.
std::string failure_text(const Fact& fact, const Failure& failure) {
    const std::string text = fmt::format("Fails with {}", words_of(failure.fields));
    const bool plain = !fact.than || std::holds_alternative<double>(fact.than->value);
    const bool number = plain && failure.verdict.exists;
    return number ? fmt::format("{} ({})", text, exact_text(failure.verdict.value)) : text;
}

// Draws a change that makes the fact fail, and a button for another one.
void draw_failure(Gui& gui, FactDraft& draft, const JudgedDraft& judged) {
    if (judged.searching) {
        label(gui, "Looking for an edit that makes it false…", {.role = Role::dim});
    } else if (!judged.failure && draft.from == 0) {
        paragraph(gui,
                  "No edit makes this fact false, so it shows nothing. Change the comparison or "
                  "the number.",
                  {.role = Role::wrong});
    } else if (!judged.failure) {
        label(gui, "No other edit makes it false.", {.role = Role::dim});
        if (button(gui, "Start over", {.outlined = true})) draft.from = 0;
    } else {
        paragraph(gui, failure_text(draft.fact, *judged.failure));
        gap(gui, 1);
        if (button(gui, "Try another change",
                   {.outlined = true, .tip = "Find another edit that makes the fact false"}))
            draft.from = judged.failure->next;
    }
}

// Adds the fact to the step. Because facts are about what is visible, the bench is also saved to
// the step.
void take_fact(Session& session, LessonEditor& editor, const FactDraft& draft,
               const Fields& fails_with) {
    Fact fact = draft.fact;
    fact.fails_with = fails_with;
    const Scene scene = step_scene(session);
    session.edit_lesson(
        draft.replaces ? "change a fact" : "add a fact", [&](Lesson& lesson, int& step) {
            Step& changed = step_at(lesson, step);
            changed.scene = scene;
            const auto old = std::ranges::find_if(
                changed.facts, [&](const Fact& one) { return draft.replaces == one; });
            if (old != changed.facts.end())
                *old = fact;
            else
                changed.facts.push_back(fact);
        });
    editor.draft.reset();
}

}  // namespace

void draw_step_facts(Gui& gui, Session& session, LessonEditor& editor) {
    const Step step = shown_step(session);  // copied, because buttons change the step
    const std::vector<Verdict> verdicts = session.results().verdicts();
    const FactDraft* const draft =
        editor.draft && editor.draft->step == session.document().step ? &*editor.draft : nullptr;
    for (std::size_t k = 0; k < step.facts.size(); ++k)
        if (!draft || draft->replaces != step.facts[k])
            draw_fact(gui, session, editor, k, step.facts[k],
                      k < verdicts.size() ? &verdicts[k] : nullptr);
    if (step.facts.empty() && !draft) label(gui, "None yet.", {.role = Role::dim});
}

void draw_fact_draft(Gui& gui, Session& session, LessonEditor& editor) {
    FactDraft draft = *editor.draft;
    heading(gui, draft.replaces ? "Change the fact" : "New fact");
    const Scene& shown = session.shown().scene;
    paragraph(gui, exists(shown, draft.fact.address)
                       ? words_of(draft.fact.address, shown)
                       : "The cell this fact refers to no longer exists.");
    choose_relation(gui, session, draft);
    if (draft.fact.than) {
        choose_side(gui, session, draft);
        type_number(gui, session, draft);
    }
    type_words(gui, draft);
    const JudgedDraft judged = session.judge_draft(draft.fact, draft.from);
    if (judged.verdict)
        verdict_lines(gui, judged.verdict->holds,
                      verdict_words(draft.fact, *judged.verdict, session.shown().scene));
    if (judged.verdict && judged.verdict->holds) draw_failure(gui, draft, judged);
    editor.draft = draft;
    const bool take = button(gui, draft.replaces ? "Apply" : "Add the fact",
                             {.filled = true, .enabled = judged.failure.has_value()});
    flow_before(gui, "Cancel");
    const bool leave = button(gui, "Cancel##fact");
    if (take)
        take_fact(session, editor, draft, judged.failure->fields);
    else if (leave)
        editor.draft.reset();
}

}  // namespace maskscope
