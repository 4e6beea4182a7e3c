// Makes the result of ms_words(): see calls.h.

#include <algorithm>

#include "app/web/handout.h"
#include "core/compute/plain.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_words.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// --- facts

Json fact_json(Handout& handout, const Fact& fact) {
    PlainBackend backend;
    const Result& result = handout.result();
    const Verdict verdict = judge(fact, result, backend, given_files());
    return {{"claim", claim(fact, result)},
            {"holds", verdict.holds},
            {"exists", verdict.exists},
            {"verdict", verdict_words(fact, verdict, result.scene)}};
}

// Returns the fact and whether it holds, as one sentence.
std::string claim_with_verdict(Handout& handout, const std::string& claim) {
    if (claim.empty()) return "";
    PlainBackend backend;
    const Fact& fact = handout.step().facts.front();
    const Verdict verdict = judge(fact, handout.result(), backend, given_files());
    return claim + verdict_after(claim, fact, verdict, handout.result().scene);
}

Json try_done(Handout& handout) {
    const auto& shows = handout.step().try_shows;
    if (!shows) return nullptr;
    PlainBackend backend;
    const Verdict verdict = judge(*shows, handout.result(), backend, given_files());
    return verdict.exists ? Json(verdict.holds) : Json();
}

// --- sentences

std::string quoted(const std::string& token) {
    const bool plain = !token.empty() && token.find_first_of(" \t\n\"\\") == std::string::npos;
    if (plain) return token;
    std::string text = "\"";
    for (const char letter : token) {
        if (letter == '"' || letter == '\\') text += '\\';
        text += letter;
    }
    return text + '"';
}

std::string sentence(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += (text.empty() ? "" : " ") + quoted(token);
    return text;
}

Json sentences_of(const Scene& scene) {
    Json list = Json::array();
    for (const Sequence& sequence : scene.sequences) {
        if (!sequence.source.empty())
            list.push_back({{"source", sentence(sequence.source)}});
        else
            list.push_back({{"queries", sentence(sequence.queries)},
                            {"keys", sequence.keys ? Json(sentence(*sequence.keys)) : Json()}});
    }
    return list;
}

// --- settings

Json setting_json(const Scene& scene, int index, const Setting& setting,
                  const std::vector<Choice>& choices) {
    const Variant& variant = scene.variants[static_cast<std::size_t>(index)];
    Json words = Json::array(), chosen;
    for (const Choice& choice : choices) {
        if (choice.is_chosen) chosen = words.size();
        words.push_back(choice.words);
    }
    return {{"setting", setting.key},
            {"label", capital(setting.label)},
            {"heading", setting.look == Look::below_heading},
            {"choices", std::move(words)},
            {"chosen", std::move(chosen)},
            {"text", setting.typed ? Json(setting.text(variant)) : Json()}};
}

// Returns the mask rules that a click adds or removes: the usual ones, and those that some variant
// uses. Omits lists of cells, which are clicked in the mask itself.
Json rules_of(const Scene& scene, const Variant& variant) {
    const auto has = [](const Variant& v, LayerKind kind) {
        return std::ranges::count(v.mask.layers, kind, &MaskLayer::kind) > 0;
    };
    Json list = Json::array();
    for (const LayerRule& rule : layer_rules()) {
        const bool is_used = std::ranges::any_of(
            scene.variants, [&](const Variant& v) { return has(v, rule.kind); });
        if (!rule.lists_cells && (!rule.is_rare || is_used))
            list.push_back(
                {{"kind", rule.name}, {"label", rule.label}, {"on", has(variant, rule.kind)}});
    }
    return list;
}

Json settings_of(const Scene& scene) {
    Json variants = Json::array();
    for (int index = 0; index < std::ssize(scene.variants); ++index) {
        Json& list = variants.emplace_back(Json::array());
        const Variant& variant = scene.variants[static_cast<std::size_t>(index)];
        for (const Setting* setting : listed_settings()) {
            if (!setting->acts(scene.inputs, variant)) continue;
            const std::vector<Choice> choices = choices_of(*setting, scene, index);
            if (!choices.empty() || setting->typed)
                list.push_back(setting_json(scene, index, *setting, choices));
        }
    }
    return variants;
}

}  // namespace

Json answered_json(const Handout& handout) {
    const auto& answered = handout.answered();
    if (!answered) return nullptr;
    return {{"words", answered->words}, {"right", answered->right}};
}

Json words(Handout& handout) {
    const Step& step = handout.step();
    Json json = {{"title", handout.is_lesson() ? step.title : handout.scene().title},
                 {"covered", handout.asks()},
                 {"ask", ""},
                 {"caption", ""},
                 {"claim", ""},
                 {"verdict", ""},
                 {"source", step.source},
                 {"table", Json::array()},
                 {"answer", ""},
                 {"answered", answered_json(handout)},
                 {"try", ""},
                 {"try_shows", ""},
                 {"try_done", Json()},
                 {"facts", Json::array()},
                 {"exercise", Json()},
                 {"sentences", sentences_of(handout.scene())},
                 {"settings", settings_of(handout.scene())},
                 {"rules", Json::array()}};
    for (const Variant& variant : handout.scene().variants)
        json["rules"].push_back(rules_of(handout.scene(), variant));
    if (!handout.is_lesson()) return json;
    const StepWords filled = fill_words(step, handout.result());
    json["ask"] = filled.ask;
    if (handout.asks()) return json;
    json["caption"] = filled.caption;
    json["claim"] = filled.claim;
    json["verdict"] = claim_with_verdict(handout, filled.claim);
    json["table"] = filled.table;
    if (!filled.answers.empty()) json["answer"] = filled.answers.front();
    json["try"] = filled.try_this;
    if (step.try_shows) json["try_shows"] = claim(*step.try_shows, handout.result());
    json["try_done"] = try_done(handout);
    for (const Fact& fact : step.facts) json["facts"].push_back(fact_json(handout, fact));
    if (const auto differing = differing_cells(step, handout.scene()); differing && step.exercise)
        json["exercise"] = {{"differing", differing->cells}, {"cells", differing->of}};
    return json;
}

}  // namespace maskscope
