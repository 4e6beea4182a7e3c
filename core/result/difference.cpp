#include "core/result/difference.h"
#include "core/base/matrix.h"

#include <algorithm>
#include <cmath>

namespace maskscope {

namespace {

void add(double x, double y, StageDifference& difference) {
    if (std::isfinite(x) && std::isfinite(y))
        difference.largest = std::max(difference.largest, std::abs(x - y));
    else if (x != y && !(std::isnan(x) && std::isnan(y)))
        ++difference.other_kind;
}

void add(const Stage& x, const Stage& y, StageDifference& difference, const Progress& progress) {
    for (Index b = 0; b < x.b(); ++b)
        for (Index h = 0; h < x.h(); ++h) {
            if (progress.cancel) throw Cancelled();
            const Matrix left = x.head(b, h), right = y.head(b, h);
            for (Index k = 0; k < left.size(); ++k)
                add(left.data()[k], right.data()[k], difference);
        }
}

void add_allowed(const VariantResult& x, const VariantResult& y, StageDifference& difference) {
    const Shape& shape = x.shape;
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h)
            for (Index i = 0; i < shape.n_q; ++i)
                for (Index j = 0; j < shape.n_k; ++j)
                    add(x.is_allowed(b, h, i, j), y.is_allowed(b, h, i, j), difference);
}

// Returns nullopt if no variant has the stage on both sides.
std::optional<StageDifference> difference_of(StageKind kind, const Result& x, const Result& y,
                                             const Progress& progress) {
    StageDifference difference{kind};
    bool found = false;
    for (std::size_t k = 0; k < std::min(x.variants.size(), y.variants.size()); ++k) {
        const VariantResult &left = x.variants[k], &right = y.variants[k];
        const bool mask = kind == StageKind::allowed;
        if (!mask && !(left.stage(kind).exists() && right.stage(kind).exists())) continue;
        found = true;
        if (mask)
            add_allowed(left, right, difference);
        else
            add(left.stage(kind), right.stage(kind), difference, progress);
    }
    return found ? std::optional(difference) : std::nullopt;
}

}  // namespace

std::vector<StageDifference> differences(const Result& x, const Result& y, Progress& progress) {
    std::vector<StageDifference> all;
    for (int k = 0; k < stage_count; ++k) {
        if (auto difference = difference_of(static_cast<StageKind>(k), x, y, progress))
            all.push_back(*difference);
        progress.done = static_cast<double>(k + 1) / stage_count;
    }
    return all;
}

}  // namespace maskscope
