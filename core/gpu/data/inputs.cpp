#include "core/gpu/data/inputs.h"

#include <algorithm>

#include "core/attention/attention.h"
#include "core/attention/scoring.h"
#include "core/compute/embedding.h"

namespace maskscope::gpu {
namespace {

// Sums and squares below this stay far from the largest float, 3.4e38, even scaled.
constexpr double far_from_overflow = 1e30;

// 256 bytes: no GPU requires a larger alignment of bindings.
Index stride_of(Index size) { return (size + 63) / 64 * 64; }

float near_float(double x) {
    return static_cast<float>(Rounding(Dtype::float32)(x));  // overflows to an infinity
}

// The matrices as they are, or transposed.
Matrices upload(Device& device, const std::vector<Matrix>& heads, bool transposed) {
    const Matrix& first = heads.front();
    Matrices made{nullptr, first.rows(), first.cols(), stride_of(first.size())};
    if (transposed) std::swap(made.rows, made.columns);
    std::vector<float> numbers(heads.size() * static_cast<std::size_t>(made.stride));
    float* to = numbers.data();
    for (const Matrix& head : heads) {
        for (Index k = 0; k < head.size(); ++k) {
            const double x = transposed ? head(k % head.rows(), k / head.rows()) : head.data()[k];
            to[k] = near_float(x);
            made.overflows = made.overflows || (std::isfinite(x) && std::isinf(to[k]));
            made.largest = std::isnan(x) ? infinity : std::max(made.largest, std::abs(x));
        }
        to += made.stride;
    }
    made.buffer = device.upload(numbers);
    return made;
}

// Each head's matrix, after `change`.
template <class Change>
std::vector<Matrix> collect(const BatchInputs& batch, InputPart part, Change change) {
    std::vector<Matrix> all;
    for (Index b = 0; b < batch.shape.b; ++b)
        for (Index h = 0; h < batch.shape.h; ++h) all.push_back(change(batch.part(b, h, part)));
    return all;
}

double largest_factor(const std::vector<double>& factors) {
    double largest = 0;
    for (const double x : factors)
        largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : infinity;
    return largest;
}

bool is_careful(ScoreKind kind, const QueryKeys& made) {
    const double q = made.queries.largest, k = made.keys.largest;
    const auto depth = static_cast<double>(made.queries.columns);
    if (kind == ScoreKind::additive)
        return !(depth * largest_factor(made.factors) < far_from_overflow &&
                 q + k < far_from_overflow);
    const double term = kind == ScoreKind::gaussian ? (q + k) * (q + k) : q * k;
    return !(depth * term < far_from_overflow && q < far_from_overflow && k < far_from_overflow);
}

QueryKeys make_query_keys(Device& device, const BatchInputs& batch, const Variant& variant,
                          std::uint64_t seed) {
    const Rounding rounded(variant.dtype);
    const Index d_q = batch.size_of(&HeadInputs::queries).columns;
    const Index d_k = batch.size_of(&HeadInputs::keys).columns;
    const ScoreMatrices w = score_matrices(variant.score, d_q, d_k, seed, rounded);
    const auto projected = [&](const Matrix& x, const Matrix& by) -> Matrix {
        return by.size() > 0 ? product(rounded(x), by) : rounded(x);
    };
    QueryKeys made;
    const Matrix by = w.matrix.size() > 0 ? w.matrix : Matrix(w.w_q.transpose());
    made.queries = upload(
        device,
        collect(batch, &HeadInputs::queries, [&](const Matrix& q) { return projected(q, by); }),
        false);
    made.keys = upload(device,
                       collect(batch, &HeadInputs::keys,
                               [&](const Matrix& k) { return projected(k, w.w_k.transpose()); }),
                       true);
    made.factors.assign(w.w_v.data(), w.w_v.data() + w.w_v.size());
    return made;
}

Given make_given(Device& device, const BatchInputs& batch, Dtype dtype,
                 const std::vector<Slice>& slices) {
    const Rounding rounded(dtype);
    const auto n_q = batch.shape.n_q, n_k = batch.shape.n_k;
    Given made;
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(batch.shape.b * batch.shape.h * n_q * n_k));
    const InputPart part =
        batch.size_of(&HeadInputs::scores).rows > 0 ? &HeadInputs::scores : &HeadInputs::weights;
    for (const Matrix& head : collect(batch, part, rounded))
        for (const double x : head.reshaped<Eigen::RowMajor>()) {
            numbers.push_back(near_float(x));
            if (!std::isnan(x)) made.largest = std::max(made.largest, std::abs(x));
            made.negative = made.negative || x < 0;
        }
    const auto given =
        std::make_shared<GpuNumbers>(slices, n_q, n_k, device.make_buffers(slices, n_k));
    given->write(numbers);
    made.numbers = given;
    return made;
}

// The value known for the key, else a new one.
template <class Key, class T, class Make>
std::shared_ptr<const T> find_or_make(std::vector<Uploaded<Key, T>>& known, const Key& key,
                                      Make make) {
    for (auto& uploaded : known)
        if (uploaded.key == key) {
            uploaded.used = true;
            return uploaded.made;
        }
    known.push_back({key, std::make_shared<const T>(make())});
    return known.back().made;
}

template <class Key, class T>
void drop_unused(std::vector<Uploaded<Key, T>>& known) {
    std::erase_if(known, [](const auto& uploaded) { return !uploaded.used; });
    for (auto& uploaded : known) uploaded.used = false;
}

}  // namespace

