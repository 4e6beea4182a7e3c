#include "core/result/result.h"
#include "core/base/matrix.h"
#include "core/result/request.h"

#include <algorithm>
#include <mutex>

namespace maskscope {

// Numbers that are read or assembled on first use, under a lock, because results are shared between
// threads.
struct Stage::WholeStage {
    std::mutex mutex;
    // Both are empty until first use. row: the last row that at() read.
    std::variant<LargeArray<float>, LargeArray<double>> all, row;
    std::size_t first = 0;  // where that row begins
};

void RemoteNumbers::read(std::size_t, std::span<double>) const {
    eigen_assert(false && "these numbers are float32");
}

Stage::Stage(Index b, Index h, Index rows, Index columns, bool float64)
    : b_(b), h_(h), rows_(rows), columns_(columns) {
    const auto size = static_cast<std::size_t>(b * h * rows * columns);
    if (float64)
        numbers_ = LocalNumbers<double>{std::make_shared<LargeArray<double>>(size, 0.0), {}};
    else
        numbers_ = LocalNumbers<float>{std::make_shared<LargeArray<float>>(size, 0.0F), {}};
}

Stage::Stage(Index b, Index h, Index rows, Index columns,
             std::shared_ptr<LargeArray<float>> numbers)
    : b_(b),
      h_(h),
      rows_(rows),
      columns_(columns),
      numbers_(LocalNumbers<float>{std::move(numbers), {}}) {
    eigen_assert(std::get<LocalNumbers<float>>(numbers_).all->size() ==
                 static_cast<std::size_t>(b * h * rows * columns));
}

Stage::Stage(Index b, Index h, Index rows, Index columns,
             std::shared_ptr<LargeArray<double>> numbers)
    : b_(b),
      h_(h),
      rows_(rows),
      columns_(columns),
      numbers_(LocalNumbers<double>{std::move(numbers), {}}) {
    eigen_assert(std::get<LocalNumbers<double>>(numbers_).all->size() ==
                 static_cast<std::size_t>(b * h * rows * columns));
}

Stage::Stage(Index b, Index h, Index rows, Index columns,
             std::shared_ptr<const RemoteNumbers> remote, bool float64)
    : b_(b),
      h_(h),
      rows_(rows),
      columns_(columns),
      remote_(std::move(remote)),
      whole_(std::make_shared<WholeStage>()) {
    if (float64) numbers_ = LocalNumbers<double>{};
}

// --- numbers in memory

template <class T>
const T* Stage::LocalNumbers<T>::row(std::size_t row, std::size_t columns) const {
    if (!changed.empty()) {
        const auto found = std::ranges::lower_bound(changed, row, {}, &ChangedRow<T>::row);
        if (found != changed.end() && found->row == row) return found->numbers.get();
    }
    return all->data() + row * columns;
}

template const float* Stage::LocalNumbers<float>::row(std::size_t, std::size_t) const;
template const double* Stage::LocalNumbers<double>::row(std::size_t, std::size_t) const;

bool Stage::shares(const Stage& other) const {
    return b_ == other.b_ && h_ == other.h_ && rows_ == other.rows_ && columns_ == other.columns_ &&
           remote_ == other.remote_ && numbers_ == other.numbers_;
}

// Makes the numbers unshared and contiguous, before a write.
template <class T>
void Stage::own(LocalNumbers<T>& local) {
    if (local.changed.empty() && local.all.use_count() == 1) return;
    local = {std::make_shared<LargeArray<T>>(whole<T>()), {}};
    whole_.reset();
}

void Stage::set_head(Index b, Index h, const Matrix& numbers) { set_rows(b, h, 0, numbers); }

void Stage::set_rows(Index b, Index h, Index first, const Matrix& numbers) {
    eigen_assert(numbers.cols() == columns_ && first + numbers.rows() <= rows_);
    std::visit(
        [&](auto& local) {
            own(local);
            auto* to = local.all->data() + row_of(b, h, first) * static_cast<std::size_t>(columns_);
            using Number = std::decay_t<decltype(*to)>;
            std::transform(numbers.data(), numbers.data() + numbers.size(), to,
                           [](double x) { return static_cast<Number>(x); });
        },
        numbers_);
}

Stage Stage::with_rows(const std::vector<std::size_t>& changed,
                       const std::shared_ptr<const LargeArray<float>>& numbers) const {
    Stage stage = *this;
    stage.whole_ = std::make_shared<WholeStage>();
    auto& local = std::get<LocalNumbers<float>>(stage.numbers_);
    const auto old = std::move(local.changed);
    local.changed.clear();
    auto before = old.begin();
    for (std::size_t k = 0; k < changed.size(); ++k) {
        for (; before != old.end() && before->row < changed[k]; ++before)
            local.changed.push_back(*before);
        if (before != old.end() && before->row == changed[k]) ++before;
        const float* row = numbers->data() + k * static_cast<std::size_t>(columns_);
        local.changed.push_back({changed[k], std::shared_ptr<const float>(numbers, row)});
    }
    local.changed.insert(local.changed.end(), before, old.end());
    return stage;
}

std::size_t Stage::changed_rows() const {
    return std::visit([](const auto& local) { return local.changed.size(); }, numbers_);
}

// --- all numbers, and numbers on the GPU

template <class T>
const LargeArray<T>& Stage::whole() const {
    const auto& local = std::get<LocalNumbers<T>>(numbers_);
    if (!remote_ && local.changed.empty()) {
        static const LargeArray<T> none;
        return local.all ? *local.all : none;
    }
    const std::lock_guard lock(whole_->mutex);
    const auto columns = static_cast<std::size_t>(columns_);
    const auto rows = static_cast<std::size_t>(b_ * h_ * rows_);
    auto* all = std::get_if<LargeArray<T>>(&whole_->all);
    if (all && !all->empty()) return *all;
    LargeArray<T> made(rows * columns);
    if (remote_) remote_->read(0, std::span<T>(made));
    for (std::size_t row = 0; !remote_ && row < rows; ++row)
        std::copy_n(local.row(row, columns), columns, made.data() + row * columns);
    return whole_->all.template emplace<LargeArray<T>>(std::move(made));
}

const LargeArray<float>& Stage::float32s() const { return whole<float>(); }
const LargeArray<double>& Stage::float64s() const { return whole<double>(); }

template <class T, class Use>
auto Stage::with_fetched(Index b, Index h, Index i, const Use& use) const {
    using Numbers = LargeArray<T>;
    const auto columns = static_cast<std::size_t>(columns_);
    const std::size_t first = row_of(b, h, i) * columns;
    const std::lock_guard lock(whole_->mutex);
    const auto* all = std::get_if<Numbers>(&whole_->all);
    if (all && !all->empty()) return use(std::span<const T>(*all).subspan(first, columns));
    const auto* known = std::get_if<Numbers>(&whole_->row);
    if (!known || known->empty() || whole_->first != first) {
        Numbers row(columns);
        remote_->read(first, std::span<T>(row));
        whole_->first = first;
        known = &whole_->row.template emplace<Numbers>(std::move(row));
    }
    return use(std::span<const T>(*known));
}

template <class Use>
auto Stage::with_row(Index b, Index h, Index i, const Use& use) const {
    if (is_float64())
        return remote_ ? with_fetched<double>(b, h, i, use) : use(float64_row(b, h, i));
    return remote_ ? with_fetched<float>(b, h, i, use) : use(float32_row(b, h, i));
}

double Stage::at(Index b, Index h, Index i, Index j) const {
    return with_row(b, h, i, [&](const auto& row) { return double(row[std::size_t(j)]); });
}

std::vector<double> Stage::row_at(Index b, Index h, Index i) const {
    return with_row(b, h, i,
                    [](const auto& row) { return std::vector<double>(row.begin(), row.end()); });
}

Matrix Stage::head(Index b, Index h) const {
    Matrix copy(rows_, columns_);
    if (remote_) {
        const std::size_t first = row_of(b, h, 0) * static_cast<std::size_t>(columns_);
        const auto size = static_cast<std::size_t>(copy.size());
        if (is_float64()) {
            remote_->read(first, std::span<double>(copy.data(), size));
            return copy;
        }
        LargeArray<float> numbers(size);
        remote_->read(first, std::span<float>(numbers));
        std::ranges::copy(numbers, copy.data());
        return copy;
    }
    for (Index i = 0; i < rows_; ++i)
        if (is_float64())
            std::ranges::copy(float64_row(b, h, i), copy.row(i).data());
        else
            std::ranges::copy(float32_row(b, h, i), copy.row(i).data());
    return copy;
}

VariantResult unlabelled(const Scene& scene) {
    VariantResult result;
    result.shape = shape_of(scene);
    result.pads.reserve(static_cast<std::size_t>(result.shape.b * result.shape.n_k));
    for (Index b = 0; b < result.shape.b; ++b) {
        const TokenView keys = key_tokens(scene, b, result.shape.n_k);
        for (Index j = 0; j < result.shape.n_k; ++j) result.pads.push_back(keys.is_pad(j));
    }
    return result;
}

VariantResult labelled(const Scene& scene) {
    VariantResult result = unlabelled(scene);
    result.queries = query_labels(scene);
    result.keys = is_self_attention(scene) ? result.queries : key_labels(scene);
    return result;
}

const Scene& scene_of_variant(const Result& result, int variant) {
    const auto& run = result.variants[variant].run;
    return run ? run->attended : result.scene;
}

const std::shared_ptr<const BatchInputs>& inputs_of(const Result& result, int variant) {
    const auto& run = result.variants[variant].run;
    return run ? run->inputs : result.inputs;
}

bool VariantResult::is_allowed(Index b, Index h, Index i, Index j) const {
    const Index place = ((b * shape.h + h) * shape.n_q + i) * shape.n_k + j;
    return allowed[place];
}

std::vector<std::uint8_t> VariantResult::allowed_row(Index b, Index h, Index i) const {
    const auto n_k = static_cast<std::size_t>(shape.n_k);
    return allowed.some(static_cast<std::size_t>((b * shape.h + h) * shape.n_q + i) * n_k, n_k);
}

RowFigures VariantResult::row(Index b, Index h, Index i) const {
    if (computed) return computed->figures(b, h, i);
    return rows[(b * shape.h + h) * shape.n_q + i];
}

}  // namespace maskscope
