// Proposes facts, and finds what they depend on, for everything that the built-in lessons state.

#include "core/cpu/cpu_backend.h"
#include "core/lesson/address.h"
#include "core/lesson/fact_proposal.h"
#include "core/lesson/fact_words.h"
#include "tests/golden/lessons/lesson_facts.h"
#include "tests/support/test_name.h"

namespace maskscope {
namespace {

std::vector<int> all_variants(const Scene& scene) {
    std::vector<int> variants;
    for (int variant = 0; variant < static_cast<int>(scene.variants.size()); ++variant)
        variants.push_back(variant);
    return variants;
}

class FactsOfLessons : public testing::Test {
protected:
    // Visits every fact about a cell or a row, but not those about root d.
    template <class Act>
    void each_fact(const Lesson& lesson, const Act& act) {
        for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
            Progress progress;
            const Result result = backend.compute(lesson.steps[k].scene, {}, nullptr, progress);
            for (const Fact& fact : lesson.steps[k].facts) {
                SCOPED_TRACE(testing::Message()
                             << lesson.name << "/" << k + 1 << ": " << claim(fact));
                if (!is_root_d(fact.address.of)) act(fact, result);
            }
        }
    }

    // Sets fails_with to the change that the search finds; false if it finds none.
    bool hangs_on_something(Fact& fact, const Scene& scene) {
        Progress progress;
        const auto failure = find_failure(fact, scene, backend, lessons_folder, 0, progress);
        if (!failure) return false;
        fact.fails_with = failure->fields;
        EXPECT_FALSE(words_of(fact.fails_with).empty());
        EXPECT_TRUE(can_fail(fact, scene, backend, lessons_folder)) << words_of(fact.fails_with);
        return true;
    }

    CpuBackend backend;
};
class LessonFailing : public FactsOfLessons, public testing::WithParamInterface<std::string> {};

// True if the search must find a change that breaks the fact. The search edits one thing in one
// scene; a fact that compares two sequences, or sets fields of its own, may need more.
bool is_of_one_scene(const Fact& fact) {
    const auto addresses = addresses_of(fact);
    return std::ranges::all_of(addresses, [&](const Address* address) {
        return address->with.empty() &&
               (address->at.empty() || address->at.front() == addresses.front()->at.front());
    });
}

// The facts were written by hand; the search finds by itself what each depends on.
TEST_P(LessonFailing, FindsWhatEveryFactDependsOn) {
    each_fact(shipped_lesson(GetParam()), [&](Fact fact, const Result& result) {
        fact.fails_with.clear();
        EXPECT_TRUE(hangs_on_something(fact, result.scene) || !is_of_one_scene(fact));
    });
}

// Facts proposed for the same cells hold, and nearly all can fail. A bound of some outputs, for
// example, depends on nothing that the search tries, so such a fact is not accepted.
TEST_F(FactsOfLessons, ProposesFactsThatHoldAndCanFail) {
    constexpr double most_idle = 0.1;  // of all proposals
    int all = 0, idle = 0;
    const auto propose = [&](const Fact& fact, const Result& result) {
        if (!fact.address.with.empty()) return;
        Fact proposed = propose_fact(result, fact.address, all_variants(result.scene));
        if (std::ranges::any_of(fact.address.at, [](const AddressEntry& at) {
                return at.kind == AddressEntry::Kind::any;
            }))
            return;
        EXPECT_TRUE(judge(proposed, result, backend, lessons_folder).holds) << claim(proposed);
        EXPECT_FALSE(words_of(proposed, result.scene).empty());
        ++all;
        if (!hangs_on_something(proposed, result.scene)) ++idle;
    };
    for (const std::string& name : shipped_lessons()) each_fact(shipped_lesson(name), propose);
    EXPECT_LE(idle, most_idle * all) << "of " << all;
}

// Each search continues after the change that the last one found; no change is found twice, and the
// searches end.
TEST_P(LessonFailing, OffersOneChangeAfterTheOther) {
    const Lesson lesson = shipped_lesson(GetParam());
    const Step& step = lesson.steps.front();
    const Fact& fact = step.facts.front();
    if (is_root_d(fact.address.of)) return;
    std::vector<Fields> offered;
    std::size_t from = 0;
    Progress progress;
    while (const auto failure =
               find_failure(fact, step.scene, backend, lessons_folder, from, progress)) {
        EXPECT_GT(failure->next, from);
        EXPECT_EQ(std::ranges::find(offered, failure->fields), offered.end());
        offered.push_back(failure->fields);
        from = failure->next;
    }
    EXPECT_GE(offered.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Shipped, LessonFailing, testing::ValuesIn(shipped_lessons()),
                         named_by_file);

}  // namespace
}  // namespace maskscope
