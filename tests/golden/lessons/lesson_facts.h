#pragma once
// Checks that the facts of a lesson hold and can fail, with any backend.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/build.h"
#include "core/base/error.h"
#include "core/files/file.h"
#include "core/lesson/fact_proposal.h"
#include "core/lesson/lesson.h"

namespace maskscope {

inline const std::filesystem::path lessons_folder = source_folder() + "/assets/lessons";

inline std::vector<std::string> shipped_lessons() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(lessons_folder))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
    std::ranges::sort(names);
    return names;
}

inline Lesson shipped_lesson(const std::string& name) {
    return read_lesson(read_file(lessons_folder / (name + ".json")), lessons_folder);
}

// True if a backend computes this scene; a GPU may not support float64.
using Takes = bool (*)(const Scene&);
inline bool takes_all(const Scene&) { return true; }

// True if a backend computes the scene in which this address is read, or if nothing is computed,
// because the scene does not have (or no longer has) a field of `with`.
inline bool takes_reading(const Address& address, const Scene& scene, Takes takes) {
    try {
        return takes(with_fields(scene, address.with, lessons_folder));
    } catch (const InputError&) {
        return true;
    }
}

inline bool takes_fact(const Fact& fact, const Scene& scene, Takes takes) {
    return takes(scene) && std::ranges::all_of(addresses_of(fact), [&](const Address* address) {
               return takes_reading(*address, scene, takes);
           });
}

inline void expect_fact_holds_and_can_fail(const Fact& fact, const Result& result, Backend& backend,
                                           Takes takes) {
    if (!takes_fact(fact, result.scene, takes)) return;
    const Verdict verdict = judge(fact, result, backend, lessons_folder);
    EXPECT_TRUE(verdict.holds) << "is " << verdict.value;
    const Scene broken = with_fields(result.scene, fact.fails_with, lessons_folder);
    if (!takes_fact(fact, broken, takes)) return;
    Progress progress;
    const Verdict otherwise =
        judge(fact, backend.compute(broken, {}, nullptr, progress), backend, lessons_folder);
    EXPECT_FALSE(otherwise.holds) << "cannot fail";
    const bool exact = fact.is == Relation::equal || fact.is == Relation::not_equal;
    EXPECT_TRUE(exact || -otherwise.margin >= clear_miss) << "fails by " << -otherwise.margin;
}

inline void expect_try_shows(const Step& step, const Result& result, Backend& backend,
                             Takes takes) {
    const Scene tried = with_fields(step.scene, step.try_sets, lessons_folder);
    if (!takes_fact(*step.try_shows, step.scene, takes) ||
        !takes_fact(*step.try_shows, tried, takes))
        return;
    const TryVerdict verdict = judge_try(step, result, backend, lessons_folder);
    EXPECT_TRUE(verdict.verdict.holds) << verdict.claim << " is " << verdict.verdict.value;
    EXPECT_FALSE(verdict.holds_before) << verdict.claim;
}

inline void expect_facts_hold_and_can_fail(const Lesson& lesson, Backend& backend,
                                           Takes takes = takes_all) {
    for (std::size_t step = 0; step < lesson.steps.size(); ++step) {
        const Scene& scene = lesson.steps[step].scene;
        if (!takes(scene)) continue;
        Progress progress;
        const Result result = backend.compute(scene, {}, nullptr, progress);
        for (const Fact& fact : lesson.steps[step].facts) {
            SCOPED_TRACE(testing::Message()
                         << lesson.name << "/" << step + 1 << ": " << claim(fact));
            expect_fact_holds_and_can_fail(fact, result, backend, takes);
        }
        if (lesson.steps[step].try_shows)
            expect_try_shows(lesson.steps[step], result, backend, takes);
    }
}

}  // namespace maskscope
