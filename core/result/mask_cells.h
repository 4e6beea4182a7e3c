#pragma once
// The keys that each query may attend to, as a result stores them.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace maskscope {

// Cells that are elsewhere until they are read, row-major.
class RemoteCells {
public:
    virtual ~RemoteCells() = default;
    // Copies cells.size() of them, 1 where allowed, starting at `first`. Threads and errors are as
    // for RemoteNumbers.
    virtual void read(std::size_t first, std::span<std::uint8_t> cells) const = 0;
};

// The mask of one head, [rows, columns], 1 where allowed. It may be based on another mask, except
// for some rows, and then shares the other rows.
class MaskRows {
public:
    MaskRows(std::vector<std::uint8_t> cells, std::size_t columns);
    struct ChangedRow {
        std::size_t row = 0;
        std::shared_ptr<const std::vector<std::uint8_t>> cells;  // [columns]
    };
    // Returns a mask in which `rows`, in ascending order, have new cells. The masks share the other
    // rows, unless so many rows have changed that all are copied.
    MaskRows with_rows(std::vector<ChangedRow> rows) const;

    std::size_t size() const { return cells_->size(); }
    std::size_t columns() const { return columns_; }
    // Returns the cells of a row, which are contiguous. Rows at the same address are the same row.
    const std::uint8_t* row(std::size_t row) const;
    bool operator==(const MaskRows& other) const;

private:
    friend class MaskCells;
    std::shared_ptr<std::vector<std::uint8_t>> cells_;
    std::size_t columns_ = 0;
    std::vector<ChangedRow> changed_;  // sorted by row
};

// The cells of a mask, [b, h, n_q, n_k], row-major, 1 where allowed; the shape is stored elsewhere.
// Heads that have the same mask share one sheet [n_q, n_k], and copies share them all.
class MaskCells {
public:
    using Sheet = std::shared_ptr<const MaskRows>;

    MaskCells() = default;
    MaskCells(std::vector<std::uint8_t> cells);
    MaskCells(std::initializer_list<std::uint8_t> cells);
    // sheets: one for each head of each sequence, [b, h], all of one size, not null.
    explicit MaskCells(std::vector<Sheet> sheets);
    // Refers to `size` cells elsewhere, in rows of `columns`.
    MaskCells(std::size_t size, std::size_t columns, std::shared_ptr<const RemoteCells> remote);

    std::size_t size() const {
        if (remote_) return size_;
        return sheets_.empty() ? 0 : sheets_.size() * sheet_size();
    }
    bool empty() const { return size() == 0; }
    bool operator[](std::size_t place) const {
        if (remote_) return fetch(place);
        return *from(place) != 0;
    }
    const std::vector<std::uint8_t>& all() const;  // assembled, or read, once
    std::vector<std::uint8_t> some(std::size_t first, std::size_t count) const;  // a copy
    // Returns cells in memory from `first` on. They are contiguous to the end of the row.
    const std::uint8_t* from(std::size_t first) const {
        const MaskRows& sheet = *sheets_[first / sheet_size()];
        const std::size_t in_sheet = first % sheet_size();
        return sheet.row(in_sheet / sheet.columns()) + in_sheet % sheet.columns();
    }
    // True if these are the same cells in the same place, in memory or elsewhere. Nothing is read.
    bool shares(const MaskCells& other) const {
        return sheets_ == other.sheets_ && remote_ == other.remote_;
    }
    // Returns the cells, to be filled while the mask is being made. Only for a mask that was made
    // from cells; their number must not change.
    std::vector<std::uint8_t>& here();
    const std::vector<Sheet>& sheets() const { return sheets_; }
    // Returns the source of the cells; nullptr if they are in memory.
    const std::shared_ptr<const RemoteCells>& remote() const { return remote_; }

private:
    struct FetchedCells;  // cells that were read from `remote`, or assembled
    std::size_t sheet_size() const { return sheets_.front()->size(); }  // only if there is a sheet
    bool fetch(std::size_t place) const;
    std::vector<Sheet> sheets_;
    std::size_t size_ = 0, columns_ = 1;  // for `remote`
    std::shared_ptr<const RemoteCells> remote_;
    std::shared_ptr<FetchedCells> fetched_;
};

}  // namespace maskscope
