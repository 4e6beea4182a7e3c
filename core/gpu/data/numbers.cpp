#include "core/gpu/data/numbers.h"

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

namespace maskscope {

void GpuNumbers::read(std::size_t first, std::span<float> numbers) const {
    const auto columns = static_cast<std::size_t>(columns_), rows = static_cast<std::size_t>(rows_);
    while (!numbers.empty()) {
        const std::size_t row = first / columns, head = row / rows;
        const std::size_t part = gpu::slice_of(slices_, first_head_ + static_cast<Index>(head),
                                               first_row_ + static_cast<Index>(row % rows));
        const gpu::Slice& slice = slices_[part];
        const auto part_start = static_cast<std::size_t>((slice.first_head - first_head_) * rows_ +
                                                         slice.first_row - first_row_) *
                                columns;
        const auto part_size = static_cast<std::size_t>(slice.heads * slice.rows) * columns;
        const std::size_t count = std::min(numbers.size(), part_start + part_size - first);
        buffers_[part]->read(4 * (first - part_start), 4 * count, numbers.data());
        numbers = numbers.subspan(count);
        first += count;
    }
}

void GpuNumbers::write(std::span<const float> numbers) const {
    for (std::size_t part = 0; part < slices_.size(); ++part) {
        const auto size =
            static_cast<std::size_t>(slices_[part].heads * slices_[part].rows * columns_);
        buffers_[part]->write(0, 4 * size, numbers.data());
        numbers = numbers.subspan(size);
    }
}

GpuPlace GpuNumbers::place(Index head, Index row) const {
    head += first_head_;
    row += first_row_;
    const std::size_t part = gpu::slice_of(slices_, head, row);
    const gpu::Slice& slice = slices_[part];
    const Index before = (head - slice.first_head) * slice.rows + row - slice.first_row;
    return {buffer(part), static_cast<std::size_t>(before * columns_), slice.end_row() - row};
}

GpuPlace GpuMask::place(Index head, Index row) const {
    const Index sheet = sheet_of_head_[head];
    return {bits_->name(), static_cast<std::size_t>((sheet * n_q_ + row) * words()), n_q_ - row};
}

void GpuMask::read(std::size_t first, std::span<std::uint8_t> cells) const {
    const auto n_k = static_cast<std::size_t>(n_k_), n_q = static_cast<std::size_t>(n_q_);
    const auto words_of_row = static_cast<std::size_t>(words());
    while (!cells.empty()) {  // for one head after another
        const std::size_t head = first / n_k / n_q, row = first / n_k % n_q;
        const std::size_t head_end = (head + 1) * n_q * n_k;
        const std::size_t count = std::min(cells.size(), head_end - first);
        const std::size_t rows = (first + count - 1) / n_k % n_q - row + 1;
        std::vector<std::uint32_t> words(rows * words_of_row);
        const GpuPlace from = place(static_cast<Index>(head), static_cast<Index>(row));
        bits_->read(4 * from.first, 4 * words.size(), words.data());
        for (std::size_t k = 0, j = first % n_k, start = 0; k < count; ++k) {
            cells[k] = words[start + j / 32] >> (j % 32) & 1U;
            if (++j == n_k) j = 0, start += words_of_row;
        }
        cells = cells.subspan(count);
        first += count;
    }
}

}  // namespace maskscope
