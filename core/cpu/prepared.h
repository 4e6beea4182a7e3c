#pragma once
// The inputs of attention as the kernels read them.

#include <optional>
#include <vector>

#include "core/attention/attention.h"
#include "core/base/large_array.h"
#include "core/cpu/kernels/kernels.h"
#include "core/threads/pool.h"

namespace maskscope {

inline constexpr double almost_too_large = 1e37;  // for float32

struct PreparedHead {
    bool finite_scores = false, finite_values = false;
    double largest_score = 0, largest_value = 0;  // bounds of the finite ones' magnitudes
    // Only of heads that computations ask for.
    bool has_numbers = false;
    LargeArray<float> q;       // [n_q, d]: queries, q M for bilinear, W_q q for additive
    LargeArray<float> panels;  // the keys (W_k k for additive), packed
    LargeArray<float> scores;  // [n_q, n_k] if they are given
    LargeArray<float> values;  // [n_k, value_columns]
};

// For one scoring function and dtype.
struct Prepared {
    std::vector<PreparedHead> heads;  // [b, h]; empty at first
    RowScore kind = RowScore::dot;
    LargeArray<float> w_v;          // [d], additive
    std::size_t d = 0;              // components of a score; 0 where scores are given
    std::size_t value_columns = 0;  // d_v up to a multiple of 16; 0 without values
    // False if float32 could overflow where float64 does not; then the plain functions are used.
    bool in_range = true;
};

// Completes `prepared` with the numbers of one head (b·h + h), or of all. Those of other heads are
// dropped, if one is asked for and all of them take more memory than that. Always with the same
// inputs, which have scores or queries and keys, scoring function and dtype: float16, bfloat16 or
// float32.
void prepare(Prepared& prepared, const BatchInputs& inputs, const Variant& variant,
             const ScoreMatrices& matrices, std::optional<Index> head, Pool& pool,
             std::size_t most_bytes_of_heads = std::size_t(32) << 20);

// [rows, columns] as float32, each row padded with 0 to a multiple of 16.
LargeArray<float> padded(const Matrix& matrix);
std::size_t padded_columns(Index columns);

}  // namespace maskscope
