#pragma once
// Computes a few rows of one head, from scores to output, while they are in cache.

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "core/cpu/cpu_task.h"
#include "core/cpu/plan.h"

namespace maskscope {

inline constexpr std::size_t rows_in_block = 8;

// The buffers of one thread, as large as the variants need.
class Scratch {
public:
    void make_room(const std::vector<CpuTask>& tasks);

    std::size_t stride = 0;             // n_k rounded up to a multiple of row_step, plus 16
    LargeArray<float> scores, weights;  // [rows_in_block, stride]
    // The rows of scores that are read: rows of `scores`, or known ones.
    std::array<const float*, rows_in_block> rows_of_scores;
    LargeArray<float> softmax, sensitivity, bias;  // [stride]
    LargeArray<float> mixed, output;               // [rows_in_block, padded width]
    LargeArray<std::uint8_t> allowed, pads;        // [stride]
};

// Computes `count` rows (at most rows_in_block) of one head for every variant of the group, from
// index `first` in their list of rows. For `projected` the heads' outputs go to Mixing::joined.
void make_rows(const Group& group, std::size_t first, std::size_t count, Scratch& scratch);

// Computes the output of `projected` for row b_i of [b, n_q], from the joined heads, into row `at`
// of the target.
void project_row(const CpuTask& task, std::size_t b_i, std::size_t at, Scratch& scratch);

// Computes what the kernels don't support with the reference implementation, block by block, in all
// threads. rows_done is called from any thread with the number of rows just computed.
void compute_plain(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainTask& task, Pool& pool, const std::function<void(Index)>& rows_done);

}  // namespace maskscope
