// Rows computed in parts have the same bits as rows computed together. `maskscope compute` writes
// rows block by block.

#include <gtest/gtest.h>

#include "core/compute/plain.h"
#include "core/cpu/cpu_backend.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/parts_of_results.h"
#include "tests/support/long_sentence.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

// Requests a few rows at a time, of all heads and of one, and expects the bits of the whole result.
void expect_rows_as_among_all(Backend& backend, const Scene& scene, Index at_once) {
    const Result whole = computed(backend, scene);
    const Shape shape = shape_of(scene);
    for (Index first = 0, k = 0; first < shape.n_q; first += at_once, ++k) {
        Request request;
        request.rows = {first, std::min(at_once, shape.n_q - first)};
        ASSERT_EQ(first_other_part(backend, whole, request), "") << "rows from " << first;
        request.head = k % (shape.b * shape.h);
        ASSERT_EQ(first_other_part(backend, whole, request), "")
            << "rows from " << first << " of head " << *request.head;
    }
}

TEST(SomeRows, OfGoldenScenesAreAsAmongAll) {
    CpuBackend backend(2);
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_rows_as_among_all(backend, read_golden_scene(name), 2);
    }
}

TEST(SomeRows, OfRandomScenesAreAsAmongAll) {
    CpuBackend backends[2] = {CpuBackend(1), CpuBackend(3)};
    for (std::uint64_t seed = 0; seed < 2000 && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE(seed);
        expect_rows_as_among_all(backends[seed % 2], random_scene(seed), 1 + Index(seed % 4));
    }
}

TEST(SomeRows, OfThePlainVersionAreAsAmongAll) {
    PlainBackend backend;
    for (std::uint64_t seed = 0; seed < 500 && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE(seed);
        expect_rows_as_among_all(backend, random_scene(seed), 1 + Index(seed % 4));
    }
}

// The sequence is longer than a block; its masks leave rows of every extent.
TEST(SomeRows, OfALongSentenceAreAsAmongAll) {
    const Scene scene = long_sentence(150, Dtype::float16);
    CpuBackend backend(2);
    expect_rows_as_among_all(backend, scene, 24);
    expect_rows_as_among_all(backend, scene, 37);
}

}  // namespace
}  // namespace maskscope::golden
