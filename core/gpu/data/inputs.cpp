#include "core/gpu/data/inputs.h"

#include <algorithm>

#include "core/attention/attention.h"
#include "core/attention/scoring.h"
#include "core/compute/embedding.h"

namespace maskscope::gpu {
namespace {

// Sums and squares below this stay far from the largest float, 3.4e38, even scaled.
constexpr double far_from_overflow = 1e30;

// Rounds a number of floats up to whole 256 bytes: no GPU requires a larger alignment of bindings.
Index stride_of(Index size) { return (size + 63) / 64 * 64; }

float near_float(double x) {
    return static_cast<float>(Rounding(Dtype::float32)(x));  // overflow gives an infinity
}

// Uploads each head's matrix after `change`, as it is or transposed. Works on one head at a time,
// because all heads together may take much memory in float64.
template <class Change>
Matrices upload(Device& device, const BatchInputs& batch, InputPart part, bool transposed,
                const Change& change) {
    Matrices made;
    std::vector<float> numbers;
    const Index heads = batch.shape.b * batch.shape.h;
    for (Index k = 0; k < heads; ++k) {
        const Matrix head = change(batch.part(k / batch.shape.h, k % batch.shape.h, part));
        if (k == 0) {
            made.rows = transposed ? head.cols() : head.rows();
            made.columns = transposed ? head.rows() : head.cols();
            made.stride = stride_of(head.size());
            numbers.resize(static_cast<std::size_t>(heads * made.stride));
        }
        float* to = numbers.data() + k * made.stride;
        for (Index at = 0; at < head.size(); ++at) {
            const double x =
                transposed ? head(at % head.rows(), at / head.rows()) : head.data()[at];
            to[at] = near_float(x);
            made.overflows = made.overflows || (std::isfinite(x) && std::isinf(to[at]));
            made.largest = std::isnan(x) ? infinity : std::max(made.largest, std::abs(x));
        }
    }
    made.buffer = device.upload(numbers);
    return made;
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
                          double factor, std::uint64_t seed) {
    const Rounding rounded(variant.dtype);
    const Index d_q = batch.size_of(&HeadInputs::queries).columns;
    const Index d_k = batch.size_of(&HeadInputs::keys).columns;
    const ScoreMatrices w = score_matrices(variant.score, d_q, d_k, seed, rounded);
    const auto projected = [&](const Matrix& x, const Matrix& by) -> Matrix {
        return by.size() > 0 ? product(rounded(x), by) : rounded(x);
    };
    QueryKeys made;
    const Matrix by = w.matrix.size() > 0 ? w.matrix : Matrix(w.w_q.transpose());
    made.queries = upload(device, batch, &HeadInputs::queries, false, [&](const Matrix& q) {
        return projected(factor == 1 ? q : Matrix(rounded(q) * factor), by);
    });
    made.keys = upload(device, batch, &HeadInputs::keys, true,
                       [&](const Matrix& k) { return projected(k, w.w_k.transpose()); });
    made.factors.assign(w.w_v.data(), w.w_v.data() + w.w_v.size());
    return made;
}

// Calls take(number) for each given number of a slice, rounded, row by row.
template <class Take>
void each_given(const BatchInputs& batch, Dtype dtype, const Slice& slice, const Take& take) {
    const Rounding rounded(dtype);
    const InputPart part =
        batch.size_of(&HeadInputs::scores).rows > 0 ? &HeadInputs::scores : &HeadInputs::weights;
    const Index h = batch.shape.h, at_once = rows_at_once(batch.shape.n_k);
    for (Index head = slice.first_head; head < slice.end_head(); ++head)
        for (Index row = slice.first_row; row < slice.end_row(); row += at_once) {
            const Index rows = std::min(at_once, slice.end_row() - row);
            const Matrix some = rounded(batch.part(head / h, head % h, part, row, rows));
            for (const double x : some.reshaped<Eigen::RowMajor>()) take(x);
        }
}

GivenNumbers range_of(const BatchInputs& batch, Dtype dtype) {
    GivenNumbers made;
    each_given(batch, dtype, {0, batch.shape.b * batch.shape.h, 0, batch.shape.n_q}, [&](double x) {
        if (!std::isnan(x)) made.largest = std::max(made.largest, std::abs(x));
        made.negative = made.negative || x < 0;
    });
    return made;
}

std::shared_ptr<const GpuNumbers> given_numbers(Device& device, const BatchInputs& batch,
                                                Dtype dtype, const std::vector<Slice>& slices,
                                                const Slice& asked) {
    const Index n_k = batch.shape.n_k;
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(asked.heads * asked.rows * n_k));
    each_given(batch, dtype, asked, [&](double x) { numbers.push_back(near_float(x)); });
    auto made =
        std::make_shared<GpuNumbers>(slices, asked.rows, n_k, device.make_buffers(slices, n_k));
    made->write(numbers);
    return made;
}

// Returns the value known for the key, else a new one.
template <class Key, class T, class Make>
std::shared_ptr<const T> find_or_make(std::vector<Upload<Key, T>>& known, const Key& key,
                                      Make make) {
    for (auto& uploaded : known)
        if (uploaded.key == key) {
            uploaded.used = true;
            return uploaded.made;
        }
    known.push_back({key, std::make_shared<const T>(make())});
    return known.back().made;
}

// Drops unused uploads. keeps(key): true if an upload must stay although it is unused.
template <class Key, class T, class Keeps>
void drop_unused(std::vector<Upload<Key, T>>& known, const Keeps& keeps) {
    std::erase_if(known,
                  [&](const auto& uploaded) { return !uploaded.used && !keeps(uploaded.key); });
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

InputStore::QueryKeysKey InputStore::key_of(const Variant& variant, double factor) {
    const ScoreKind kind = variant.score.kind;
    const bool as_they_stand = kind == ScoreKind::dot || kind == ScoreKind::gaussian;
    return {variant.dtype, as_they_stand ? std::nullopt : std::optional(variant.score), factor};
}

void InputStore::close(const std::vector<Variant>& kept) {
    drop_unused(query_keys_, [&](const QueryKeysKey& key) {
        return std::ranges::any_of(
            kept, [&](const Variant& variant) { return key_of(variant, key.factor) == key; });
    });
    drop_unused(values_, [&](Dtype dtype) {
        return std::ranges::find(kept, dtype, &Variant::dtype) != kept.end();
    });
    drop_unused(given_, [](const auto&) { return false; });
}

const std::shared_ptr<const BatchInputs>& InputStore::batch() {
    if (!batch_) batch_ = std::make_shared<const BatchInputs>(make_inputs(*scene_, *progress_));
    return batch_;
}

std::shared_ptr<const QueryKeys> InputStore::query_keys(Device& device, const Variant& variant,
                                                        double factor) {
    auto found = find_or_make(query_keys_, key_of(variant, factor), [&] {
        return make_query_keys(device, *batch(), variant, factor, seed_of(scene_->inputs));
    });
    if (found->careful == is_careful(variant.score.kind, *found)) return found;
    auto copy = std::make_shared<QueryKeys>(*found);  // dot and gaussian overflow differently
    copy->careful = !copy->careful;
    return copy;
}

std::shared_ptr<const Matrices> InputStore::values(Device& device, Dtype dtype) {
    return find_or_make(values_, dtype, [&] {
        const Rounding rounded(dtype);
        return upload(device, *batch(), &HeadInputs::values, false, rounded);
    });
}

std::shared_ptr<const GivenNumbers> InputStore::given(Device& device, Dtype dtype,
                                                      const std::vector<Slice>& slices,
                                                      const Slice& asked) {
    auto range = std::ranges::find(ranges_, dtype, &std::pair<Dtype, GivenNumbers>::first);
    if (range == ranges_.end()) range = ranges_.insert(range, {dtype, range_of(*batch(), dtype)});
    return find_or_make(given_, std::pair(dtype, slices), [&] {
        GivenNumbers made = range->second;
        made.numbers = given_numbers(device, *batch(), dtype, slices, asked);
        return made;
    });
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
