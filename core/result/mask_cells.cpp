#include "core/result/mask_cells.h"

#include <algorithm>
#include <mutex>

namespace maskscope {

// Made on first use, under a lock: results are shared between threads.
struct MaskCells::Fetched {
    std::mutex mutex;
    std::vector<std::uint8_t> all;  // empty until all()
    std::vector<std::uint8_t> row;  // the last one that a cell was read from
    std::size_t first = 0;          // of that row
};

MaskCells::MaskCells(std::vector<std::uint8_t> cells)
    : planes_{std::make_shared<std::vector<std::uint8_t>>(std::move(cells))} {}

MaskCells::MaskCells(std::initializer_list<std::uint8_t> cells)
    : MaskCells(std::vector<std::uint8_t>(cells)) {}

MaskCells::MaskCells(std::vector<Plane> planes)
    : planes_(std::move(planes)), fetched_(std::make_shared<Fetched>()) {}

MaskCells::MaskCells(std::size_t size, std::size_t columns,
                     std::shared_ptr<const RemoteCells> remote)
    : size_(size),
      columns_(columns),
      remote_(std::move(remote)),
      fetched_(std::make_shared<Fetched>()) {}

const std::vector<std::uint8_t>& MaskCells::all() const {
    static const std::vector<std::uint8_t> none;
    if (!remote_ && planes_.empty()) return none;
    if (!remote_ && planes_.size() == 1) return *planes_.front();
    const std::lock_guard lock(fetched_->mutex);
    if (fetched_->all.empty()) fetched_->all = some(0, size());
    return fetched_->all;
}

std::vector<std::uint8_t> MaskCells::some(std::size_t first, std::size_t count) const {
    std::vector<std::uint8_t> copy(count);
    if (remote_) {
        remote_->read(first, copy);
        return copy;
    }
    for (std::size_t done = 0; done < count;) {
        const std::size_t in_plane = plane_size() - (first + done) % plane_size();
        const std::size_t next = std::min(count - done, in_plane);
        std::copy_n(from(first + done), next, copy.data() + done);
        done += next;
    }
    return copy;
}

std::vector<std::uint8_t>& MaskCells::here() {
    if (planes_.size() != 1 || planes_.front().use_count() != 1)
        planes_ = {std::make_shared<std::vector<std::uint8_t>>(all())};
    // Made here as a vector that is not const, and not shared.
    return const_cast<std::vector<std::uint8_t>&>(*planes_.front());
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
