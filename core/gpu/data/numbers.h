#pragma once
// The parts of a result that stay on the GPU: stages as float32 numbers, the mask as bits. A window
// draws directly from the buffers; others read them through Stage and MaskCells.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/shape.h"
#include "core/gl/buffer.h"
#include "core/result/result.h"

namespace maskscope::gpu {

// --- the parts of a stage that may exceed the largest buffer: split between heads, or between rows
// of one head

// The part of a stage that lies in one buffer: all rows of some heads, or some rows of one. Heads
// are counted through the batch, b · h + head.
struct Slice {
    Index first_head = 0, heads = 1;
    Index first_row = 0, rows = 1;
    Index end_head() const { return first_head + heads; }
    Index end_row() const { return first_row + rows; }
    bool operator==(const Slice&) const = default;
};

struct SliceLimits {
    std::size_t bytes = 0;          // of one buffer
    std::size_t bytes_of_head = 0;  // other data of each head, which cannot be split
    bool one_head = false;          // no slice spans heads
};

// Splits `all`, some rows of some heads with `columns` float32 numbers each, into slices, in order.
// Throws WorkError if a row, or other data read for each head, is larger than a buffer may be.
std::vector<Slice> make_slices(const Slice& all, Index columns, const SliceLimits& limits);

// Returns the index of the slice that holds this row.
std::size_t slice_of(const std::vector<Slice>& slices, Index head, Index row);

}  // namespace maskscope::gpu

namespace maskscope {

// The place of rows of a head: in a shader storage buffer (GL name), from this number or word on.
struct GpuPlace {
    unsigned buffer = 0;
    std::size_t first = 0;  // counted in floats, or in words of 32 bits
    Index rows = 0;         // how many rows of this head follow each other there
};

// Numbers [b, h, rows, columns] of float32, row-major, split into parts if they are larger than a
// buffer. If only some rows and heads were requested, they are counted from the first of these.
class GpuNumbers : public RemoteNumbers {
public:
    // buffers: one for each slice. Slices count from the scene's first head and row.
    GpuNumbers(std::vector<gpu::Slice> slices, Index rows, Index columns,
               std::vector<gpu::SharedBuffer> buffers)
        : slices_(std::move(slices)),
          first_head_(slices_.front().first_head),
          first_row_(slices_.front().first_row),
          rows_(rows),
          columns_(columns),
          buffers_(std::move(buffers)) {}
    void read(std::size_t first, std::span<float> numbers) const override;
    void write(std::span<const float> numbers) const;  // writes all numbers, before they are shared
    // Returns the rows from `row` of a head on; head is b · h + head. If the place has fewer rows
    // than the head has left, ask again for the rest.
    GpuPlace place(Index head, Index row) const;
    Index columns() const { return columns_; }
    const std::vector<gpu::Slice>& slices() const { return slices_; }
    unsigned buffer(std::size_t slice) const { return buffers_[slice]->name(); }

private:
    std::vector<gpu::Slice> slices_;
    Index first_head_, first_row_, rows_, columns_;
    std::vector<gpu::SharedBuffer> buffers_;
};

// The mask, 32 keys to a word: key j is bit j % 32 of word j / 32 of its row. Heads that have the
// same mask share a sheet [n_q, words]. If only some rows and heads were requested, see GpuNumbers.
class GpuMask : public RemoteCells {
public:
    // sheet_of_head: the sheet of each head in the mask
    GpuMask(Index n_q, Index n_k, std::vector<std::uint32_t> sheet_of_head, gpu::SharedBuffer bits)
        : n_q_(n_q), n_k_(n_k), sheet_of_head_(std::move(sheet_of_head)), bits_(std::move(bits)) {}
    void read(std::size_t first, std::span<std::uint8_t> cells) const override;
    // Returns all rows from `row` of a head on; head is b · h + head.
    GpuPlace place(Index head, Index row) const;
    Index words() const { return (n_k_ + 31) / 32; }  // of one row
    const gpu::Buffer& bits() const { return *bits_; }

private:
    Index n_q_, n_k_;
    std::vector<std::uint32_t> sheet_of_head_;
    gpu::SharedBuffer bits_;
};

}  // namespace maskscope
