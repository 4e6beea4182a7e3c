#pragma once
// What an edit changed: which variant of the result before can be used, and which rows cannot.

#include <vector>

#include "core/cpu/cpu_lane.h"

namespace maskscope {

// A variant of the result before.
struct PreviousVariant {
    const Variant* variant = nullptr;
    const VariantResult* result = nullptr;
    explicit operator bool() const { return result != nullptr; }
    // Is there a stage whose rows can be read?
    bool has(StageKind kind) const;
};

// The variant before that is equal to `lane` of the scene, or else the one at the same place, where
// its masks are among those that `planes` remembers: of this backend, and no other that counts
// differently. Both scenes have the same inputs; before may be nullptr.
PreviousVariant old_lane(const Scene& scene, std::size_t lane, const Result* before,
                         const MaskPlanes& planes);

bool same_scores(const Variant& x, const Variant& y);  // the stage, over the same inputs
bool same_but_layers(const Variant& x, Variant y);     // equal but for the name and mask.layers
bool same_biases(const Variant& x, const Variant& y);  // among the layers
bool same_masks(const std::vector<SharedPlane>& planes, const VariantResult& old);

// Rows, counted through all heads, whose mask or bias is another than before; where the heads are
// joined to one output, in every head of the sequence.
std::vector<std::size_t> changed_rows(const CpuLane& lane, const PreviousVariant& old);

}  // namespace maskscope
