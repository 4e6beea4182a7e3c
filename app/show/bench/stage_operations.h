#pragma once
// Labels the connectors between stages: "× 1/√d", "+ M", "softmax", "× m", "÷ Σ".

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// Returns the operations that lead a variant from one stage to a later one, in order.
std::vector<std::string> operations_between(const Inputs& inputs, const Variant& variant,
                                            StageKind from, StageKind to);

// Returns all operations from a mask to a stage after it: "S + M", "softmax"; none if the mask does
// not act before that stage.
std::vector<std::string> operations_with_mask(const Inputs& inputs, const Variant& variant,
                                              StageKind to);

// Returns the short formula to the right of a stage's title: "QKᵀ", "QKᵀ/√d"; "" if it has none.
std::string stage_note(const Scene& scene, const Variant& variant, StageKind stage);

}  // namespace maskscope
