#pragma once
// The inputs of attention as the kernels read them.

#include <memory>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/large_array.h"
#include "core/cpu/kernels/kernels.h"
#include "core/threads/pool.h"

namespace maskscope {

inline constexpr double almost_too_large = 1e37;  // for float32

struct PreparedHead {
    LargeArray<float> q;       // [n_q, d]: queries, q M for bilinear, W_q q for additive
    LargeArray<float> panels;  // the keys (W_k k for additive), packed
    LargeArray<float> scores;  // [n_q, n_k] if they are given
    LargeArray<float> values;  // [n_k, value_columns]
    bool finite_scores = false, finite_values = false;
    double largest_score = 0, largest_value = 0;  // bounds of the finite ones' magnitudes
};

// For one scoring function and dtype.
struct Prepared {
    std::vector<PreparedHead> heads;  // [b, h]
    RowScore kind = RowScore::dot;
    LargeArray<float> w_v;          // [d], additive
    std::size_t d = 0;              // components of a score; 0 where scores are given
    std::size_t value_columns = 0;  // d_v up to a multiple of 16; 0 without values
    // False if float32 could overflow where float64 does not; then the plain functions are used.
    bool in_range = true;
};

// float16, bfloat16 and float32; inputs have scores or queries and keys.
std::shared_ptr<const Prepared> prepare(const BatchInputs& inputs, const Variant& variant,
                                        const ScoreMatrices& matrices, Pool& pool);

// [rows, columns] as float32, each row padded with 0 to a multiple of 16.
LargeArray<float> padded(const Matrix& matrix);
std::size_t padded_columns(Index columns);

}  // namespace maskscope
