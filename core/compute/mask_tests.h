#pragma once
// Four tests of a mask. Each shows, from the numbers, a fault that a wrong mask causes in a model.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/result/result.h"

namespace maskscope {

enum class TestOutcome { pass, fail, not_applicable };

// The cell of the weights that shows why a test fails: its row is the one that the test names, its
// key the one that changes this row.
struct TestPlace {
    Index b = 0, h = 0, i = 0, j = 0;
    bool operator==(const TestPlace&) const = default;
};

struct TestResult {
    TestOutcome outcome = TestOutcome::pass;
    std::string words{};               // why it fails or does not apply; else ""
    std::optional<TestPlace> place{};  // if it fails
};

struct MaskTest {
    std::string_view name;   // "future"
    std::string_view means;  // the property that it tests, in one sentence
    // Returns why the test does not apply to a variant, in words; "" if it applies.
    std::string (*unavailable_reason)(const Scene& scene, int variant);
    // Runs the test; called only if it applies.
    TestResult (*judge)(const Scene& scene, int variant, Index first, Progress& progress);
};

// Returns the tests future, padding, cache and gradient.
std::span<const MaskTest> mask_tests();
const MaskTest* mask_test(std::string_view name);  // nullptr if there is none

// Runs a test on the numbers of the reference implementation. first: the number of the first token
// and the first sequence in TestResult::words; 1 in the window. Throws Cancellation, WorkError.
TestResult test_mask(const MaskTest& test, const Scene& scene, int variant, Progress& progress,
                     Index first = 0);

}  // namespace maskscope
