#pragma once

#include <functional>

#include "core/cpu/plan.h"

namespace maskscope {

// What the kernels do not know, by the plain functions: block by block, in all threads.
// rows_done is called with the number of rows that were made.
void compute_plain(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainLane& lane, Pool& pool, const std::function<void(Index)>& rows_done);

}  // namespace maskscope
