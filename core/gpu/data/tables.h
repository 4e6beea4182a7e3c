#pragma once
// The small numbers of one variant that its shaders look up, in one buffer of words.

#include <cstdint>
#include <vector>

#include "core/base/shape.h"
#include "core/gpu/data/slices.h"
#include "core/scene/scene.h"

namespace maskscope::gpu {

// The first table, [b, h, 2], gives for each head where row 0 of its sheet of the mask would begin
// (in words; if row 0 was not requested, this is before the requested rows, may be below 0, and
// wraps), and where in `words` the bits of its padded keys begin. The shaders' uniforms of the same
// names say where the other tables begin.
struct Tables {
    std::vector<std::uint32_t> words;
    Index slopes_start = 0;        // [h]: alibi's m as a float, 0 if it does not hold
    Index starts_start = 0;        // [b]: the position of the first query as a float
    Index groups_start = 0;        // [b, h]: heads of one group have the same bias cells
    Index bias_rows_start = 0;     // [groups, rows + 1]: the first cell of each requested row
    Index bias_columns_start = 0;  // for each cell, rising within a row
    Index bias_values_start = 0;   // for each cell, as a float
    Index factors_start = 0;       // w_v of the scoring function `additive`, [hidden]
    Index sinks_start = 0;         // [h, 2]: see sink_of(), as a float and its remainder
    Index row_scales_start = 0;    // [b, h, rows, 2]: see row_scales(), in the same form; or empty
    bool biased = false;           // is there a bias at all?
    double largest_bias = 0;       // magnitude of the finite bias cells
    bool extreme_scale = false;    // is a row's scale far from 1, and not 0?
};

// Scales beyond these are extreme: steps of a float32 computation may leave its range.
inline constexpr double largest_scale = 1e30, least_scale = 1e-18;

// Makes the tables. factors: w_v, or empty. asked: the rows and heads that are computed.
Tables make_tables(const Scene& scene, const Variant& variant, const Slice& asked,
                   const std::vector<std::uint32_t>& sheet_of_head,
                   const std::vector<double>& factors);

}  // namespace maskscope::gpu
