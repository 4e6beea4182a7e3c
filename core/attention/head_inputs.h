#pragma once
// The numbers that attention starts from: Q, K and V, or raw scores, or weights.

#include <vector>

#include "core/attention/precision.h"
#include "core/base/matrix.h"

namespace maskscope {

// What one head of one sequence starts from; parts that these inputs do not have are empty.
struct HeadInputs {
    Matrix queries, keys;  // [n_q, d_q], [n_k, d_k]
    Matrix values;         // [n_k, d_v]
    Matrix scores;         // [n_q, n_k], raw scores
    Matrix weights;        // [n_q, n_k], in place of the softmax
};

struct BatchInputs {
    Shape shape;
    std::vector<HeadInputs> heads;  // [b, h], not rounded yet
    HeadInputs& at(Index b, Index h) { return heads[b * shape.h + h]; }
    const HeadInputs& at(Index b, Index h) const { return heads[b * shape.h + h]; }
};

HeadInputs round_inputs(const HeadInputs& inputs, const Rounding& rounded);

}  // namespace maskscope
