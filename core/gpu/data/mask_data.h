#pragma once
// Encodes as words what shaders read besides numbers: the mask rules, and tables of each variant.

#include <cstdint>
#include <vector>

#include "core/base/shape.h"
#include "core/gpu/data/numbers.h"
#include "core/scene/scene.h"

namespace maskscope::gpu {

// --- the mask rules as words for mask.comp

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

// Returns a bit for each entry, 1 if it is true, 32 to a word, the last word filled up with 0.
std::vector<std::uint32_t> bits_of(const std::vector<bool>& numbers);
// Returns a bit for each token, 1 if it is padding.
std::vector<std::uint32_t> pad_bits(const TokenView& tokens);

// --- the small numbers of one variant that its shaders look up, in one buffer of words

// The first table, [b, h, 2], gives two places for each head: the word at which row 0 of its sheet
// of the mask would begin, and where in `words` the bits of its padded keys begin. If row 0 was not
// requested, its place is before that of the requested rows, and wraps if it is below 0. The
// shaders' uniforms of the same names say where the other tables begin.
struct Tables {
    std::vector<std::uint32_t> words;
    Index slopes_start = 0;        // [h]: alibi's m as a float, 0 if alibi does not hold
    Index starts_start = 0;        // [b]: the position of the first query as a float
    Index groups_start = 0;        // [b, h]: heads of one group have the same bias cells
    Index bias_rows_start = 0;     // [groups, rows + 1]: the first cell of each requested row
    Index bias_columns_start = 0;  // for each cell, ascending within a row
    Index bias_values_start = 0;   // for each cell, as a float
    Index factors_start = 0;       // w_v of the scoring function `additive`, [hidden]
    Index sinks_start = 0;         // [h, 2]: see sink_of(), as a float and its remainder
    Index row_scales_start = 0;    // [b, h, rows, 2]: see row_scales(), in the same form; or empty
    bool biased = false;           // true if there is a bias
    double largest_bias = 0;       // magnitude of the finite bias cells
    bool extreme_scale = false;    // true if a row's scale is far from 1, and not 0
};

// Scales beyond these are extreme: steps of a float32 computation may leave its range.
inline constexpr double largest_scale = 1e30, least_scale = 1e-18;

// Makes the tables. factors: w_v, or empty. asked: the rows and heads that are computed.
Tables make_tables(const Scene& scene, const Variant& variant, const Slice& asked,
                   const std::vector<std::uint32_t>& sheet_of_head,
                   const std::vector<double>& factors);

}  // namespace maskscope::gpu
