#pragma once
// A second layer is understood by what the first one let through: the weights of the layers that
// the inputs come from.

#include "core/result/backend.h"

namespace maskscope {

// Computes the weights of the layers before over inputs `output`: of the queries, then of the keys
// where these have one of their own; nothing over other inputs. `before` is a result of which they
// are taken where tokens and inputs are the same. Throws as Backend::compute does.
std::vector<std::shared_ptr<const Result>> layers_before(const Scene& scene, Backend& backend,
                                                         const Result* before, Progress& progress);

}  // namespace maskscope
