// Tests the arithmetic of rows, on every instruction set that this machine supports.

#include "core/cpu/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/attention/precision.h"
#include "core/base/large_array.h"

namespace maskscope {
namespace {

class KernelsOf : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override { ASSERT_TRUE(use_kernels(GetParam().c_str())); }
    void TearDown() override { use_kernels(nullptr); }
};

std::vector<std::string> all_kernels() {
    const char* names[16];
    const std::size_t count = supported_kernels(names, 16);
    return {names, names + count};
}

INSTANTIATE_TEST_SUITE_P(All, KernelsOf, testing::ValuesIn(all_kernels()),
                         [](const auto& info) { return info.param; });

TEST(Kernels, AnUnknownNameChangesNothing) {
    EXPECT_FALSE(use_kernels("abacus"));
    EXPECT_TRUE(use_kernels(nullptr));
}

// float32 has 24 binary digits, and e^t, its argument and the polynomial lose about a unit each.
TEST_P(KernelsOf, ExponentialsAreNear) {
    constexpr std::size_t n = 64;
    for (double start = 0; start > -103; start -= 0.37) {
        LargeArray<float> row(n);
        for (std::size_t k = 0; k < n; ++k) row[k] = static_cast<float>(start - double(k) * 5e-3);
        LargeArray<float> e = row;
        const Exponentials sums = kernels().exponentials(e.data(), 0, n, 0);
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double expected = std::exp(static_cast<double>(row[k]));
            EXPECT_NEAR(e[k], expected, 2e-7 * expected + 1.5e-45) << row[k];
            sum += static_cast<double>(e[k]);
        }
        EXPECT_NEAR(sums.sum, sum, 1e-6 * sum);
    }
}

TEST_P(KernelsOf, ExponentialsAreExactAtTheEnds) {
    LargeArray<float> e(64, -infinity);
    e[1] = 0;
    e[2] = -105;
    e[3] = -1e30F;
    const Exponentials sums = kernels().exponentials(e.data(), 0, 64, 0);
    for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(e[k], k == 1 ? 1 : 0);
    EXPECT_EQ(sums.sum, 1);
    EXPECT_EQ(sums.times, 0);
}

// Rows that are computed together have the same bits as one after the other. A row with a NaN or an
// infinity is left out, and does not change the rows beside it.
TEST_P(KernelsOf, PlainRowsAreThoseOfTheStepsBeforeThem) {
    constexpr std::size_t n = 100, stride = 128, count = 4;
    LargeArray<float> scores(count * stride), made(count * stride), stored(count * n, -1.0F);
    for (std::size_t k = 0; k < scores.size(); ++k)
        scores[k] =
            static_cast<float>(std::sin(static_cast<double>(k)) * 300);  // subnormal ones, too
    scores[2 * stride + 66] = not_a_number;
    scores[3 * stride + 66] = infinity;
    PlainRow rows[count];
    PlainResult found[count];
    for (std::size_t k = 0; k < count; ++k)
        rows[k] = {&scores[k * stride], &made[k * stride], 3 + 20 * k, 70 + 10 * k, &stored[k * n]};
    kernels().plain({rows, found, count, n, 0.3F, true, false});
    for (std::size_t k = 0; k < count; ++k) {
        const auto [from, to, begin, end, place] = rows[k];
        ASSERT_EQ(found[k].left_out, k >= 2);
        if (found[k].left_out) {
            EXPECT_EQ(std::count(place, place + n, -1.0F), n);
            continue;
        }
        LargeArray<float> numbers(stride);
        const LargestNumber largest =
            kernels().logits({from, numbers.data(), nullptr, nullptr, begin, end, 0.3F, 0,
                              RowMask::none, false, true, RowDtype::float32});
        EXPECT_EQ(found[k].largest, largest.number);
        const Exponentials sums =
            kernels().exponentials(numbers.data(), begin, end, largest.number);
        EXPECT_EQ(found[k].sums.sum, sums.sum);
        EXPECT_EQ(found[k].sums.times, sums.times);
        const auto factor = static_cast<float>(1 / sums.sum);
        EXPECT_EQ(found[k].factor, factor);
        kernels().normalize({numbers.data(), factor, begin, end, n, RowDtype::float32,
                             numbers.data(), nullptr, false});
        EXPECT_EQ(std::memcmp(numbers.data(), to, n * sizeof(float)), 0);
        EXPECT_EQ(std::memcmp(numbers.data(), place, n * sizeof(float)), 0);
    }
}

// Tests every number of 16 bits, the numbers half-way between two, and their neighbours in float32.
TEST_P(KernelsOf, RoundsAsThePlainVersion) {
    for (const auto& [row_dtype, dtype] : {std::pair{RowDtype::float16, Dtype::float16},
                                           {RowDtype::bfloat16, Dtype::bfloat16},
                                           {RowDtype::float32, Dtype::float32}}) {
        const Rounding rounded(dtype);
        std::vector<float> all, expected;
        for (std::uint32_t high = 0; high < 0x10000; high += 7)
            for (const std::uint32_t low : {0U, 1U, 0x0fffU, 0x1000U, 0x7fffU, 0x8000U, 0x8001U}) {
                const std::uint32_t bits = high << 16 | low;
                float x = 0;
                std::memcpy(&x, &bits, sizeof x);
                all.push_back(x);
                expected.push_back(static_cast<float>(rounded(static_cast<double>(x))));
            }
        LargeArray<float> numbers(all.begin(), all.end());
        numbers.resize(numbers.size() / 64 * 64);
        kernels().round(numbers.data(), numbers.size(), 1, row_dtype);
        for (std::size_t k = 0; k < numbers.size(); ++k)
            ASSERT_TRUE((std::isnan(numbers[k]) && std::isnan(expected[k])) ||
                        (numbers[k] == expected[k] &&
                         std::signbit(numbers[k]) == std::signbit(expected[k])))
                << numbers[k] << ", expected " << expected[k];
    }
}

// Tests −Σ w ln w for single numbers, and so the logarithm over all magnitudes.
TEST_P(KernelsOf, EntropyIsNear) {
    for (int exponent = -148; exponent <= 0; ++exponent)
        for (const double digits : {1.0, 1.1, 1.4142, 1.41422, 1.7, 1.999}) {
            LargeArray<float> row(64, 0.0F);
            row[5] = static_cast<float>(std::ldexp(digits, exponent));
            const double w = static_cast<double>(row[5]), expected = -w * std::log(w);
            const Figures f = kernels().figures({row.data(), nullptr, nullptr, nullptr, 64});
            EXPECT_NEAR(f.entropy, expected, 3e-7 * std::max(w, std::abs(expected)) + 1e-44) << w;
            EXPECT_EQ(f.max, row[5]);
        }
}

TEST_P(KernelsOf, AdditiveScoresAreNear) {
    for (double x = -12; x < 12; x += 0.0371) {
        LargeArray<float> key(1), panels(kernels().packed_size(1, 1)), scores(64);
        key[0] = static_cast<float>(x / 3);
        kernels().pack(key.data(), 1, 1, panels.data());
        const float q = static_cast<float>(x) - key[0], w = 1;
        const float* row = &q;
        kernels().scores(
            {RowScore::additive, &row, 1, panels.data(), &w, 1, 0, 1, scores.data(), 64});
        const double expected = std::tanh(static_cast<double>(q + key[0]));
        EXPECT_NEAR(scores[0], expected, 3e-7 * std::abs(expected)) << x;
    }
}

}  // namespace
}  // namespace maskscope
