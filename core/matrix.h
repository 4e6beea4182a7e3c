#pragma once
// The letters of every shape in this code:
//   b sequences in the batch   h heads   n_q, n_k query and key tokens (padded)   d width of a
//   vector
// Row i is the query, column j is the key; everything is counted from 0.

#include <Eigen/Core>
#include <cstdint>

namespace maskscope {

using Index = Eigen::Index;

// One head of one sequence: [n_q, n_k], [n, d], … The plain version works in float64 throughout
// and rounds each finished stage to the variant's dtype.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// allowed(i, j): may query i see key j? [n_q, n_k]
using Allowed = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Shape {
    Index b = 1, h = 1, n_q = 1, n_k = 1;
    bool operator==(const Shape&) const = default;
};

}  // namespace maskscope
