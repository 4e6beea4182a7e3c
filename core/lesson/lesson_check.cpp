#include "core/lesson/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "core/lesson/lesson_edit.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// Runs `work`, with `prefix` added to the place of its errors.
template <class Work>
void at_place(const std::string& prefix, const Work& work) {
    try {
        work();
    } catch (const InputError& error) {
        throw InputError(prefix + error.place, error.what());
    }
}

// Returns the scene with fields set; errors have the place of the key inside `place`.
Scene scene_with(const Scene& scene, const Fields& fields, const SceneSources& sources,
                 const std::string& place) {
    if (fields.empty()) return scene;
    try {
        return with_fields(scene, fields, sources);
    } catch (const InputError& error) {
        const std::string key = error.place.empty() ? "" : "/" + escape_key(error.place);
        throw InputError(place + key, error.what());
    }
}

// Returns the scene in which an address is read, after checking that the address exists there.
Scene check_read(const Scene& scene, const Address& address, const SceneSources& sources,
                 const std::string& place) {
    Scene read = scene_with(scene, address.with, sources, place + "/with");
    at_place(place, [&] { check_address(read, address); });
    return read;
}

void check_fact(const Scene& scene, const Fact& fact, const SceneSources& sources,
                const std::string& place) {
    const Scene own = check_read(scene, fact.address, sources, place);
    const auto check_operand = [&](const Operand& operand, const std::string& at) {
        const Address* address = std::get_if<Address>(&operand);
        if (!address) return;
        const Scene read = check_read(scene, *address, sources, at);
        at_place(at, [&] { check_runs_along(read, *address, own, fact.address); });
    };
    if (fact.than) {
        check_operand(fact.than->value, place + "/than");
        if (fact.than->times) check_operand(*fact.than->times, place + "/than/times");
        if (fact.than->plus) check_operand(*fact.than->plus, place + "/than/plus");
    }
    scene_with(scene, fact.fails_with, sources, place + "/fails_with");
    at_place(place + "/says", [&] { check_caption(fact.says, scene); });
}

void check_try(const Step& step, const SceneSources& sources, const std::string& place) {
    const std::string sets = place + "/try_sets", shows = place + "/try_shows";
    if (!step.try_sets.empty() && step.try_this.empty())
        throw InputError(sets, "only with \"try\"");
    if (step.try_shows && step.try_sets.empty()) throw InputError(shows, "only with \"try_sets\"");
    const Scene tried = scene_with(step.scene, step.try_sets, sources, sets);
    if (step.try_shows) check_fact(tried, *step.try_shows, sources, shows);
}

void check_covers(const Scene& scene, const Cover& covers, const std::string& place) {
    const std::vector<int> variants = covers.variants.value_or(std::vector<int>());
    for (std::size_t k = 0; k < variants.size(); ++k) try {
            check_variant(scene, variants[k]);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}/lanes/{}", place, k), error.what());
        }
    const auto stages = covers.stages.value_or(std::vector<StageKind>());
    for (std::size_t k = 0; k < stages.size(); ++k)
        if (!has_stage(scene, stages[k]))
            throw InputError(fmt::format("{}/stages/{}", place, k),
                             fmt::format("these inputs have no {}", name(stages[k])));
}

// A word of a caption, and stages of which at least one must be drawn if the word is used. Words
// that also name operations (softmax, mask), or stages that are always drawn (weights), are left
// out.
struct StageWord {
    std::string_view word;
    std::vector<StageKind> stages;
};

const std::vector<StageWord>& stage_words() {
    using enum StageKind;
    static const std::vector<StageWord> words = {
        {"score", {scores, scaled}},   {"scores", {scores, scaled}}, {"logit", {logits}},
        {"logits", {logits}},          {"output", {output}},         {"outputs", {output}},
        {"sensitivity", {sensitivity}}};
    return words;
}

