#pragma once
// Splits a stage that may exceed the largest buffer: between heads, or between rows of one head.

#include <cstddef>
#include <vector>

#include "core/base/shape.h"

namespace maskscope::gpu {

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
    std::size_t bytes_of_head = 0;  // other data that is read for each head, and cannot be split
                                    // within it
    bool one_head = false;          // no slice spans heads
};

// Splits `all`, some rows of some heads with `columns` float32 numbers each, into slices, in order.
// Throws WorkError if a row, or other data read for each head, is larger than a buffer may be.
std::vector<Slice> make_slices(const Slice& all, Index columns, const SliceLimits& limits);

// Returns the index of the slice that holds this row.
std::size_t slice_of(const std::vector<Slice>& slices, Index head, Index row);

}  // namespace maskscope::gpu
