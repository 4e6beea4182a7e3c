// Tests what the GPU backend guarantees besides its numbers.

#include "core/gpu/gpu_backend.h"
#include "core/base/build.h"

#include <epoxy/gl.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "core/attention/precision.h"
#include "core/base/error.h"
#include "core/base/matrix.h"
#include "core/gl/program.h"
#include "core/gpu/data/numbers.h"
#include "tests/golden/compare_results.h"
#include "tests/gpu/covered_settings.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/larger_scenes.h"
#include "tests/support/folder.h"

namespace maskscope::golden {
namespace {

namespace fs = std::filesystem;

Scene two_variants() {
    Scene scene;
    scene.sequences = {{{"one", "two", "three", "<pad>"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{3, 2, 4, 3, 8};
    scene.variants = {Variant{}, Variant{}};
    scene.variants[0].name = "A";
    scene.variants[1].name = "B";
    scene.variants[0].mask.layers = {MaskLayer{}};
    scene.variants[1].mask.apply = Apply::multiply_weights;
    return scene;
}

std::string error_of(GpuBackend& backend, const Scene& scene, const Request& request = {}) {
    Progress progress;
    try {
        backend.compute(scene, request, nullptr, progress);
    } catch (const WorkError& error) {
        return error.what();
    }
    return "";
}

// Returns the first stage whose bits differ; "" if there is none.
std::string other_bits(const Result& a, const Result& b) {
    for (std::size_t variant = 0; variant < a.variants.size(); ++variant)
        for (std::size_t k = 0; k < a.variants[variant].stages.size(); ++k) {
            const Stage &x = a.variants[variant].stages[k], &y = b.variants[variant].stages[k];
            if (!x.exists() || !y.exists()) continue;
            const auto &p = x.float32s(), &q = y.float32s();
            if (p.size() != q.size() || std::memcmp(p.data(), q.data(), 4 * p.size()) != 0)
                return std::string(1, variant_letter(static_cast<int>(variant))) + ", stage " +
                       std::to_string(k);
        }
    return "";
}

// --- what it refuses, in one line

TEST_F(Gpu, RefusesFloat64ByName) {
    Scene scene = two_variants();
    scene.variants[1].dtype = Dtype::float64;
    EXPECT_EQ(error_of(backend(), scene),
              "/variants/1/dtype: the GPU does not support float64. Compute on the CPU, or choose "
              "another dtype");
    Progress progress;
    EXPECT_NO_THROW(backend().compute(scene, {Request().stages, {0}}, nullptr, progress));
}

TEST_F(Gpu, NeedsAContext) {
    GpuBackend& made = backend();
    std::thread([&] {
        EXPECT_THROW(GpuBackend(), WorkError);
        EXPECT_EQ(error_of(made, two_variants()), "no OpenGL context is current in this thread");
    }).join();
}

TEST(GpuDeathTest, NeedsOpenGL43) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // Mesa reads the variable once in each process
    const auto refused = [] {
        setenv("MESA_GL_VERSION_OVERRIDE", "3.3", 1);
        const HeadlessContext context(3, 3);
        try {
            const GpuBackend backend;
        } catch (const WorkError& error) {
            std::fputs(error.what(), stderr);
            std::_Exit(7);
        }
    };
    EXPECT_EXIT(refused(), testing::ExitedWithCode(7),
                "the GPU backend needs OpenGL 4.3, but this machine offers 3.3");
}

// The shaders, copied so that they can be broken.
class BrokenShader : public Gpu {
protected:
    BrokenShader() { fs::copy(shader_folder(), folder_.path()); }
    Folder folder_;
};

TEST_F(BrokenShader, IsNamedInOneLine) {
    backend();
    std::ofstream(folder_ / "softmax.comp", std::ios::app)
        << "\nfloat broken() { return missing; }";
    GpuBackend broken({folder_, 0});
    const std::string error = error_of(broken, two_variants());
    EXPECT_TRUE(error.starts_with("the shader softmax.comp does not compile: ")) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_EQ(error_of(broken, two_variants()), error) << "and again";
}

TEST_F(BrokenShader, OrMissing) {
    backend();
    fs::remove(folder_ / "scores.comp");
    GpuBackend broken({folder_, 0});
    EXPECT_EQ(error_of(broken, two_variants()), "cannot read the shader scores.comp");
}

TEST_F(Gpu, StopsWhenItIsCancelled) {
    Progress progress;
    progress.cancel = true;
    EXPECT_THROW(backend().compute(two_variants(), {}, nullptr, progress), Cancellation);
    EXPECT_EQ(error_of(backend(), two_variants()), "");
}

// --- a GPU that has less memory than it claims

class FullGpu : public Gpu {
protected:
    FullGpu() {
        compute(two_variants());  // the functions are looked up when they are first called
        real_data_ = epoxy_glBufferData;
        real_error_ = epoxy_glGetError;
    }
    ~FullGpu() override {
        epoxy_glBufferData = real_data_;
        epoxy_glGetError = real_error_;
    }
    // Makes the allocation of the n-th buffer from now on, and all later ones, fail; 0 = none.
    static void fail_at(int n) {
        until_ = n;
        fails_ = n > 0;
        has_failed_ = once_ = false;
        epoxy_glBufferData = [](GLenum target, GLsizeiptr bytes, const void* data, GLenum usage) {
            if (!fails_ || --until_ > 0) return real_data_(target, bytes, data, usage);
            full_ = has_failed_ = true;
            fails_ = !once_;
        };
        epoxy_glGetError = []() -> GLenum {
            return std::exchange(full_, false) ? GL_OUT_OF_MEMORY : real_error_();
        };
    }
    static void fail_once_at(int n) {
        fail_at(n);
        once_ = true;
    }
    static bool has_failed() { return has_failed_; }

private:
    static inline decltype(epoxy_glBufferData) real_data_ = nullptr;
    static inline decltype(epoxy_glGetError) real_error_ = nullptr;
    static inline int until_ = 0;
    static inline bool full_ = false, fails_ = false, once_ = false, has_failed_ = false;
};

TEST_F(FullGpu, SaysSoInOneLineAndGoesOnWithTheNext) {
    for (const bool weights_alone : {false, true}) {
        GpuBackend tried, other;
        Request request;
        if (weights_alone) request.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
        int failures = 0;
        for (bool failed = true; failed; ++failures) {
            Scene scene = two_variants();
            scene.inputs = EmbeddingInputs{static_cast<std::uint64_t>(100 + failures), 2, 4, 3, 8};
            tried.rest();  // frees its unused buffers
            fail_at(failures + 1);
            const std::string error = error_of(tried, scene, request);
            failed = has_failed();
            EXPECT_EQ(error, failed ? "not enough GPU memory for this scene" : "");
            fail_at(0);
            EXPECT_EQ(other_bits(compute(tried, scene, request), compute(other, scene, request)),
                      "")
                << "after the failure of buffer " << failures + 1;
        }
        EXPECT_GT(failures, 5);
    }
}

TEST_F(FullGpu, TakesWhatIsFreeFirst) {
    GpuBackend tried;
    Scene scene = two_variants();
    compute(tried, scene);  // leaves free buffers
    scene.sequences[0].queries =
        std::vector<std::string>(70, "token");  // the free buffers are too small
    EXPECT_GT(tried.buffers().free_bytes(), 0);
    fail_once_at(1);
    EXPECT_EQ(error_of(tried, scene), "");
    EXPECT_TRUE(has_failed());
}

// --- large scenes in small buffers

TEST_F(Gpu, SplitsStagesThatAreLargerThanABuffer) {
    backend();
    GpuBackend small({{}, 4096});
    int split = 0;
    for (const std::uint64_t seed : covered_larger_settings().seeds(33)) {
        const Scene scene = larger_scene(seed, 33).value();
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Result whole = compute(scene), parts = compute(small, scene);
        EXPECT_EQ(other_bits(parts, whole), "");
        for (std::size_t variant = 0; variant < whole.variants.size(); ++variant) {
            const VariantResult &x = parts.variants[variant], &y = whole.variants[variant];
            EXPECT_EQ(x.allowed.all(), y.allowed.all());
            const auto& numbers =
                dynamic_cast<const GpuNumbers&>(*x.stage(StageKind::weights).remote());
            split += numbers.slices().front().rows < x.shape.n_q;
            for (std::size_t row = 0; row < x.rows.size(); ++row)
                EXPECT_EQ(x.rows[row].empty, y.rows[row].empty);
        }
    }
    EXPECT_GT(split, 10) << "heads that were cut between rows";
}

TEST_F(Gpu, SaysWhereEachRowLies) {
    backend();
    GpuBackend small({{}, 4096});
    Scene scene = two_variants();
    scene.sequences[0].queries = std::vector<std::string>(70, "token");
    const VariantResult result = compute(small, scene).variants[0];
    const Stage& weights = result.stage(StageKind::weights);
    const auto& numbers = dynamic_cast<const GpuNumbers&>(*weights.remote());
    for (Index head = 0; head < weights.b() * weights.h(); ++head)
        for (Index row = 0; row < weights.rows(); row += 7) {
            const GpuPlace place = numbers.place(head, row);
            EXPECT_GE(place.rows, 1);
            float first = 0;
            glBindBuffer(GL_COPY_READ_BUFFER, place.buffer);
            glGetBufferSubData(GL_COPY_READ_BUFFER, static_cast<GLintptr>(4 * place.first), 4,
                               &first);
            const double expected = weights.at(head / weights.h(), head % weights.h(), row, 0);
            EXPECT_TRUE(first == expected || (std::isnan(first) && std::isnan(expected)));
        }
}

TEST_F(Gpu, RefusesAHeadThatNoBufferHolds) {
    backend();
    GpuBackend small({{}, 64});
    EXPECT_EQ(error_of(small, two_variants()),
              "a row or a head of this scene is larger than the largest buffer of this GPU");
}

// --- what is asked for, and what is kept

TEST_F(Gpu, ComputesWeightsAloneAsWithAllStages) {
    Request weights_alone;
    weights_alone.stages.reset().set(static_cast<std::size_t>(StageKind::weights));
    for (const Index n : {5, 33, 150})
        for (const std::uint64_t seed : covered_larger_settings().seeds(5)) {
            const Scene scene = larger_scene(seed, n).value();
            const Result all = compute(scene), alone = compute(scene, weights_alone);
            EXPECT_EQ(other_bits(alone, all), "") << "seed " << seed << " with " << n << " tokens";
            for (std::size_t variant = 0; variant < all.variants.size(); ++variant)
                EXPECT_TRUE(std::ranges::equal(alone.variants[variant].rows,
                                               all.variants[variant].rows, same_figures))
                    << "seed " << seed << " with " << n << " tokens";
            EXPECT_FALSE(alone.variants[0].stage(StageKind::logits).exists());
        }
}

TEST_F(Gpu, KeepsWhatAnEditLeavesAlone) {
    Scene scene = two_variants();
    const Result before = compute(scene);
    scene.variants[1].mask.apply = Apply::replace;
    const Result after = compute(scene, {}, &before);
    EXPECT_EQ(after.inputs, before.inputs);
    const auto weights = [](const Result& result, std::size_t variant) {
        return result.variants[variant].stage(StageKind::weights);
    };
    EXPECT_TRUE(weights(after, 0).shares(weights(before, 0)));
    EXPECT_FALSE(weights(after, 1).shares(weights(before, 1)));
    const auto scores = [](const Result& result, std::size_t variant) {
        return result.variants[variant].stage(StageKind::scores);
    };
    EXPECT_TRUE(scores(after, 1).shares(scores(before, 0))) << "the same scores, for all variants";
    scene.inputs = EmbeddingInputs{4, 2, 4, 3, 8};
    EXPECT_FALSE(weights(compute(scene, {}, &after), 0).shares(weights(after, 0)));
}

TEST_F(Gpu, SharesStagesThatAreEqual) {
    Scene scene = two_variants();
    scene.variants[0].scale = {ScaleKind::none, 1};
    const VariantResult result = compute(scene).variants[0];
    EXPECT_TRUE(result.stage(StageKind::scaled).shares(result.stage(StageKind::scores)));
    EXPECT_TRUE(result.stage(StageKind::weights).shares(result.stage(StageKind::softmax)));
    EXPECT_FALSE(result.stage(StageKind::logits).shares(result.stage(StageKind::scaled)));
}

// A changed query changes its own row; no other row changes by a bit.
TEST_F(Gpu, RowsDependOnThemselvesAlone) {
    Scene scene = two_variants();
    scene.sequences[0].queries = std::vector<std::string>(100, "query");
    scene.sequences[0].keys = std::vector<std::string>(90, "key");
    const Result before = compute(scene);
    scene.sequences[0].queries.edit([](auto& queries) { queries[41] = "another"; });
    const Result after = compute(scene);
    for (const StageKind kind : {StageKind::scores, StageKind::weights, StageKind::output}) {
        const Stage &x = before.variants[0].stage(kind), &y = after.variants[0].stage(kind);
        for (Index i = 0; i < x.rows(); ++i)
            EXPECT_EQ(x.head(0, 1).row(i) == y.head(0, 1).row(i), i != 41) << i;
    }
}

TEST_F(Gpu, RoundsTo16BitsAsTheCpu) {
    for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
        Scene scene;
        scene.sequences = {{std::vector<std::string>(64, "t"), std::nullopt}};
        const Rounding rounded(dtype);
        std::vector<double> numbers;  // of every magnitude
        for (int k = 0; k < 64 * 64; ++k)
            numbers.push_back(
                rounded(std::ldexp(1 + k % 47 / 47.0, k / 100 - 26) * (k % 2 == 0 ? 1 : -1)));
        scene.inputs = ScoresInputs{make_array({64, 64}, numbers), std::nullopt, std::nullopt};
        scene.variants = {Variant{}};
        scene.variants[0].dtype = dtype;
        // With these factors, products lie halfway between two numbers of the dtype, or near that
        for (const double scale : {1 + 0x1p-11, 1 + 0x1p-8, 1.5, 1 - 0x1p-12, 3.0}) {
            scene.variants[0].scale = {ScaleKind::number, scale};
            const Matrix scaled = compute(scene).variants[0].stage(StageKind::scaled).head(0, 0);
            const Matrix expected =
                rounded(Matrix(Eigen::Map<Matrix>(numbers.data(), 64, 64) * scale));
            EXPECT_EQ(scaled, expected) << scale;
        }
    }
}

TEST_F(Gpu, AScoreThatItsScaleTakesOutOfRangeIsInfinite) {
    Scene scene;
    scene.sequences = {{std::vector<std::string>{"a", "b"}, std::nullopt}};
    scene.inputs =
        ScoresInputs{make_array({2, 2}, {-1e35, 1, 1e35, -1}), std::nullopt, std::nullopt};
    scene.variants = {Variant{}};
    scene.variants[0].scale = {ScaleKind::number, 1e14};
    const Matrix scaled = compute(scene).variants[0].stage(StageKind::scaled).head(0, 0);
    EXPECT_EQ(scaled(0, 0), -infinity);
    EXPECT_EQ(scaled(1, 0), infinity);
    EXPECT_FLOAT_EQ(float(scaled(0, 1)), 1e14F);
}

// --- other threads

TEST_F(Gpu, ResultsMayDieInAnyThread) {
    GpuBackend own;
    auto result = std::make_unique<Result>(compute(own, two_variants()));
    std::thread([&] { result.reset(); }).join();
    const double free = own.buffers().free_bytes();
    EXPECT_GT(free, 0);
    own.rest();
    EXPECT_EQ(own.buffers().free_bytes(), 0);
}

TEST_F(Gpu, ResultsAreReadInAContextThatShares) {
    const Result result = compute(two_variants());
    float there = 0;
    std::thread([&] {
        const HeadlessContext second(4, 3, &context());
        there = result.variants[0].stage(StageKind::weights).float32s()[1];
    }).join();
    EXPECT_EQ(compute(two_variants()).variants[0].stage(StageKind::weights).float32s()[1], there);
}

TEST_F(Gpu, NumbersWithoutAContextAreAnError) {
    const Result result = compute(two_variants());
    std::thread([&] {
        EXPECT_THROW(result.variants[0].stage(StageKind::weights).float32s(), WorkError);
    }).join();
}

TEST_F(Gpu, TellsWhatItsTimeWasSpentOn) {
    const Result result = compute(two_variants());
    std::vector<std::string> passes;
    for (const Timing& timing : result.times) passes.push_back(timing.what);
    for (const char* pass : {"mask", "upload", "scores", "softmax", "output", "figures"})
        EXPECT_NE(std::ranges::find(passes, pass), passes.end()) << pass;
    EXPECT_EQ(result.backend, "gpu");
}

}  // namespace
}  // namespace maskscope::golden
