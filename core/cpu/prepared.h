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
    double largest_score = 0, largest_value = 0;  // bounds of the finite magnitudes
    // True if the numbers below exist. Only heads that computations request have them.
    bool has_numbers = false;
    LargeArray<float> q;       // [n_q, d]: queries, q M for bilinear, W_q q for additive
    LargeArray<float> panels;  // the keys (W_k k for additive), packed
    LargeArray<float> scores;  // [n_q, n_k] if scores are given
    LargeArray<float> values;  // [n_k, value_columns]
};

// The prepared inputs for one scoring function and dtype.
struct PreparedInputs {
    std::vector<PreparedHead> heads;  // [b, h]; empty at first
    RowScore kind = RowScore::dot;
    LargeArray<float> w_v;          // [d], additive
    std::size_t d = 0;              // components of a score; 0 if scores are given
    std::size_t value_columns = 0;  // d_v rounded up to a multiple of 16; 0 without values
    // False if float32 could overflow although float64 does not; the reference implementation is
    // used then.
    bool in_range = true;
};

// Completes `prepared` with the numbers of one head (numbered across all sequences), or of all. If
// one head is requested, the numbers of the others are dropped if all together take more than
// `most_bytes_of_heads`, except for `projected`. Call it always with the same scoring function,
// dtype (float16, bfloat16 or float32) and inputs, which have scores or queries and keys.
void prepare(PreparedInputs& prepared, const BatchInputs& inputs, const Variant& variant,
             const ScoreMatrices& matrices, std::optional<Index> head, Pool& pool,
             std::size_t most_bytes_of_heads = std::size_t(32) << 20);

// Returns [rows, columns] as float32, each row padded with 0 to a multiple of 16.
LargeArray<float> padded(const Matrix& matrix);
std::size_t padded_columns(Index columns);

}  // namespace maskscope
