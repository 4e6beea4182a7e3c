// Results of long texts on the GPU keep no stage. When they are read, they equal results that the
// GPU keeps.

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/large/large_backend.h"
#include "core/result/request.h"
#include "core/scene/names.h"
#include "tests/golden/golden_files.h"
#include "tests/golden/parts_of_results.h"
#include "tests/gpu/covered_settings.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/long_sentence.h"
#include "tests/support/random_scene.h"
#include "tests/support/surveys.h"

namespace maskscope::golden {
namespace {

class LargeOnGpu : public Gpu {
protected:
    // Returns a backend that LargeBackend may hold.
    static std::shared_ptr<GpuBackend> shared() {
        static const auto made = std::make_shared<GpuBackend>();
        return made;
    }
    // Expects numbers that are near each other, and NaN and infinities in the same places. Returns
    // the number of compared cells; 0 after a failure.
    static Index expect_near(const Stage& x, const Stage& y, StageKind kind, const Rows& rows) {
        for (Index i = 0; i < y.rows(); ++i)
            for (Index j = 0; j < y.columns(); ++j) {
                const double a = x.at(0, 0, i, j), e = y.at(0, 0, i, j);
                if (a == e || (std::isnan(a) && std::isnan(e))) continue;
                if (std::abs(a - e) <= 1e-5 * std::max(1.0, std::abs(e))) continue;
                ADD_FAILURE() << name(kind) << " of row " << rows.first + i << ", column " << j
                              << " is " << a << ", on the CPU " << e;
                return 0;
            }
        return y.rows() * y.columns();
    }
};

TEST_F(LargeOnGpu, GoldenScenesAreAsKept) {
    LargeBackend large(shared(), 0);
    for (const std::string& name : scene_names()) {
        SCOPED_TRACE(name);
        expect_as_kept(*shared(), large, in_float32(read_golden_scene(name)));
    }
}

TEST_F(LargeOnGpu, RandomScenesAreAsKept) {
    LargeBackend large(shared(), 0);
    for (const std::uint64_t seed : covered_settings().seeds(300)) {
        if (HasFatalFailure()) return;
        SCOPED_TRACE(seed);
        expect_as_kept(*shared(), large, in_float32(random_scene(seed)));
    }
}

// Reads several blocks of rows, in two dtypes. Reading takes no GPU memory except for the inputs.
TEST_F(LargeOnGpu, ALongSentenceIsAsKept) {
    LargeBackend large(shared(), 0);
    expect_as_kept(*shared(), large, long_sentence(150, Dtype::float16));
}

// A text that is too long to be compared as a whole: 8 rows of each of 4 bands, under random masks,
// are near the CPU's. Because sums are in another order, numbers may differ by 1e-5, or by 1e-5 of
// their size if they are above 1.
TEST_F(LargeOnGpu, BandsOfALongTextAreTheCpus) {
    constexpr Index n = 1500, rows = 8, bands = 4;
    LargeBackend on_gpu(shared(), 0), on_cpu(2, 0);
    Progress progress;
    Index compared = 0;
    for (std::uint64_t seed = 0; seed < 12 && !HasFatalFailure(); ++seed) {
        Scene scene = long_sentence(n, Dtype::float32);
        for (Variant& variant : scene.variants)
            variant.mask.layers.push_back(random_layer(seed, shape_of(scene), n - 1, true));
        const Result x = on_gpu.compute(scene, {}, nullptr, progress),
                     y = on_cpu.compute(scene, {}, nullptr, progress);
        for (std::size_t index = 0; index < x.variants.size(); ++index)
            for (Index band = 0; band < bands; ++band) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << ", variant " << index);
                const Rows some{band * (n - rows) / (bands - 1), rows};
                const Index h = band % 2;
                const auto all = std::bitset<stage_count>().set();
                const VariantResult p = x.variants[index].computed->block(0, h, some, all,
                                                                          progress),
                                    q = y.variants[index].computed->block(0, h, some, all,
                                                                          progress);
                ASSERT_EQ(p.allowed.all(), q.allowed.all());
                for (int k = 1; k < stage_count; ++k) {
                    const auto kind = static_cast<StageKind>(k);
                    ASSERT_EQ(p.stage(kind).exists(), q.stage(kind).exists());
                    if (p.stage(kind).exists())
                        compared += expect_near(p.stage(kind), q.stage(kind), kind, some);
                }
            }
    }
    EXPECT_GT(compared, 12 * 3 * bands * rows * n * 6);
}

// Blocks are read in threads without a context.
TEST_F(LargeOnGpu, IsPicturedAsIfItWereKept) {
    LargeBackend large(shared(), 0);
    Progress progress;
    for (const std::uint64_t seed : covered_settings().seeds(60)) {
        if (HasFatalFailure()) return;
        const Scene scene = in_float32(random_scene(seed));
        const Result kept = compute(*shared(), scene),
                     read = large.compute(scene, {}, nullptr, progress);
        for (std::size_t variant = 0; variant < kept.variants.size(); ++variant) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " variant " << variant);
            expect_like_kept(read.variants[variant], kept.variants[variant]);
        }
    }
}

TEST_F(LargeOnGpu, FloatsOf64BitsAreRefusedAsIfTheyWereKept) {
    Scene scene = in_float32(random_scene(3));
    scene.variants.front().dtype = Dtype::float64;
    LargeBackend large(shared(), 0);
    Progress progress;
    EXPECT_THROW(large.compute(scene, {}, nullptr, progress), WorkError);
}

}  // namespace
}  // namespace maskscope::golden
