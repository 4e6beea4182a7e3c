#include "core/result/backend.h"

#include <numeric>

namespace maskscope {

Rows rows_of(const Request& request, const Shape& shape) {
    return request.rows.value_or(Rows{0, shape.n_q});
}

bool wants(const Request& request, const Inputs& inputs, StageKind stage) {
    return request.stages.test(static_cast<std::size_t>(stage)) && has_stage(inputs, stage);
}

std::vector<int> lanes_of(const Request& request, const Scene& scene) {
    if (!request.variants.empty()) return request.variants;
    std::vector<int> all(scene.variants.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace maskscope
