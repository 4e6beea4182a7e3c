#include "core/result/request.h"

#include <algorithm>
#include <numeric>

namespace maskscope {

Rows rows_of(const Request& request, const Shape& shape) {
    return request.rows.value_or(Rows{0, shape.n_q});
}

namespace {

TokenLabels labels_of(const Scene& scene, const Rows& rows) {
    std::vector<TokenList> labels;  // without pad tokens, which may be many and long
    for (const Sequence& sequence : scene.sequences) {
        const std::vector<std::string>& all = sequence.queries;
        const Index begin = std::min(rows.first, std::ssize(all));
        const Index end = std::min(rows.first + rows.count, std::ssize(all));
        labels.emplace_back(std::vector(all.begin() + begin, all.begin() + end));
    }
    return {std::move(labels), scene.pad_token, rows.count};
}

}  // namespace

VariantResult labelled(const Scene& scene, const Request& request) {
    if (!request.rows) return labelled(scene);
    VariantResult result = request.head ? unlabelled(scene) : labelled(scene);
    if (request.head) {
        const Index b = *request.head / result.shape.h, n_k = result.shape.n_k;
        result.pads = {result.pads.begin() + b * n_k, result.pads.begin() + (b + 1) * n_k};
        result.shape.b = result.shape.h = 1;
    } else {
        result.queries = labels_of(scene, *request.rows);
    }
    result.shape.n_q = request.rows->count;
    return result;
}

bool wants(const Request& request, const Inputs& inputs, StageKind stage) {
    return request.stages.test(static_cast<std::size_t>(stage)) && has_stage(inputs, stage);
}

std::vector<int> variants_of(const Request& request, const Scene& scene) {
    if (!request.variants.empty()) return request.variants;
    std::vector<int> all(scene.variants.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace maskscope
