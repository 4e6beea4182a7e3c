#include "app/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <ostream>
#include <utility>

#include "app/pytorch/script.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/compute/mask_tests.h"
#include "core/cpu/cpu_backend.h"
#include "core/lesson/caption.h"
#include "core/lesson/fact_words.h"
#include "core/lesson/lesson.h"
#include "core/lesson/lesson_check.h"

namespace maskscope {

namespace {

// Writes the line of one fact; returns true if it holds and can fail.
bool check_fact(const Fact& fact, const Result& result, Backend& backend,
                const std::filesystem::path& folder, std::ostream& out) {
    const Verdict verdict = judge(fact, result, backend, folder);
    const bool sound = verdict.holds && can_fail(fact, result.scene, backend, folder);
    out << claim(fact, result) << '\t' << value_text(verdict.value) << '\t'
        << (sound           ? "holds"
            : verdict.holds ? "cannot fail"
                            : "fails")
        << '\n';
    return sound;
}

// Writes the line for the Try of a step; returns true if it does what the step says.
bool check_try(const Step& step, const Result& result, Backend& backend,
               const std::filesystem::path& folder, std::ostream& out) {
    if (!step.try_shows) {
        out << "try: " << words_of(step.try_sets) << "\t\tvalid\n";
        return true;
    }
    const TryVerdict tried = judge_try(step, result, backend, folder);
    out << "try: " << tried.claim << '\t' << value_text(tried.verdict.value) << '\t'
        << (!tried.verdict.holds ? "fails"
            : tried.holds_before ? "already true"
                                 : "holds")
        << '\n';
    return tried.is_sound();
}

// Writes how many cells of the exercise differ from its solution at the beginning; returns true if
// any do.
bool check_exercise(const Step& step, std::ostream& out) {
    const Index cells = differing_cells(step, scene_to_begin(step))->cells;
    out << "exercise: the mask of " << variant_letter(step.exercise->variant) << '\t' << cells
        << '\t' << (cells > 0 ? "holds" : "cannot fail") << '\n';
    return cells > 0;
}

// Returns the place of a step in the course; nullopt if the course does not contain the step.
std::optional<std::pair<std::ptrdiff_t, int>> place_in_course(std::string_view lesson, int step) {
    const auto parts = course_parts();
    const auto part = std::ranges::find_if(parts, [&](const CoursePart& one) {
        return one.lesson == lesson && one.first <= step && (one.last < 0 || step <= one.last);
    });
    if (part == parts.end()) return std::nullopt;
    return std::pair(part - parts.begin(), step);
}

// Returns a warning for each term that the caption uses before the course explains it. The user's
// own lessons count as following the course.
std::vector<std::string> term_warnings(const Lesson& lesson, int step) {
    std::vector<std::string> warnings;
    const auto here = place_in_course(lesson.name, step);
    for (const Term& term : terms_in(lesson.steps[step].caption))
        if (here && place_in_course(term.lesson, term.step) > here)
            warnings.push_back(fmt::format("\"{}\": only explained in lesson:{}/{}", term.word,
                                           term.lesson, term.step + 1));
    return warnings;
}

bool check_all(const std::string& argument, const LoadedLesson& loaded, std::ostream& out,
               std::ostream& warnings) {
    CpuBackend backend;
    bool sound = true;
    for (std::size_t k = 0; k < loaded.lesson.steps.size(); ++k) {
        const Step& step = loaded.lesson.steps[k];
        Progress progress;
        const Result result = backend.compute(step.scene, {}, nullptr, progress);
        for (const Fact& fact : step.facts) {
            out << k + 1 << '\t';
            sound = check_fact(fact, result, backend, loaded.folder, out) && sound;
        }
        if (step.exercise) {
            out << k + 1 << '\t';
            sound = check_exercise(step, out) && sound;
        }
        if (!step.try_sets.empty()) {
            out << k + 1 << '\t';
            sound = check_try(step, result, backend, loaded.folder, out) && sound;
        }
        std::vector<std::string> found = caption_warnings(step, fill_words(step, result).caption);
        std::ranges::copy(term_warnings(loaded.lesson, static_cast<int>(k)),
                          std::back_inserter(found));
        for (const std::string& warning : found)
            warnings << argument << ": /steps/" << k << "/caption: " << warning << '\n';
    }
    return sound;
}

template <class Number>
std::string shortest_text(Number number) {
    char digits[32];
    const auto written = std::to_chars(std::begin(digits), std::end(digits), number);
    return std::string(digits, written.ptr);
}

}  // namespace

int check(const std::string& lesson_argument, std::ostream& out, std::ostream& warnings) {
    const LoadedLesson loaded = load_lesson(lesson_argument);
    try {
        return check_all(lesson_argument, loaded, out, warnings) ? 0 : 1;
    } catch (const Error& error) {
        throw at_file(lesson_argument, error);
    }
}

namespace {

LoadedScene load_tested(const SceneArgument& scene, int variant) {
    LoadedScene loaded = load_scene(scene);
    const auto count = static_cast<int>(loaded.scene.variants.size());
    if (variant >= count)
        throw Error(2, "test: --variant: expected " +
                           (count == 1 ? "0" : "0 to " + std::to_string(count - 1)) + ", got \"" +
                           std::to_string(variant) + "\"");
    return loaded;
}

}  // namespace

int test(const SceneArgument& scene, int variant, const std::vector<std::string>& only,
         std::ostream& out) {
    const LoadedScene loaded = load_tested(scene, variant);
    bool fails = false;
    for (const MaskTest& one : mask_tests()) {
        if (!only.empty() && std::ranges::find(only, one.name) == only.end()) continue;
        try {
            const TestResult result = test_mask(one, loaded.scene, variant, command_progress());
            out << one.name << ": "
                << (result.outcome == TestOutcome::pass   ? "pass"
                    : result.outcome == TestOutcome::fail ? "fail: "
                                                          : "n/a: ")
                << printable(result.words) << '\n';
            fails = fails || result.outcome == TestOutcome::fail;
        } catch (const WorkError& error) {
            throw at_file(scene.name, error);
        }
    }
    tell_notes(scene, loaded);
    return fails ? 1 : 0;
}

void test_in_pytorch(const SceneArgument& scene, int variant, const std::vector<std::string>& only,
                     std::ostream& out) {
    const LoadedScene loaded = load_tested(scene, variant);
    if (const std::string reason = why_no_test_script(loaded.scene, variant); !reason.empty())
        throw at_file(scene.name, Error(2, "there is no script for these tests: " + reason));
    out << pytorch_tests(loaded.scene, variant, only);
    tell_notes(scene, loaded);
}

std::string value_text(double value) {
    if (std::isnan(value)) return "NaN";
    const auto narrow = static_cast<float>(value);
    return static_cast<double>(narrow) == value ? shortest_text(narrow) : shortest_text(value);
}

}  // namespace maskscope
