// Numbers read from results that keep no stage have the same bits as those of results that keep
// all.

#include <gtest/gtest.h>
#include <malloc.h>

#include "core/base/large_array.h"
#include "core/cpu/cpu_backend.h"
#include "core/large/large_backend.h"
#include "tests/golden/compare_results.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/parts_of_results.h"
#include "tests/support/long_sentence.h"
#include "tests/support/random_scene.h"

namespace maskscope::golden {
namespace {

TEST(LargeResults, OfGoldenScenesAreAsKept) {
    CpuBackend kept(2);
    LargeBackend large(2, 0);
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_as_kept(kept, large, read_golden_scene(name));
    }
}

TEST(LargeResults, OfRandomScenesAreAsKept) {
    CpuBackend kept(1);
    LargeBackend large(2, 0);
    for (std::uint64_t seed = 0; seed < 1000 && !HasFatalFailure(); ++seed) {
        SCOPED_TRACE(seed);
        expect_as_kept(kept, large, random_scene(seed));
    }
}

// Reads several blocks of rows in no particular order.
TEST(LargeResults, OfALongSentenceAreAsKept) {
    const Scene scene = long_sentence(300, Dtype::float64);
    CpuBackend kept(2);
    LargeBackend large(2, 0);
    expect_as_kept(kept, large, scene);
    const Result all = computed(kept, scene), read = computed(large, scene);
    for (Index k = 0; k < 600; ++k) {
        const Index i = k * 7 % 300, h = k % 2;
        for (const std::size_t variant : {0U, 1U, 2U})
            ASSERT_EQ(read.variants[variant].stage(StageKind::weights).at(0, h, i, k % 300),
                      all.variants[variant].stage(StageKind::weights).at(0, h, i, k % 300));
    }
}

// A block that is computed with only some stages has the same bits as one with all stages.
TEST(LargeResults, BlocksOfFewStagesHaveTheBitsOfAll) {
    CpuBackend kept(2);
    LargeBackend large(2, 0);
    Progress progress;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        const Scene scene = random_scene(seed);
        const Result all = computed(kept, scene), result = computed(large, scene);
        const Shape shape = shape_of(scene);
        const Index b = shape.b - 1, h = shape.h - 1, rows = (shape.n_q + 1) / 2;
        for (std::size_t variant = 0; variant < all.variants.size(); ++variant) {
            const VariantResult& whole = all.variants[variant];
            const VariantResult block = result.variants[variant].computed->block(
                b, h, {shape.n_q - rows, rows},
                std::bitset<stage_count>().set(std::size_t(StageKind::weights)), progress);
            EXPECT_FALSE(block.stage(StageKind::sensitivity).exists());
            for (Index i = 0; i < rows; ++i) {
                const Index at = shape.n_q - rows + i;
                ASSERT_TRUE(same_figures(block.row(0, 0, i), whole.row(b, h, at))) << i;
                for (Index j = 0; j < shape.n_k; ++j) {
                    const double x = block.stage(StageKind::weights).at(0, 0, i, j),
                                 y = whole.stage(StageKind::weights).at(b, h, at, j);
                    ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << x << " " << y;
                    ASSERT_EQ(block.is_allowed(0, 0, i, j), whole.is_allowed(b, h, at, j));
                }
            }
        }
    }
}

double megabytes_in_use() {
    const struct mallinfo2 all = mallinfo2();
    return (double(all.uordblks + all.hblkhd) - double(kept_bytes())) / (1 << 20);
}

// Every number of six stages is read, which would be 324 MB if they were kept. A variant keeps 32
// MB of the blocks that were read last; the current block, statistics and inputs take less than 40
// MB.
TEST(LargeResults, HoldFewOfTheRowsThatWereRead) {
    constexpr Index n = 1500;
    const Scene scene = long_sentence(n, Dtype::float32);
    LargeBackend large(2, 0);
    const double before = megabytes_in_use();
    const Result result = computed(large, scene);
    double most = 0;
    for (const VariantResult& variant : result.variants)
        for (Index h = 0; h < 2; ++h)
            for (Index i = 0; i < n; ++i) {
                for (const StageKind stage :
                     {StageKind::scores, StageKind::scaled, StageKind::logits, StageKind::softmax,
                      StageKind::weights, StageKind::sensitivity})
                    ASSERT_EQ(std::ssize(variant.stage(stage).row_at(0, h, i)), n);
                if (i % 100 == 0) most = std::max(most, megabytes_in_use() - before);
            }
    EXPECT_LT(most, 3 * 32 + 40);
}

TEST(LargeResults, KeepAVariantThatDidNotChange) {
    LargeBackend large(1, 0);
    Scene scene = random_scene(3);
    scene.variants.resize(2, scene.variants.front());
    const Result before = computed(large, scene);
    scene.variants[1].scale = {ScaleKind::number, 0.123};
    const Result after = computed(large, scene, &before);
    EXPECT_EQ(after.variants[0].computed, before.variants[0].computed);
    EXPECT_NE(after.variants[1].computed, before.variants[1].computed);
    CpuBackend kept(1);
    EXPECT_EQ(first_other_bit(with_figures(after), computed(kept, scene)), "");
}

TEST(LargeResults, AreThoseAboveTheLimit) {
    const Scene scene = random_scene(1);
    LargeBackend at_default(1), at_none(1, 0);
    EXPECT_FALSE(computed(at_default, scene).variants.front().computed);
    EXPECT_TRUE(computed(at_none, scene).variants.front().computed);
}

}  // namespace
}  // namespace maskscope::golden
