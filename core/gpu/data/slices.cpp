#include "core/gpu/data/slices.h"

#include <algorithm>

#include "core/base/error.h"

namespace maskscope::gpu {
namespace {

// Work groups are counted up to 65535 on each axis; the smallest tile has 8 rows.
constexpr Index most_heads = 65535, most_rows = 8 * 65535;

Index fitting(std::size_t limit, std::size_t bytes, Index most) {
    return std::clamp<Index>(static_cast<Index>(limit / std::max<std::size_t>(bytes, 1)), 0, most);
}

}  // namespace

std::vector<Slice> make_slices(const Slice& all, Index columns, const SliceLimits& limits) {
    const std::size_t row = 4 * static_cast<std::size_t>(columns);
    const Index rows = std::min(all.rows, fitting(limits.bytes, row, most_rows));
    if (rows == 0 || limits.bytes_of_head > limits.bytes)
        throw WorkError(
            "a row or a head of this scene is larger than the largest buffer of this GPU");
    std::vector<Slice> slices;
    if (rows < all.rows) {
        for (Index head = all.first_head; head < all.end_head(); ++head)
            for (Index first = all.first_row; first < all.end_row(); first += rows)
                slices.push_back({head, 1, first, std::min(rows, all.end_row() - first)});
        return slices;
    }
    const std::size_t head_bytes =
        std::max(row * static_cast<std::size_t>(all.rows), limits.bytes_of_head);
    const Index at_once = limits.one_head ? 1 : fitting(limits.bytes, head_bytes, most_heads);
    for (Index first = all.first_head; first < all.end_head(); first += at_once)
        slices.push_back(
            {first, std::min(at_once, all.end_head() - first), all.first_row, all.rows});
    return slices;
}

std::size_t slice_of(const std::vector<Slice>& slices, Index head, Index row) {
    const auto after = std::ranges::upper_bound(
        slices, std::pair(head, row), {},
        [](const Slice& slice) { return std::pair(slice.first_head, slice.first_row); });
    return static_cast<std::size_t>(after - slices.begin()) - 1;
}

}  // namespace maskscope::gpu
