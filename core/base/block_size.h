#pragma once
// Decides how much memory is allocated for a large array.

#include <algorithm>
#include <bit>
#include <cstddef>

namespace maskscope {

constexpr std::size_t huge_page = std::size_t(2) << 20;  // worth a page of its own

// Returns the alignment of a block: that of a huge page from `huge_page` bytes on.
constexpr std::size_t block_alignment(std::size_t size) {
    return size < huge_page ? 64 : huge_page;
}

// Returns the size allocated for this many bytes, a multiple of its alignment. Sizes go up in steps
// of an eighth, so that a block also fits another array of about its size.
constexpr std::size_t block_size(std::size_t bytes) {
    const std::size_t step = std::max(block_alignment(bytes), std::bit_floor(bytes) / 8);
    return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

}  // namespace maskscope
