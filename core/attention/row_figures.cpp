#include "core/attention/row_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "core/attention/mask.h"

namespace maskscope {

namespace {

// Returns −w ln w, with 0 ln 0 = 0; NaN if w is negative.
double surprise(double weight) {
    if (weight < 0) return not_a_number;
    return weight == 0 ? 0 : -weight * std::log(weight);
}

// Returns ln Σ e^x of row i. The sum is taken relative to the largest x, so that it does not
// overflow.
double log_sum_exp(const Matrix& logits, Index i) {
    double largest = -infinity, sum = 0;
    for (Index j = 0; j < logits.cols(); ++j) {
        if (std::isnan(logits(i, j))) return not_a_number;
        largest = std::max(largest, logits(i, j));
    }
    if (std::isinf(largest)) return largest;
    for (Index j = 0; j < logits.cols(); ++j) sum += std::exp(logits(i, j) - largest);
    return largest + std::log(sum);
}

}  // namespace

RowFigures row_figures(const Matrix& weights, const Matrix& sensitivity, const Matrix& logits,
                       const Allowed& allowed, const std::uint8_t* pads, Index i) {
    RowFigures row;
    row.max = -infinity;
    bool blocked = false, pad = false;
    for (Index j = 0; j < weights.cols(); ++j) {
        const double weight = weights(i, j);
        row.nan = row.nan || std::isnan(weight);
        row.sum += weight;
        row.max = std::max(row.max, weight);
        row.entropy += surprise(weight);
        if (pads[j]) row.pads += weight, pad = true;
        if (allowed(i, j)) continue;
        blocked = true;
        row.leak += weight;
        if (sensitivity.size() > 0) row.gradient_leak += sensitivity(i, j);
    }
    row.empty = !allowed.row(i).any();
    if (row.nan) row.sum = row.max = row.entropy = not_a_number;
    if (row.nan && blocked) row.leak = row.gradient_leak = not_a_number;
    if (row.nan && pad) row.pads = not_a_number;
    if (sensitivity.size() == 0) row.gradient_leak = not_a_number;
    if (logits.size() > 0) row.lse = log_sum_exp(logits, i);
    return row;
}

namespace {

Shape shape_of_variant(const Result& result, int index) {
    const VariantResult& variant = result.variants[index];
    return variant.run ? variant.shape : shape_of(result.scene);
}

const std::vector<MaskLayer>& reference_layers(const Scene& scene, int variant) {
    return scene.variants[scene.variants[variant].reference.value()].mask.layers;
}

std::vector<std::uint8_t> allowed_row(const Scene& scene, const std::vector<MaskLayer>& layers,
                                      const Shape& shape, Index b, Index h, Index i) {
    const Allowed allowed = allowed_cells(scene, layers, head_positions(scene, shape, b, h), i, 1);
    return {allowed.data(), allowed.data() + allowed.size()};
}

}  // namespace

struct ReferenceMask::LastRow {
    std::mutex mutex;
    std::array<Index, 3> place{-1, -1, -1};  // b, h, i; -1: none yet
    std::vector<std::uint8_t> allowed;
};

ReferenceMask::ReferenceMask(const Result& result, int variant)
    : scene_(result.scene),
      layers_(reference_layers(result.scene, variant)),
      shape_(shape_of_variant(result, variant)),
      last_(std::make_shared<LastRow>()) {
    scene_.variants.clear();
    scene_.title.clear();
    scene_.show.reset();
}

std::vector<std::uint8_t> ReferenceMask::row(Index b, Index h, Index i) const {
    return allowed_row(scene_, layers_, shape_, b_ + b, h_ + h, i_ + i);
}

bool ReferenceMask::allows(Index b, Index h, Index i, Index j) const {
    const std::array place{b, h, i};
    const std::lock_guard lock(last_->mutex);
    if (last_->place != place) {
        last_->allowed = row(b, h, i);
        last_->place = place;
    }
    return last_->allowed[static_cast<std::size_t>(j)] != 0;
}

bool is_same(const std::shared_ptr<const ReferenceMask>& x,
             const std::shared_ptr<const ReferenceMask>& y) {
    return x == y || (x && y && *x == *y);
}

bool ReferenceMask::operator==(const ReferenceMask& other) const {
    return scene_ == other.scene_ && layers_ == other.layers_ && shape_ == other.shape_ &&
           b_ == other.b_ && h_ == other.h_ && i_ == other.i_;
}

ReferenceMask ReferenceMask::from(Index b, Index h, Index i) const {
    ReferenceMask part = *this;
    part.last_ = std::make_shared<LastRow>();
    part.b_ += b;
    part.h_ += h;
    part.i_ += i;
    return part;
}

std::shared_ptr<const ReferenceMask> reference_of(const Result& result, int variant) {
    if (!result.scene.variants[variant].reference) return nullptr;
    return std::make_shared<const ReferenceMask>(result, variant);
}

ReferenceFigures reference_figures(const Result& result, int index, Index b, Index h, Index i,
                                   Index first) {
    const VariantResult& variant = result.variants[index];
    const std::vector<std::uint8_t> reference =
        allowed_row(result.scene, reference_layers(result.scene, index),
                    shape_of_variant(result, index), b, h, first + i);
    const std::vector<std::uint8_t> own = variant.allowed_row(b, h, i);
    const std::vector<double> weights = variant.stage(StageKind::weights).row_at(b, h, i);
    ReferenceFigures figures;
    bool nan = false, blocks = false;
    for (std::size_t j = 0; j < reference.size(); ++j) {
        nan = nan || std::isnan(weights[j]);
        if (reference[j] != 0) {
            figures.missing += own[j] == 0 ? 1 : 0;
        } else {
            blocks = true;
            figures.leak += weights[j];
        }
    }
    if (nan && blocks) figures.leak = not_a_number;
    return figures;
}

}  // namespace maskscope
