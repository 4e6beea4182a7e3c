#include "core/attention/precision.h"

#include <bit>
#include <cmath>
#include <limits>

namespace maskscope {
namespace {

// A binary floating-point format: the digits of its significand, its smallest normal exponent, and
// its largest finite number.
struct Format {
    int digits, smallest_exponent;
    double largest;
};
constexpr Format float16_format{11, -14, 65504.0};
constexpr Format bfloat16_format{8, -126, 0x1.FEp127};

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

int exponent_of(double x) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023;
}

template <const Format& format>  // a constant, so that rounding a whole matrix is fast
double round_to(double x) {
    if (!(std::abs(x) < 2 * format.largest))  // also true for NaN, which is kept
        return std::isnan(x) ? x : std::copysign(infinity, x);
    const int exponent = std::max(exponent_of(x), format.smallest_exponent);
    const double unit = power_of_two(exponent - (format.digits - 1));
    // Doubles near the anchor are one unit apart, so adding it rounds to nearest, ties to even.
    // Subtracting it is exact.
    const double anchor = 0x1.8p52 * unit;
    const double result = (x + anchor) - anchor;
    if (std::abs(result) > format.largest) return std::copysign(infinity, x);
    return std::copysign(result, x);  // −0 stays −0
}

template <const Format& format>
void round_all(Matrix& numbers) {
    for (double* x = numbers.data(); x != numbers.data() + numbers.size(); ++x)
        *x = round_to<format>(*x);
}

}  // namespace

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

double Rounding::operator()(double x) const {
    switch (dtype_) {
        case Dtype::float64:
            return x;
        case Dtype::float32:
            return static_cast<double>(static_cast<float>(x));
        case Dtype::float16:
            return round_to<float16_format>(x);
        case Dtype::bfloat16:
            return round_to<bfloat16_format>(x);
    }
    return x;
}

Matrix Rounding::operator()(Matrix numbers) const {
    if (dtype_ == Dtype::float64) return numbers;
    if (dtype_ == Dtype::float32) return numbers.cast<float>().cast<double>();
    const auto round =
        dtype_ == Dtype::float16 ? round_all<float16_format> : round_all<bfloat16_format>;
    round(numbers);
    return numbers;
}

double epsilon(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return std::numeric_limits<double>::epsilon();
        case Dtype::float32:
            return std::numeric_limits<float>::epsilon();
        case Dtype::float16:
            return std::ldexp(1.0, -10);
        case Dtype::bfloat16:
            return std::ldexp(1.0, -7);
    }
    return 0;
}

double lowest(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return std::numeric_limits<double>::lowest();
        case Dtype::float32:
            return static_cast<double>(std::numeric_limits<float>::lowest());
        case Dtype::float16:
            return -float16_format.largest;
        case Dtype::bfloat16:
            return -bfloat16_format.largest;
    }
    return 0;
}

void add_product(const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& a, const Matrix& b,
                 Matrix& sums) {
    for (Index i = 0; i < a.rows(); ++i)
        for (Index c = 0; c < a.cols(); ++c) sums.row(i) += a(i, c) * b.row(c);
}

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix sums = Matrix::Zero(a.rows(), b.cols());
    add_product(a, b, sums);
    return sums;
}

double row_sum(const Matrix& numbers, Index i) {
    double sum = 0;
    for (Index j = 0; j < numbers.cols(); ++j) sum += numbers(i, j);
    return sum;
}

}  // namespace maskscope
