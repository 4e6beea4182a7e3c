#pragma once
// The shown attention of a translator, as a scene of its own.

#include <functional>

#include "core/attention/head_inputs.h"
#include "core/result/request.h"

namespace maskscope {

// Returns a scene with inputs `tensors` over these words. Entries of rules beyond the sizes of the
// pass are left out.
Scene attended_scene(const Scene& scene, const BatchInputs& batch,
                     const std::vector<Sequence>& sequences);

using ComputeAttended = std::function<Result(const Scene& attended, const Request& variant)>;
// Runs the model for each requested variant, and lets `compute` make the stages of its attention.
Result compute_model(const Scene& scene, const Request& request, const Result* before,
                     Progress& progress, const ComputeAttended& compute);

}  // namespace maskscope
