#include "core/attention/softmax.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "core/attention/precision.h"
#include "core/base/matrix.h"
#include "core/cpu/cpu_backend.h"
#include "core/scene/names.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

// The tolerance of a few roundings in float64 of numbers up to 1.
constexpr double rounding = 1e-15;

Matrix row(std::initializer_list<double> numbers) {
    Matrix matrix(1, static_cast<Index>(numbers.size()));
    std::copy(numbers.begin(), numbers.end(), matrix.data());
    return matrix;
}

Matrix plain(std::initializer_list<double> numbers) {
    return normalize(Normalizer::softmax, std::nullopt, row(numbers));
}

Matrix plus_one(std::initializer_list<double> numbers) {
    return normalize(Normalizer::softmax_plus_one, 0, row(numbers));
}

TEST(Softmax, IsExpOverSum) {
    const Matrix weights = plain({std::log(1.0), std::log(2.0), std::log(5.0)});
    EXPECT_NEAR(weights(0, 0), 1.0 / 8, rounding);
    EXPECT_NEAR(weights(0, 1), 2.0 / 8, rounding);
    EXPECT_NEAR(weights(0, 2), 5.0 / 8, rounding);
}

TEST(Softmax, PlusOneAddsOneBelow) {
    const Matrix weights = plus_one({std::log(1.0), std::log(2.0)});
    EXPECT_NEAR(weights(0, 0), 1.0 / 4, rounding);
    EXPECT_NEAR(weights(0, 1), 2.0 / 4, rounding);
    EXPECT_NEAR(plus_one({-700.0})(0, 0), 0, rounding);
    EXPECT_EQ(plus_one({700.0})(0, 0), 1);
}

TEST(Softmax, BlockedIsExactlyZero) {
    const Matrix weights = plain({-infinity, 3, -infinity, 3, -infinity});
    for (const Index j : {0, 2, 4}) EXPECT_EQ(weights(0, j), 0);
    EXPECT_EQ(weights(0, 1), 0.5);
}

TEST(Softmax, InfinityAndNaNTakeTheWholeRow) {
    for (const double bad : {infinity, not_a_number})
        for (Index at = 0; at < 5; ++at)
            for (const auto normalizer : {Normalizer::softmax, Normalizer::softmax_plus_one}) {
                Matrix logits = row({1, -infinity, 2, -1e9, 0});
                logits(0, at) = bad;
                EXPECT_TRUE(
                    normalize(normalizer,
                              normalizer == Normalizer::softmax ? std::nullopt : std::optional(0.0),
                              logits)
                        .array()
                        .isNaN()
                        .all())
                    << at;
            }
}

TEST(Softmax, ARowOfMinusInfinityAlone) {
    EXPECT_TRUE(plain({-infinity, -infinity}).array().isNaN().all());
    EXPECT_TRUE((plus_one({-infinity, -infinity}).array() == 0).all());
}

TEST(Softmax, HugeLogitsDoNotOverflow) {
    EXPECT_EQ(plain({1e308, 1e308})(0, 0), 0.5);
    EXPECT_EQ(plain({-1e308, 1e308})(0, 0), 0);
    EXPECT_EQ(plain({lowest(Dtype::float64), lowest(Dtype::float64)})(0, 1), 0.5);
}

TEST(Softmax, ASinkTakesAShare) {
    const auto with_sink = [](double s, std::initializer_list<double> numbers) {
        return normalize(Normalizer::softmax_sink, s, row(numbers));
    };
    EXPECT_NEAR(with_sink(std::log(5.0), {0, std::log(2.0)})(0, 1), 2.0 / 8, rounding);
    EXPECT_EQ(with_sink(0, {-1, 3}), plus_one({-1, 3}));
    EXPECT_EQ(with_sink(-1e9, {1, 2, 0}), plain({1, 2, 0}));  // e^-1e9 is 0
    EXPECT_EQ(with_sink(1e9, {1, 2, 0}).sum(), 0);
    EXPECT_TRUE((with_sink(-3, {-infinity, -infinity}).array() == 0).all());
}

// 70000 is ∞ in float16, and 1.0004 is 1. If the sink were rounded, the softmax would be NaN.
TEST(Softmax, ASinkIsNotRoundedToTheDtype) {
    for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
        const auto weights = [&](std::unique_ptr<Backend> backend, double sink) {
            Scene scene;
            scene.sequences = {{{"a", "b", "c"}, std::nullopt}};
            scene.inputs = EmbeddingInputs{7, 1, 4, 4, 8};
            scene.variants.resize(1);
            scene.variants[0].dtype = dtype;
            scene.variants[0].normalizer = Normalizer::softmax_sink;
            scene.variants[0].sink = sink;
            Progress progress;
            const Result result = backend->compute(scene, {}, nullptr, progress);
            const Stage& stage = result.variants[0].stage(StageKind::weights);
            return std::array{stage.at(0, 0, 0, 0), stage.at(0, 0, 0, 1), stage.at(0, 0, 2, 2)};
        };
        const auto of_all = [&](double sink) {
            const auto numbers = weights(std::make_unique<PlainBackend>(), sink);
            const auto others = weights(std::make_unique<CpuBackend>(), sink);
            for (std::size_t k = 0; k < numbers.size(); ++k)
                EXPECT_NEAR(numbers[k], others[k], dtype == Dtype::bfloat16 ? 4e-3 : 1e-3);
            return numbers;
        };
        for (const double sink : {70000.0, 1e9})
            EXPECT_EQ(of_all(sink), (std::array{0.0, 0.0, 0.0})) << name(dtype) << " " << sink;
        EXPECT_GT(of_all(-70000)[0], 0.05) << name(dtype);
        EXPECT_GT(of_all(1.0004)[0], 0.01) << name(dtype);
    }
    const Matrix logits = row({0.5});
    EXPECT_NE(normalize(Normalizer::softmax_sink, 1.0004, logits),
              normalize(Normalizer::softmax_sink, Rounding(Dtype::float16)(1.0004), logits));
}

TEST(Softmax, ASigmoidLooksAtItsCellAlone) {
    const Matrix weights =
        normalize(Normalizer::sigmoid, std::nullopt,
                  row({0, -infinity, infinity, not_a_number, std::log(3.0), -1000}));
    EXPECT_EQ(weights(0, 0), 0.5);
    EXPECT_EQ(weights(0, 1), 0);
    EXPECT_EQ(weights(0, 2), 1);
    EXPECT_TRUE(std::isnan(weights(0, 3)));
    EXPECT_NEAR(weights(0, 4), 0.75, rounding);
    EXPECT_EQ(weights(0, 5), 0);
}

TEST(Softmax, RowsDoNotTouchEachOther) {
    Matrix logits(3, 2);
    logits << 1, 2, not_a_number, 0, 1, 2;
    const Matrix weights = normalize(Normalizer::softmax, std::nullopt, logits);
    EXPECT_TRUE(weights.row(1).array().isNaN().all());
    EXPECT_EQ(weights.row(0), weights.row(2));
    EXPECT_EQ(weights.row(0), plain({1, 2}).row(0));
}

}  // namespace
}  // namespace maskscope
