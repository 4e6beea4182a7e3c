#pragma once
// Includes Eigen; shape.h is enough for code that only passes a Matrix on.

#include <Eigen/Core>

#include "core/base/shape.h"

namespace maskscope {

static_assert(
    std::is_same_v<Matrix, Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>);
static_assert(std::is_same_v<Index, Eigen::Index>);

using Vector = Eigen::VectorXd;

// allowed(i, j) is true if query i may attend to key j. [n_q, n_k]
using Allowed = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace maskscope
