// Makes the result of ms_words(): see calls.h.

#include <fmt/format.h>

#include <algorithm>

#include "app/web/given_files.h"
#include "app/web/parts.h"
#include "core/compute/plain.h"
#include "core/format/scene_parts.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_words.h"
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

// Returns the claim with its verdict as one sentence.
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

using Choices = std::vector<std::pair<Json, std::string>>;  // as in the file, and in words

template <class T>
Choices labelled() {
    Choices choices;
    for (std::size_t k = 0; k < names<T>().size(); ++k)
        choices.emplace_back(names<T>()[k], label(static_cast<T>(k)));
    return choices;
}

template <class T>
Choices named() {
    Choices choices;
    for (const std::string_view word : names<T>())
        if (!word.empty()) choices.emplace_back(word, word);
    return choices;
}

struct PageSetting {
    std::string_view name, label, pointer;  // name: see settings()
    Choices (*choices)();
};

const PageSetting page_settings[] = {
    {"mask.apply", "How the mask is applied", "/mask/apply", labelled<Apply>},
    {"mask.value", "Mask value", "/mask/value",
     [] {
         return Choices{{"-inf", "−∞"}, {"lowest", "lowest"}, {-1e9, "−1e9"},
                        {-1e4, "−1e4"}, {-100, "−100"},       {-1, "−1"}};
     }},
    {"mask.times", "Mask value added", "/mask/times",
     [] {
         return Choices{{1, "once"}, {2, "twice"}};
     }},
    {"mask.order", "Order", "/mask/order",
     [] {
         Choices choices;
         for (const Order order :
              {Order::scale_then_mask, Order::mask_then_scale, Order::queries_first})
             choices.emplace_back(name(order), in_words(order));
         return choices;
     }},
    {"dtype", "Precision", "/dtype", named<Dtype>},
    {"scale", "Scale", "/scale",
     [] {
         return Choices{{"sqrt_d_k", "1/√d"}, {"sqrt_n_k", "1/√n"}, {"none", "none"}};
     }},
    {"empty_rows", "Empty rows", "/empty_rows", labelled<EmptyRows>},
    {"softcap", "Softcap", "/softcap", [] { return Choices{}; }},
    {"normalizer", "Normalizer", "/normalizer", labelled<Normalizer>},
    {"score", "Score", "/score/kind", labelled<ScoreKind>},
    {"output", "Output", "/output/kind", named<OutputKind>},
};

Json setting_json(const Scene& scene, const Json& written, int lane, const PageSetting& setting) {
    const Variant& variant = scene.variants[static_cast<std::size_t>(lane)];
    const Setting& known = *find_setting(setting.name);
    const std::string pointer = fmt::format("/variants/{}{}", lane, setting.pointer);
    const Json::json_pointer at(pointer);
    Json choices = Json::array();
    for (const auto& [value, words] : setting.choices())
        choices.push_back({{"value", value}, {"words", words}});
    return {{"name", setting.name},
            {"label", setting.label},
            {"words", known.words(variant)},
            {"pointer", pointer},
            {"value", written.contains(at) ? written[at] : Json()},
            {"acts", known.acts(scene.inputs, variant)},
            {"choices", std::move(choices)}};
}

}  // namespace

Json settings_of(const Scene& scene) {
    const Json written = scene_to_json(scene);
    Json lanes = Json::array();
    for (int lane = 0; lane < std::ssize(scene.variants); ++lane) {
        Json list = Json::array();
        for (const PageSetting& setting : page_settings)
            list.push_back(setting_json(scene, written, lane, setting));
        lanes.push_back(std::move(list));
    }
    return lanes;
}

Json answered_json(const Handout& handout) {
    const auto& answered = handout.answered();
    if (!answered) return nullptr;
    return {{"words", answered->words}, {"right", answered->right}};
}

Json words(Handout& handout) {
    const Step& step = handout.step();
    Json json = {{"title", handout.is_lesson() ? step.title : handout.scene().title},
                 {"covered", handout.covered()},
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
                 {"settings", settings_of(handout.scene())}};
    if (!handout.is_lesson()) return json;
    const StepWords filled = fill_words(step, handout.result());
    json["ask"] = filled.ask;
    if (handout.covered()) return json;
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
