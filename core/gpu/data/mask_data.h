#pragma once
// Encodes the mask rules as words for mask.comp.

#include <cstdint>
#include <vector>

#include "core/gpu/data/slices.h"
#include "core/scene/scene.h"

namespace maskscope::gpu {

// A sheet is one mask [n_q, n_k]; heads and sequences in which the same rules hold share it.
//   data: the rules (kind, first, second, where its list begins, how many cells), then the sheets
//   (sequence, a bit for each rule that holds in it), then the lists. Padding lists hold bits [b,
//   words]; documents the begin and end of each token's document; blocked and allowed bits of rows,
//   bits of columns, and sorted cells i · n_k + j. A kind that mask.comp does not implement holds
//   bits of cells, [b, n_q, words], or [n_q, words] that hold for all sequences; first is then the
//   number of rows to the next sequence, n_q or 0. Cells are those of the requested rows, counted
//   from the first of them.
struct MaskData {
    std::vector<std::uint32_t> data;
    Index layers = 0, sheets = 0;
    Index sheets_start = 0, sheet_size = 0;    // in data
    std::vector<std::uint32_t> sheet_of_head;  // [b, h]; 0 for heads that are not requested
};

MaskData mask_data(const Scene& scene, const std::vector<MaskLayer>& layers, const Slice& asked);

// Returns a bit for each number that is true, 32 to a word, the last word filled with 0.
std::vector<std::uint32_t> bits_of(const std::vector<bool>& numbers);
// Returns a bit for each token: is it padding?
std::vector<std::uint32_t> pad_bits(const TokenView& tokens);

}  // namespace maskscope::gpu
