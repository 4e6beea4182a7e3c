#include "core/cpu/changes.h"

#include <cstring>
#include <optional>

namespace maskscope {
namespace {

std::vector<MaskLayer> biases_of(const Variant& variant) {
    std::vector<MaskLayer> layers;
    std::ranges::copy_if(variant.mask.layers, std::back_inserter(layers), is_bias);
    return layers;
}

using Marks = std::vector<std::uint8_t>;  // [b, h, n_q]

void mark_bias_rows(const Variant& variant, std::size_t n_q, Marks& changed) {
    for (const MaskLayer& layer : variant.mask.layers) {
        if (layer.kind == LayerKind::alibi) std::ranges::fill(changed, 1);
        for (const BiasCell& cell : layer.bias)
            for (auto row = static_cast<std::size_t>(cell.i); row < changed.size(); row += n_q)
                changed[row] = 1;
    }
}

// True if this head has the same two masks as the previous head.
bool again(const std::vector<SharedPlane>& now, const std::vector<MaskCells::Plane>& then,
           std::size_t head) {
    return head > 0 && now[head]->cells == now[head - 1]->cells && then[head] == then[head - 1];
}

void mark_mask_rows(const CpuLane& lane, const PreviousVariant& old, Marks& changed) {
    const auto n_q = static_cast<Index>(lane.shape.n_q);
    const std::vector<MaskCells::Plane>& then = old.result->allowed.planes();
    for (std::size_t head = 0; head < lane.planes.size(); ++head) {
        const auto marks = changed.begin() + static_cast<Index>(head) * n_q;
        if (again(lane.planes, then, head)) {
            std::copy_n(marks - n_q, n_q, marks);
            continue;
        }
        for (Index i = 0; i < n_q; ++i) {
            const std::uint8_t *x = lane.planes[head]->cells->row(static_cast<std::size_t>(i)),
                               *y = then[head]->row(static_cast<std::size_t>(i));
            marks[i] = x != y && std::memcmp(x, y, lane.n_k()) != 0;
        }
    }
}

void spread_over_heads(const Shape& shape, Marks& changed) {
    const auto n_q = static_cast<std::size_t>(shape.n_q);
    const std::size_t sequence = static_cast<std::size_t>(shape.h) * n_q;
    for (std::size_t row = 0; row < changed.size(); ++row) {
        if (changed[row] == 0) continue;
        const std::size_t begin = row / sequence * sequence;
        for (std::size_t other = begin + row % n_q; other < begin + sequence; other += n_q)
            changed[other] = 1;
    }
}

}  // namespace

bool PreviousVariant::has(StageKind kind) const {
    return result && result->stage(kind).exists() && !result->stage(kind).remote() &&
           !result->stage(kind).is_float64();
}

PreviousVariant old_lane(const Scene& scene, std::size_t lane, const Result* before,
                         const MaskPlanes& planes) {
    if (!before) return {};
    const Shape shape = shape_of(scene);
    const auto usable = [&](std::size_t k) {
        if (k >= before->variants.size()) return false;
        const VariantResult& variant = before->variants[k];
        const auto heads = static_cast<std::size_t>(shape.b * shape.h);
        return !variant.rows.empty() && variant.allowed.planes().size() == heads &&
               planes.has(variant.allowed.planes().front());
    };
    const auto equal = [&](std::size_t k) {
        return usable(k) && before->scene.variants[k] == scene.variants[lane];
    };
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < before->variants.size() && !found; ++k)
        if (equal(k)) found = k;
    if (usable(lane) && (!found || equal(lane))) found = lane;
    if (!found) return {};
    return {&before->scene.variants[*found], &before->variants[*found]};
}

bool same_scores(const Variant& x, const Variant& y) {
    return x.score == y.score && x.dtype == y.dtype;
}

bool same_but_layers(const Variant& x, Variant y) {
    y.name = x.name;
    y.reference = x.reference;
    y.mask.layers = x.mask.layers;
    return x == y;
}

bool same_biases(const Variant& x, const Variant& y) { return biases_of(x) == biases_of(y); }

bool same_masks(const std::vector<SharedPlane>& planes, const VariantResult& old) {
    const std::vector<MaskCells::Plane>& then = old.allowed.planes();
    for (std::size_t head = 0; head < planes.size(); ++head) {
        const MaskCells::Plane& now = planes[head]->cells;
        if (!again(planes, then, head) && now != then[head] && *now != *then[head]) return false;
    }
    return true;
}

std::vector<std::size_t> changed_rows(const CpuLane& lane, const PreviousVariant& old) {
    const Shape& shape = lane.shape;
    Marks changed(static_cast<std::size_t>(shape.b * shape.h * shape.n_q), 0);
    mark_mask_rows(lane, old, changed);
    if (!same_biases(*lane.variant, *old.variant)) {
        const auto n_q = static_cast<std::size_t>(shape.n_q);
        mark_bias_rows(*lane.variant, n_q, changed);
        mark_bias_rows(*old.variant, n_q, changed);
    }
    if (lane.mixing.wanted && lane.mixing.kind == OutputKind::projected)
        spread_over_heads(shape, changed);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < changed.size(); ++row)
        if (changed[row] != 0) rows.push_back(row);
    return rows;
}

}  // namespace maskscope
