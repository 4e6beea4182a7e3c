#pragma once
// What stands on the connectors between the stages: "× 1/√d", "+ M", "softmax", "× m", "÷ Σ".

#include <string>

#include "core/scene/scene.h"

namespace maskscope {

// All that a variant does on the way from one stage to a later one, with commas between.
std::string operations_between(const Inputs& inputs, const Variant& variant, StageKind from,
                               StageKind to);

// The short formula at the right of a stage's title: "QKᵀ", "QKᵀ/√d"; "" where there is none.
std::string stage_note(const Scene& scene, const Variant& variant, StageKind stage);

}  // namespace maskscope
