#pragma once
// The letters of every shape in this code:
//   b sequences in the batch   h heads
//   n_q, n_k query and key tokens (padded)   d width of a vector
// Row i is the query, column j is the key; everything is counted from 0.

#include <cstddef>
#include <limits>

// Declares Eigen's matrix, so that headers can say Matrix without parsing Eigen where it is not
// precompiled.
namespace Eigen {
template <class Scalar, int rows, int columns, int options, int most_rows, int most_columns>
class Matrix;
}

namespace maskscope {

using Index = std::ptrdiff_t;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Shape {
    Index b = 1, h = 1, n_q = 1, n_k = 1;
    bool operator==(const Shape&) const = default;
};

// One head of one sequence: [n_q, n_k], [n, d], … Row-major, of any size. The reference
// implementation works in float64 throughout, and rounds finished stages to the variant's dtype,
// except the sensitivity. Code that makes or reads a Matrix includes matrix.h.
using Matrix = Eigen::Matrix<double, -1, -1, 1, -1, -1>;

}  // namespace maskscope
