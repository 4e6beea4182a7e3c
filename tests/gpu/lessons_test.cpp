// Tests the facts of every built-in lesson on the GPU.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/golden/lessons/lesson_facts.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/test_name.h"

namespace maskscope {
namespace {

// True if the GPU can compute the scene: no variant is in float64. (Earlier layers may be, because
// the CPU computes them.)
bool takes(const Scene& scene) {
    return std::ranges::none_of(
        scene.variants, [](const Variant& variant) { return variant.dtype == Dtype::float64; });
}

class LessonOnGpu : public golden::Gpu, public testing::WithParamInterface<std::string> {};

TEST_P(LessonOnGpu, FactsHoldAndFailWithTheFieldsThatDecideThem) {
    expect_facts_hold_and_can_fail(shipped_lesson(GetParam()), backend(), takes);
}

INSTANTIATE_TEST_SUITE_P(Lessons, LessonOnGpu, testing::ValuesIn(shipped_lessons()), named_by_file);

}  // namespace
}  // namespace maskscope
