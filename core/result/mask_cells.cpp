#include "core/result/mask_cells.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

namespace maskscope {

// Cells that are read or assembled on first use, under a lock, because results are shared between
// threads.
struct MaskCells::FetchedCells {
    std::mutex mutex;
    std::vector<std::uint8_t> all;  // empty until all()
    std::vector<std::uint8_t> row;  // the last row that a cell was read from
    std::size_t first = 0;          // the first cell of that row
};

MaskRows::MaskRows(std::vector<std::uint8_t> cells, std::size_t columns)
    : cells_(std::make_shared<std::vector<std::uint8_t>>(std::move(cells))), columns_(columns) {}

MaskRows MaskRows::with_rows(std::vector<ChangedRow> rows) const {
    MaskRows sheet = *this;
    sheet.changed_.clear();
    std::ranges::set_union(rows, changed_, std::back_inserter(sheet.changed_), {}, &ChangedRow::row,
                           &ChangedRow::row);  // for rows in both, use the new ones
    constexpr std::size_t few = 16;  // copies all rows if more than one in this many has changed
    if (sheet.changed_.size() * columns_ * few <= size()) return sheet;
    sheet.cells_ = std::make_shared<std::vector<std::uint8_t>>(*cells_);
    for (const ChangedRow& row : std::exchange(sheet.changed_, {}))
        std::ranges::copy(*row.cells, sheet.cells_->data() + row.row * columns_);
    return sheet;
}

const std::uint8_t* MaskRows::row(std::size_t row) const {
    if (!changed_.empty()) {
        const auto found = std::ranges::lower_bound(changed_, row, {}, &ChangedRow::row);
        if (found != changed_.end() && found->row == row) return found->cells->data();
    }
    return cells_->data() + row * columns_;
}

bool MaskRows::operator==(const MaskRows& other) const {
    if (size() != other.size() || columns_ != other.columns_) return false;
    for (std::size_t first = 0; first < size(); first += columns_) {
        const std::uint8_t *x = row(first / columns_), *y = other.row(first / columns_);
        if (x != y && std::memcmp(x, y, columns_) != 0) return false;
    }
    return true;
}

MaskCells::MaskCells(std::vector<std::uint8_t> cells) {
    const std::size_t columns = cells.size();  // the length of its rows is not known here
    sheets_ = {std::make_shared<MaskRows>(std::move(cells), columns)};
}

MaskCells::MaskCells(std::initializer_list<std::uint8_t> cells)
    : MaskCells(std::vector<std::uint8_t>(cells)) {}

MaskCells::MaskCells(std::vector<Sheet> sheets)
    : sheets_(std::move(sheets)), fetched_(std::make_shared<FetchedCells>()) {}

MaskCells::MaskCells(std::size_t size, std::size_t columns,
                     std::shared_ptr<const RemoteCells> remote)
    : size_(size),
      columns_(columns),
      remote_(std::move(remote)),
      fetched_(std::make_shared<FetchedCells>()) {}

const std::vector<std::uint8_t>& MaskCells::all() const {
    static const std::vector<std::uint8_t> none;
    if (!remote_ && sheets_.empty()) return none;
    if (!remote_ && sheets_.size() == 1 && sheets_.front()->changed_.empty())
        return *sheets_.front()->cells_;
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
        const std::size_t columns = sheets_.front()->columns();
        const std::size_t in_row = columns - (first + done) % columns;
        const std::size_t next = std::min(count - done, in_row);
        std::copy_n(from(first + done), next, copy.data() + done);
        done += next;
    }
    return copy;
}

std::vector<std::uint8_t>& MaskCells::here() {
    if (sheets_.size() != 1 || sheets_.front().use_count() != 1) *this = MaskCells(all());
    return *sheets_.front()->cells_;
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
