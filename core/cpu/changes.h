#pragma once
// Finds the effect of an edit: which variants of the previous result can be reused, and which rows
// cannot.

#include <vector>

#include "core/cpu/cpu_lane.h"

namespace maskscope {

// A variant of the previous result.
struct PreviousVariant {
    const Variant* variant = nullptr;
    const VariantResult* result = nullptr;
    explicit operator bool() const { return result != nullptr; }
    // True if the stage exists and its rows can be read here as float32.
    bool has(StageKind kind) const;
};

// Returns the previous variant that equals `lane` of the scene, else the one at the same index. It
// is used only if its masks are among those that `planes` remembers, so that this backend computed
// it. Both scenes have the same inputs; `before` may be nullptr.
PreviousVariant old_lane(const Scene& scene, std::size_t lane, const Result* before,
                         const MaskPlanes& planes);

bool same_scores(const Variant& x, const Variant& y);  // given the same inputs
bool same_but_layers(const Variant& x, Variant y);     // equal except for name and mask.layers
bool same_biases(const Variant& x, const Variant& y);  // among the layers
bool same_masks(const std::vector<SharedPlane>& planes, const VariantResult& old);

// Returns the rows, numbered across all heads, whose mask or bias has changed. If the heads are
// joined into one output, the row in every head of its sequence counts.
std::vector<std::size_t> changed_rows(const CpuLane& lane, const PreviousVariant& old);

}  // namespace maskscope