void InputStore::open(const Scene& scene, std::shared_ptr<const BatchInputs> known,
                      Progress& progress) {
    progress_ = &progress;
    if (scene_ && same_inputs(*scene_, scene)) return;
    *this = InputStore();
    static std::atomic<std::uint64_t> ids = 0;
    id_ = ++ids;
    progress_ = &progress;
    batch_ = std::move(known);
    scene_.emplace();
    scene_->inputs = scene.inputs;
    scene_->sequences = scene.sequences;
    scene_->pad_token = scene.pad_token;
}

void InputStore::close() {
    drop_unused(query_keys_);
    drop_unused(values_);
    drop_unused(given_);
}

const std::shared_ptr<const BatchInputs>& InputStore::batch() {
    if (!batch_) batch_ = std::make_shared<const BatchInputs>(make_inputs(*scene_, *progress_));
    return batch_;
}

std::shared_ptr<const QueryKeys> InputStore::query_keys(Device& device, const Variant& variant) {
    const ScoreKind kind = variant.score.kind;
    const bool as_they_stand = kind == ScoreKind::dot || kind == ScoreKind::gaussian;
    const QueryKeysKey key{variant.dtype,
                           as_they_stand ? std::nullopt : std::optional(variant.score)};
    auto found = find_or_make(query_keys_, key, [&] {
        return make_query_keys(device, *batch(), variant, seed_of(scene_->inputs));
    });
    if (found->careful == is_careful(kind, *found)) return found;
    auto copy = std::make_shared<QueryKeys>(*found);  // dot and gaussian overflow differently
    copy->careful = !copy->careful;
    return copy;
}

std::shared_ptr<const Matrices> InputStore::values(Device& device, Dtype dtype) {
    return find_or_make(values_, dtype, [&] {
        const Rounding rounded(dtype);
        return upload(
            device,
            collect(*batch(), &HeadInputs::values, [&](const Matrix& v) { return rounded(v); }),
            false);
    });
}

std::shared_ptr<const Given> InputStore::given(Device& device, Dtype dtype,
                                               const std::vector<Slice>& slices) {
    return find_or_make(given_, std::pair(dtype, slices),
                        [&] { return make_given(device, *batch(), dtype, slices); });
}

Index InputStore::largest_stride(const Variant& variant) const {
    const Shape shape = shape_of(*scene_);
    Index depth = d_k_of(scene_->inputs).value_or(0);
    if (!has_score(scene_->inputs)) depth = 0;
    if (variant.score.kind == ScoreKind::additive)
        depth = variant.score.w_v ? static_cast<Index>(variant.score.w_v->values->size())
                                  : variant.score.hidden;
    const Index d_v = d_v_of(scene_->inputs).value_or(0);
    return std::max(
        {stride_of(depth * shape.n_q), stride_of(depth * shape.n_k), stride_of(d_v * shape.n_k)});
}

}  // namespace maskscope::gpu
