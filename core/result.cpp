#include "core/result.h"

#include <algorithm>
#include <mutex>

namespace maskscope {

// Read when it is first asked for; results are shared between threads.
struct Stage::Fetched {
    std::mutex mutex;
    std::vector<float> all;  // empty until float32s()
    std::vector<float> row;  // the last one that at() read
    std::size_t first = 0;   // of that row
};

Stage::Stage(Index b, Index h, Index rows, Index columns, bool float64)
    : b_(b), h_(h), rows_(rows), columns_(columns) {
    const auto size = static_cast<std::size_t>(b * h * rows * columns);
    if (float64)
        numbers_ = std::vector<double>(size);
    else
        numbers_ = std::vector<float>(size);
}

Stage::Stage(Index b, Index h, Index rows, Index columns,
             std::shared_ptr<const RemoteNumbers> remote)
    : b_(b),
      h_(h),
      rows_(rows),
      columns_(columns),
      remote_(std::move(remote)),
      fetched_(std::make_shared<Fetched>()) {}

const std::vector<float>& Stage::float32s() const {
    if (!remote_) return std::get<std::vector<float>>(numbers_);
    const std::lock_guard lock(fetched_->mutex);
    if (fetched_->all.empty()) {
        std::vector<float> all(static_cast<std::size_t>(b_ * h_ * rows_ * columns_));
        remote_->read(0, all);
        fetched_->all = std::move(all);
    }
    return fetched_->all;
}

double Stage::fetch(Index b, Index h, Index i, Index j) const {
    const std::size_t first = offset(b, h, i);
    const std::lock_guard lock(fetched_->mutex);
    if (!fetched_->all.empty()) return fetched_->all[first + static_cast<std::size_t>(j)];
    if (fetched_->row.empty() || fetched_->first != first) {
        std::vector<float> row(static_cast<std::size_t>(columns_));
        remote_->read(first, row);
        fetched_->row = std::move(row);
        fetched_->first = first;
    }
    return fetched_->row[static_cast<std::size_t>(j)];
}

std::size_t Stage::offset(Index b, Index h, Index i) const {
    return static_cast<std::size_t>(((b * h_ + h) * rows_ + i) * columns_);
}

double Stage::at(Index b, Index h, Index i, Index j) const {
    if (remote_) return fetch(b, h, i, j);
    const std::size_t place = offset(b, h, i) + static_cast<std::size_t>(j);
    return std::visit([&](const auto& numbers) { return static_cast<double>(numbers[place]); },
                      numbers_);
}

Matrix Stage::head(Index b, Index h) const {
    Matrix copy(rows_, columns_);
    if (remote_) {
        std::vector<float> numbers(static_cast<std::size_t>(copy.size()));
        remote_->read(offset(b, h, 0), numbers);
        std::copy(numbers.begin(), numbers.end(), copy.data());
        return copy;
    }
    std::visit(
        [&](const auto& numbers) {
            std::copy_n(numbers.data() + offset(b, h, 0), copy.size(), copy.data());
        },
        numbers_);
    return copy;
}

void Stage::set_head(Index b, Index h, const Matrix& numbers) { set_rows(b, h, 0, numbers); }

void Stage::set_rows(Index b, Index h, Index first, const Matrix& numbers) {
    eigen_assert(numbers.cols() == columns_ && first + numbers.rows() <= rows_);
    std::visit(
        [&](auto& stored) {
            using Number = typename std::decay_t<decltype(stored)>::value_type;
            std::transform(numbers.data(), numbers.data() + numbers.size(),
                           stored.data() + offset(b, h, first),
                           [](double x) { return static_cast<Number>(x); });
        },
        numbers_);
}

bool VariantResult::is_allowed(Index b, Index h, Index i, Index j) const {
    const Index place = ((b * shape.h + h) * shape.n_q + i) * shape.n_k + j;
    return allowed[static_cast<std::size_t>(place)];
}

const RowFigures& VariantResult::row(Index b, Index h, Index i) const {
    return rows[static_cast<std::size_t>((b * shape.h + h) * shape.n_q + i)];
}

}  // namespace maskscope
