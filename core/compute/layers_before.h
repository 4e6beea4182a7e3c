#pragma once
// Computes the weights of the layers whose outputs are the inputs of a scene.

#include "core/result/backend.h"

namespace maskscope {

// Returns, for inputs `output`, the weights of the layer of the queries, then of the layer of the
// keys if there is one; empty for other inputs. They are taken from `before` (may be null) if its
// tokens and inputs are the same, otherwise computed. Throws as Backend::compute does.
std::vector<std::shared_ptr<const Result>> layers_before(const Scene& scene, Backend& backend,
                                                         const Result* before, Progress& progress);

}  // namespace maskscope
