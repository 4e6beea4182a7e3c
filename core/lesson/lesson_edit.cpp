#include "core/lesson/lesson_edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/compute/memory.h"
#include "core/edit/edit.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "core/lesson/lesson.h"
#include "core/lesson/lesson_check.h"

namespace maskscope {

namespace {

auto place_of(Lesson& lesson, int step) { return lesson.steps.begin() + step; }

// Returns the problem that check_lesson() finds in one step.
std::optional<LessonProblem> checked_step(const Lesson& lesson, int step,
                                          const SceneSources& sources) {
    Lesson one;
    one.steps = {lesson.steps[step]};
    try {
        check_lesson(one, sources);
        return std::nullopt;
    } catch (const InputError& error) {
        // "/steps/0/facts/0/fails_with/~1variants~11" becomes ", fact 1"
        const std::string facts = "/steps/0/facts/";
        std::string part;
        if (error.place.starts_with(facts))
            part = fmt::format(", fact {}", std::stoul(error.place.substr(facts.size())) + 1);
        else if (error.place == "/steps/0/caption")
            part = ", the caption";
        else if (error.place == "/steps/0/ask")
            part = ", the question";
        else if (error.place == "/steps/0/try")
            part = ", what to try";
        else  // keys that are written by hand: "/steps/0/try_sets/~1inputs" becomes ", try_sets"
            part = ", " + error.place.substr(9, error.place.find('/', 9) - 9);
        return LessonProblem{step, fmt::format("Step {}{}: {}.", step + 1, part, error.what())};
    } catch (const WorkError& error) {
        return LessonProblem{step, fmt::format("Step {}: {}.", step + 1, error.what())};
    }
}

std::string missing_in(const Step& step) {
    if (step.title.empty()) return "a title";
    if (step.caption.empty()) return "a caption";
    if (step.facts.empty()) return "a fact. Pin a cell and press “Add as a fact”";
    return "";
}

}  // namespace

Step step_of(const Scene& scene) {
    Step step;
    step.title = scene.title;
    step.scene = scene;
    return step;
}

Lesson lesson_of(const Scene& scene) {
    Lesson lesson;
    lesson.title = scene.title.empty() ? "My lesson" : scene.title;
    lesson.name = lesson_name_of(lesson.title);
    lesson.steps = {step_of(scene)};
    return lesson;
}

int insert_step(Lesson& lesson, int after, Step step) {
    lesson.steps.insert(place_of(lesson, after + 1), std::move(step));
    return after + 1;
}

int duplicate_step(Lesson& lesson, int step) {
    return insert_step(lesson, step, lesson.steps[step]);
}

int move_step(Lesson& lesson, int from, int to) {
    to = std::clamp(to, 0, static_cast<int>(lesson.steps.size()) - 1);
    if (from < to)
        std::rotate(place_of(lesson, from), place_of(lesson, from + 1), place_of(lesson, to + 1));
    else
        std::rotate(place_of(lesson, to), place_of(lesson, from), place_of(lesson, from + 1));
    return to;
}

int remove_step(Lesson& lesson, int step) {
    if (lesson.steps.size() == 1) throw EditError("A lesson needs at least one step.");
    lesson.steps.erase(place_of(lesson, step));
    return std::min(step, static_cast<int>(lesson.steps.size()) - 1);
}

std::string caption_part(const Address& address, bool percent) {
    return expression_text(NumberPart{address, percent});
}

int count_words(std::string_view caption) {
    int words = 0;
    bool in_word = false, in_braces = false;
    for (const char c : caption) {
        if (c == '{') in_braces = true;
        if (c == '}') in_braces = false;
        const bool blank = c == ' ' && !in_braces;
        if (!blank && !in_word) ++words;
        in_word = !blank;
    }
    return words;
}

std::string lesson_name_of(std::string_view text) {
    std::string name;
    for (char c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (kept)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name.empty() ? "lesson" : name;
}

std::optional<LessonProblem> problem_of(const Lesson& lesson, const SceneSources& sources) {
    if (lesson.title.empty()) return LessonProblem{0, "The lesson needs a title."};
    for (int k = 0; k < std::ssize(lesson.steps); ++k) {
        const std::string missing = missing_in(lesson.steps[k]);
        if (!missing.empty())
            return LessonProblem{k, fmt::format("Step {} needs {}.", k + 1, missing)};
        if (auto problem = checked_step(lesson, k, sources)) return problem;
    }
    return std::nullopt;
}

std::optional<LessonProblem> unsound_fact(const Lesson& lesson, Backend& backend,
                                          const SceneSources& sources, Progress* progress) {
    Progress own;
    if (!progress) progress = &own;
    for (int k = 0; k < std::ssize(lesson.steps); ++k) {
        const Step& step = lesson.steps[k];
        if (numbers_to_compute(step.scene) > most_numbers_at_once || reads_root_d(step)) continue;
        try {
            const Result result = backend.compute(step.scene, {}, nullptr, *progress);
            for (std::size_t f = 0; f < step.facts.size(); ++f) {
                const Fact& fact = step.facts[f];
                const bool holds = judge(fact, result, backend, sources, progress).holds;
                if (holds && can_fail(fact, step.scene, backend, sources, progress)) continue;
                const char* wrong = holds ? "cannot fail" : "does not hold";
                return LessonProblem{k, fmt::format("step {}, fact {} {}: {}", k + 1, f + 1, wrong,
                                                    claim(fact, result))};
            }
            if (!step.try_shows) continue;
            const TryVerdict tried = judge_try(step, result, backend, sources, progress);
            if (tried.is_sound()) continue;
            const char* wrong =
                tried.verdict.holds ? "shows something that is already true" : "does not show";
            return LessonProblem{k,
                                 fmt::format("step {}, the Try {}: {}", k + 1, wrong, tried.claim)};
        } catch (const std::runtime_error& error) {  // the scene cannot be computed
            return LessonProblem{k, fmt::format("step {}: {}", k + 1, error.what())};
        }
    }
    return std::nullopt;
}

}  // namespace maskscope
