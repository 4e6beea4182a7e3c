#pragma once
// Some rows of one head, from scores to output, while they stay in cache.

#include <span>
#include <vector>

#include "core/cpu/cpu_lane.h"

namespace maskscope {

inline constexpr std::size_t rows_in_block = 8;

// The buffers of one thread, for rows of up to n_k keys and outputs as wide as the lanes have.
class Scratch {
public:
    void make_room(const std::vector<CpuLane>& lanes);

    std::size_t stride = 0;                        // n_k up to a multiple of row_step
    LargeArray<float> scores, weights;             // [rows_in_block, stride]
    LargeArray<float> softmax, sensitivity, bias;  // [stride]
    LargeArray<float> mixed, output;               // [rows_in_block, padded width]
    LargeArray<std::uint8_t> allowed, pads;        // [stride]
};

// Makes rows of one head for every lane of the group: those from `first` on in the lanes' list,
// `count` of them, up to rows_in_block. heads of `projected` are left in Mixing::joined.
void make_rows(const Group& group, std::size_t first, std::size_t count, Scratch& scratch);

// The outputs of `projected`, for sequence b and query i, from the joined heads; `at` is its row in
// the target.
void project_row(const CpuLane& lane, std::size_t b_i, std::size_t at, Scratch& scratch);

}  // namespace maskscope
