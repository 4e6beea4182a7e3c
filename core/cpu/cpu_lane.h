#pragma once
// One variant on its way: what it is made from, which of its rows are made, and where they go.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/attention.h"
#include "core/cpu/mask_planes.h"
#include "core/cpu/prepared.h"

namespace maskscope {

// Rows of a stage, to be written.
struct Target {
    float* numbers = nullptr;  // nullptr: nobody asked for it
    std::size_t columns = 0;
    bool past_cache = false;  // large, and whole lines of the cache

    explicit operator bool() const { return numbers != nullptr; }
    float* row(std::size_t at) const { return numbers ? numbers + at * columns : nullptr; }
};

// What the kernels are told of a variant.
struct RowSettings {
    RowDtype dtype = RowDtype::float32;
    RowMask mask = RowMask::none;  // on a blocked score
    float scale = 1, value = 0;
    bool twice = false, scale_first = true, plus_one = false, has_bias = false;
    bool blocks_exactly = false;  // a blocked score whose multiple is finite becomes −inf
    bool multiplies_weights = false, renormalizes = false;
    bool mends = false, mends_before = false;  // empty rows; before: their sensitivity, too
    bool cuts_gradient = false;                // sensitivity of a blocked score is 0
};

// From weights to output.
struct Mixing {
    bool wanted = false;
    OutputKind kind = OutputKind::values;
    std::size_t d_v = 0, d_out = 0, w_columns = 0;
    LargeArray<float> w;  // projected: W_o [h·d_v, w_columns]; alternative: Wᵀ [d_v, …]
    float root = 1;       // alternative
    // projected: the heads' parts, [b, n_q, h·d_v], not rounded
    std::shared_ptr<LargeArray<float>> joined;
};

struct CpuLane {
    const Scene* scene = nullptr;
    const Variant* variant = nullptr;
    VariantResult* result = nullptr;
    Shape shape;
    std::vector<SharedPlane> planes;  // [b, h]
    std::shared_ptr<const Parameters> parameters;
    std::shared_ptr<const Prepared> prepared;  // nullptr where the plain functions compute

    // The rows that are made, counted through all heads, in order.
    std::vector<std::size_t> rows;
    // Do the targets hold these rows alone, one after the other? Else all rows of the stage.
    bool compact = false;
    std::vector<RowExtent> pads;  // [b]: where the pads among the keys lie
    RowSettings settings;
    std::vector<std::uint8_t> exact;  // [b, h]: is every blocked logit −inf?
    Mixing mixing;
    // By StageKind. `softmax` is that of the weights, too, where they are the same.
    std::array<Target, stage_count> targets;
    Stage scores;  // where they are known already

    std::size_t n_k() const { return static_cast<std::size_t>(shape.n_k); }
    const Target& target(StageKind kind) const { return targets[static_cast<std::size_t>(kind)]; }
    Target& target(StageKind kind) { return targets[static_cast<std::size_t>(kind)]; }
};

// Lanes that have the same scores, and make the same rows.
using Group = std::vector<CpuLane*>;

RowSettings row_settings(const Variant& variant, const Parameters& parameters);
// Is every blocked logit of this head −inf, whatever its score is?
bool blocks_exactly(const RowSettings& settings, const PreparedHead& head);

// Can the kernels compute this variant, with numbers as large as these? (prepared may be nullptr)
bool is_for_kernels(const Scene& scene, const Variant& variant);
bool is_in_range(const Variant& variant, const Parameters& parameters, const Prepared& prepared,
                 const Shape& shape);

Mixing mixing_of(const Variant& variant, const Parameters& parameters, const Scene& scene);

}  // namespace maskscope
