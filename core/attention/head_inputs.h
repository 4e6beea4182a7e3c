#pragma once
// The numbers that attention starts from: Q, K and V, or raw scores, or weights.

#include <vector>

#include "core/attention/precision.h"
#include "core/base/matrix.h"

namespace maskscope {

// The inputs of one head of one sequence; a part that these inputs do not have is empty.
struct HeadInputs {
    Matrix queries, keys;  // [n_q, d_q], [n_k, d_k]
    Matrix values;         // [n_k, d_v]
    Matrix scores;         // [n_q, n_k], raw scores
    Matrix weights;        // [n_q, n_k], in place of the softmax
};
using InputPart = Matrix HeadInputs::*;

// The inputs of all heads of all sequences, not rounded yet.
struct BatchInputs {
    Shape shape;
    // [b, h]; empty if the numbers are those of the scene's arrays. The arrays may be large, so no
    // other copy is kept, and a head is copied when it is requested.
    std::vector<HeadInputs> heads = {};
    Inputs given = {};  // tensors, scores or weights, if heads is empty

    HeadInputs at(Index b, Index h) const;
    // Returns the inputs for some queries: their rows of queries, scores and weights, and all keys
    // and values.
    HeadInputs at(Index b, Index h, Index first_query, Index queries) const;
    Matrix part(Index b, Index h, InputPart part) const;
    Matrix part(Index b, Index h, InputPart part, Index first_row, Index rows) const;
    // Rows and columns of every head; 0 and 0 for a part that these inputs do not have.
    struct Size {
        Index rows = 0, columns = 0;
    };
    Size size_of(InputPart part) const;
};

bool gives_arrays(const Inputs& inputs);  // true for tensors, scores and weights

HeadInputs round_inputs(HeadInputs inputs, const Rounding& rounded);

}  // namespace maskscope
