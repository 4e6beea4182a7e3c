#pragma once
// One variant being computed: its inputs, the rows that are computed, and where they are written.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/cpu/input_cache.h"
#include "core/cpu/prepared.h"

namespace maskscope {

// Rows of a stage that are to be written.
struct Target {
    float* numbers = nullptr;  // nullptr: not requested
    std::size_t columns = 0;
    bool past_cache = false;  // rows bypass the cache: a large stage of whole cache lines

    explicit operator bool() const { return numbers != nullptr; }
    float* row(std::size_t at) const { return numbers ? numbers + at * columns : nullptr; }
};

// The settings of a variant for the kernels.
struct RowSettings {
    RowDtype dtype = RowDtype::float32;
    RowMask mask = RowMask::none;  // the effect on a blocked score
    float scale = 1, value = 0;
    bool twice = false, scale_first = true, has_bias = false;
    bool blocks_exactly = false;  // a blocked logit is −inf if the score, scaled, is finite
    bool multiplies_weights = false, renormalizes = false;
    bool zeroes = false, zeroes_before = false;  // empty rows become 0; before: sensitivity, too
    bool opens_empty = false;                    // empty rows attend to all keys
    bool cuts_gradient = false;                  // sensitivity of a blocked score is 0
};

// The settings for computing outputs from weights.
struct Mixing {
    bool wanted = false;
    OutputKind kind = OutputKind::values;
    std::size_t d_v = 0, d_out = 0, w_columns = 0;
    LargeArray<float> w;  // projected: W_o [h·d_v, w_columns]; alternative: Wᵀ [d_v, …]
    float root = 1;       // alternative
    // projected: the heads' parts, [b, n_q, h·d_v], not rounded
    std::shared_ptr<LargeArray<float>> joined;
};

struct CpuTask {
    const Scene* scene = nullptr;
    const Variant* variant = nullptr;
    VariantResult* result = nullptr;
    Shape shape;                      // the scene's, with only the queries that are computed
    Index first = 0;                  // the first of these queries
    std::vector<SharedSheet> sheets;  // [b, h]
    std::shared_ptr<const Parameters> parameters;
    std::shared_ptr<const PreparedInputs> prepared;

    // The rows to compute, numbered across all heads [b, h, n_q], ascending.
    std::vector<std::size_t> rows;
    // True if the targets hold only these rows, consecutively, and not all rows of the stage.
    bool compact = false;
    std::vector<RowExtent> pads;  // [b]: the extent of the keys' padding
    RowSettings settings;
    std::vector<std::uint8_t> exact;  // [b, h]: 1 if every blocked logit is −inf
    Mixing mixing;
    // Indexed by StageKind. If the weights equal the softmax, only the softmax has a target.
    std::array<Target, stage_count> targets;
    Stage scores;  // if they are already known

    std::size_t n_k() const { return static_cast<std::size_t>(shape.n_k); }
    // Returns the rows of the output of `projected`, numbered [b, n_q].
    std::vector<std::size_t> projected_rows() const;
    const Target& target(StageKind kind) const { return targets[static_cast<std::size_t>(kind)]; }
    Target& target(StageKind kind) { return targets[static_cast<std::size_t>(kind)]; }
};

// Variants with the same scores that compute the same rows.
using Group = std::vector<CpuTask*>;

RowSettings row_settings(const Variant& variant, const Parameters& parameters);
// True if every blocked logit of this head is −inf, whatever its score.
bool blocks_exactly(const RowSettings& settings, const PreparedHead& head);

// Return true if the kernels can compute this variant, and if its numbers are small enough for
// them.
bool is_for_kernels(const Scene& scene, const Variant& variant);
bool is_in_range(const Variant& variant, const Parameters& parameters,
                 const PreparedInputs& prepared, const Shape& shape);

Mixing mixing_of(const Variant& variant, const Parameters& parameters, const Inputs& inputs,
                 const Shape& shape);

}  // namespace maskscope
