#pragma once
// Rounds numbers: stages are computed in float64, and all but the sensitivity are then rounded to
// the variant's dtype.

#include "core/base/matrix.h"
#include "core/scene/scene.h"

namespace maskscope {

// Rounding to a dtype: rounded(x) is x as the dtype holds it, to nearest, ties to even. Numbers
// that are too large become infinite, subnormal numbers are kept, and NaN stays NaN. The result is
// exact in a double.
class Rounding {
public:
    explicit Rounding(Dtype dtype) : dtype_(dtype) {}
    double operator()(double x) const;
    Matrix operator()(Matrix numbers) const;  // rounds each number

private:
    Dtype dtype_;
};

double lowest(Dtype dtype);   // the most negative finite number
double epsilon(Dtype dtype);  // the distance from 1 to the next number

// Returns a [rows, inner] · b [inner, columns]. Each sum runs over the inner index in order, in
// float64, so that a number depends only on its own row and column, and is the same on every
// machine. Nothing is skipped: 0 · inf is NaN.
Matrix product(const Matrix& a, const Matrix& b);
// Adds a · b to the sums. Adding the products of consecutive parts of the inner index, in order,
// gives the whole product.
void add_product(const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& a, const Matrix& b,
                 Matrix& sums);
double row_sum(const Matrix& numbers, Index i);  // in float64, from the first column to the last

}  // namespace maskscope
