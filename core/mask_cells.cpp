#include "core/mask_cells.h"

#include <algorithm>
#include <mutex>

namespace maskscope {

// Read when it is first asked for; results are shared between threads.
struct MaskCells::Fetched {
    std::mutex mutex;
    std::vector<std::uint8_t> all;  // empty until all()
    std::vector<std::uint8_t> row;  // the last one that a cell was asked of
    std::size_t first = 0;          // of that row
};

MaskCells::MaskCells(std::size_t size, std::size_t columns,
                     std::shared_ptr<const RemoteCells> remote)
    : size_(size),
      columns_(columns),
      remote_(std::move(remote)),
      fetched_(std::make_shared<Fetched>()) {}

const std::vector<std::uint8_t>& MaskCells::all() const {
    if (!remote_) return here_;
    const std::lock_guard lock(fetched_->mutex);
    if (fetched_->all.empty()) {
        std::vector<std::uint8_t> all(size_);
        remote_->read(0, all);
        fetched_->all = std::move(all);
    }
    return fetched_->all;
}

std::vector<std::uint8_t> MaskCells::some(std::size_t first, std::size_t count) const {
    std::vector<std::uint8_t> copy(count);
    if (remote_)
        remote_->read(first, copy);
    else
        std::copy_n(here_.data() + first, count, copy.data());
    return copy;
}

bool MaskCells::fetch(std::size_t place) const {
    const std::lock_guard lock(fetched_->mutex);
    if (!fetched_->all.empty()) return fetched_->all[place] != 0;
    const std::size_t first = place - place % columns_;
    if (fetched_->row.empty() || fetched_->first != first) {
        std::vector<std::uint8_t> row(columns_);
        remote_->read(first, row);
        fetched_->row = std::move(row);
        fetched_->first = first;
    }
    return fetched_->row[place - first] != 0;
}

}  // namespace maskscope