std::vector<StageKind> drawn_stages(const Scene& scene) {
    const Show show = scene.show.value_or(Show());
    const ViewKind view = show.view.value_or(ViewKind::pipeline);
    std::vector<StageKind> drawn;
    for (const auto& stage : view_rows[static_cast<int>(view)].stages)
        if (stage) drawn.push_back(*stage);
    // A view without stages of its own draws the shown ones; the view of heads draws one of them.
    if (drawn.empty()) drawn = shown_stages(show);
    std::erase_if(drawn, [&](StageKind stage) { return !has_stage(scene, stage); });
    return drawn;
}

// Counts the numbers that are computed or typed; "1/√d" is a formula.
int count_numbers(const std::string& caption) {
    int numbers = 0;
    for (const CaptionPart& part : parse_caption(caption)) {
        numbers +=
            std::holds_alternative<NumberPart>(part) || std::holds_alternative<TallyPart>(part);
        const auto* const text = std::get_if<std::string>(&part);
        std::istringstream stream(text ? *text : "");
        for (std::string word; stream >> word;)
            numbers += word.find_first_of("0123456789") == 0 &&
                       word.find_first_not_of("0123456789.,:;?%") == std::string::npos;
    }
    return numbers;
}

}  // namespace

std::vector<std::string> caption_warnings(const Step& step, const std::string& filled) {
    std::vector<std::string> warnings;
    const auto expect_at_most = [&](int most, int count, const char* things) {
        if (count > most)
            warnings.push_back(fmt::format("{} {} (at most {})", count, things, most));
    };
    expect_at_most(most_words, count_words(filled), "words");
    expect_at_most(most_numbers, count_numbers(step.caption), "numbers");
    for (const std::string& word : undrawn_words(step))
        warnings.push_back(fmt::format("\"{}\": the step does not show it", word));
    return warnings;
}

std::vector<std::string> undrawn_words(const Step& step) {
    std::string text;
    for (const CaptionPart& part : parse_caption(step.caption))
        text += std::holds_alternative<std::string>(part) ? std::get<std::string>(part) : "{}";
    const std::vector<StageKind> drawn = drawn_stages(step.scene);
    const auto is_drawn = [&](StageKind stage) { return std::ranges::count(drawn, stage) > 0; };
    std::vector<std::string> undrawn;
    std::string word;
    for (const char c : text + " ") {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalpha(byte) != 0) {
            word += static_cast<char>(std::tolower(byte));
            continue;
        }
        const auto named = std::ranges::find(stage_words(), word, &StageWord::word);
        if (named != stage_words().end() && std::ranges::none_of(named->stages, is_drawn) &&
            std::ranges::find(undrawn, word) == undrawn.end())
            undrawn.push_back(word);
        word.clear();
    }
    return undrawn;
}

void check_lesson(const Lesson& lesson, const SceneSources& sources) {
    for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
        const Step& step = lesson.steps[k];
        const std::string place = fmt::format("/steps/{}", k);
        const auto check_text = [&](const std::string& key, const std::string& text) {
            at_place(place + key, [&] { check_caption(text, step.scene); });
        };
        check_text("/caption", step.caption);
        check_text("/ask", step.ask);
        check_text("/try", step.try_this);
        check_text("/notes", step.notes);
        for (std::size_t row = 0; row < step.table.size(); ++row)
            for (std::size_t cell = 0; cell < step.table[row].size(); ++cell)
                check_text(fmt::format("/table/{}/{}", row, cell), step.table[row][cell]);
        if (!step.answers.empty() && step.ask.empty())
            throw InputError(place + "/answer", "only with \"ask\"");
        for (const std::string& answer : step.answers) check_text("/answer", answer);
        check_try(step, sources, place);
        if (step.exercise)
            at_place(place + "/exercise",
                     [&] { check_variant(step.scene, step.exercise->variant); });
        if (step.covers) check_covers(step.scene, *step.covers, place + "/covers");
        for (std::size_t f = 0; f < step.facts.size(); ++f)
            check_fact(step.scene, step.facts[f], sources, fmt::format("{}/facts/{}", place, f));
    }
}

}  // namespace maskscope
