#pragma once

#include <functional>

#include "core/cpu/plan.h"

namespace maskscope {

// Computes what the kernels don't support with the reference implementation, block by block, in all
// threads. rows_done is called from any thread with the number of rows just computed.
void compute_plain(const Scene& scene, const Request& request, const BatchInputs& inputs,
                   const PlainLane& lane, Pool& pool, const std::function<void(Index)>& rows_done);

}  // namespace maskscope
