#include "core/attention/precision.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/matrix.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

// Returns every finite number of a 16-bit dtype that is not negative, in order.
std::vector<double> all_numbers(Dtype dtype) {
    std::vector<double> numbers;
    const int largest = dtype == Dtype::float16 ? 0x7bff : 0x7f7f;
    for (int bits = 0; bits <= largest; ++bits) {
        const auto word = static_cast<std::uint16_t>(bits);
        if (dtype == Dtype::float16)
            numbers.push_back(
                static_cast<double>(static_cast<float>(std::bit_cast<Eigen::half>(word))));
        else
            numbers.push_back(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16)));
    }
    return numbers;
}

class SixteenBits : public testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, SixteenBits, testing::Values(Dtype::float16, Dtype::bfloat16));

TEST_P(SixteenBits, EveryNumberIsItself) {
    const Rounding rounded(GetParam());
    for (const double x : all_numbers(GetParam())) {
        ASSERT_EQ(rounded(x), x);
        ASSERT_EQ(rounded(-x), -x);
    }
}

// Tests the middle between every two neighbours, which is rounded to the even one. The next float64
// numbers below and above the middle are rounded down and up, which shows that nothing is rounded
// twice (through float32 they would be ties).
TEST_P(SixteenBits, BetweenTwoNumbersTheNearestAndTiesToEven) {
    const Rounding rounded(GetParam());
    const std::vector<double> all = all_numbers(GetParam());
    for (std::size_t k = 0; k + 1 < all.size(); ++k) {
        const double middle = (all[k] + all[k + 1]) / 2;
        ASSERT_EQ(rounded(std::nextafter(middle, 0)), all[k]);
        ASSERT_EQ(rounded(std::nextafter(middle, infinity)), all[k + 1]);
        ASSERT_EQ(rounded(middle), k % 2 == 0 ? all[k] : all[k + 1]);
        ASSERT_EQ(rounded(-middle), -rounded(middle));
    }
}

TEST_P(SixteenBits, HalfAUnitAboveTheLargestIsInfinite) {
    const Rounding rounded(GetParam());
    const std::vector<double> all = all_numbers(GetParam());
    const double largest = all.back(), unit = largest - all[all.size() - 2];
    EXPECT_EQ(rounded(std::nextafter(largest + unit / 2, 0)), largest);
    EXPECT_EQ(rounded(largest + unit / 2), infinity);
    EXPECT_EQ(rounded(-(largest + unit / 2)), -infinity);
    EXPECT_EQ(rounded(1e300), infinity);
    EXPECT_EQ(rounded(std::numeric_limits<double>::lowest()), -infinity);
    EXPECT_EQ(lowest(GetParam()), -largest);
}

TEST(Precision, SpecialNumbersStayWhatTheyAre) {
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        const Rounding rounded(dtype);
        EXPECT_EQ(rounded(infinity), infinity);
        EXPECT_EQ(rounded(-infinity), -infinity);
        EXPECT_TRUE(std::isnan(rounded(std::nan(""))));
        EXPECT_TRUE(std::signbit(rounded(-0.0)));
        EXPECT_EQ(rounded(lowest(dtype)), lowest(dtype));
    }
}

TEST(Precision, MinusABillionByDtype) {
    EXPECT_EQ(Rounding(Dtype::float16)(-1e9), -infinity);
    EXPECT_EQ(Rounding(Dtype::bfloat16)(-1e9), -998244352.0);
    EXPECT_EQ(Rounding(Dtype::float32)(-1e9), -1e9);
    EXPECT_EQ(Rounding(Dtype::float32)(1e39), infinity);
}

TEST(Precision, MatricesAreRoundedNumberByNumber) {
    Matrix numbers(2, 3);
    numbers << 0.1, -65520, 1e-8, infinity, std::nan(""), 3;
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        const Rounding rounded(dtype);
        const Matrix all = rounded(numbers);
        for (Index k = 0; k < numbers.size(); ++k) {
            const double one = rounded(numbers.data()[k]);
            EXPECT_TRUE(all.data()[k] == one || (std::isnan(one) && std::isnan(all.data()[k])));
        }
    }
}

TEST(Precision, AProductSkipsNothing) {
    Matrix a(1, 2), b(2, 1);
    a << 0, 1;
    b << infinity, 2;
    EXPECT_TRUE(std::isnan(product(a, b)(0, 0)));
}

TEST(Precision, AProductSumsInOrder) {
    Matrix a(1, 3), b(3, 1);
    a << 1e16, 1, -1e16;  // added from left to right, the 1 is lost
    b << 1, 1, 1;
    EXPECT_EQ(product(a, b)(0, 0), 0);
    EXPECT_EQ(row_sum(a, 0), 0);
}

// A number depends only on its own row and column: beside others it has the same bits.
TEST(Precision, AProductDoesNotHangOnItsNeighbours) {
    const Matrix a = Matrix::Random(7, 33), b = Matrix::Random(33, 9), all = product(a, b);
    for (Index i = 0; i < a.rows(); ++i)
        for (Index j = 0; j < b.cols(); ++j)
            EXPECT_EQ(product(a.row(i), b.col(j))(0, 0), all(i, j));
}

}  // namespace
}  // namespace maskscope
