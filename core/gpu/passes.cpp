#include "core/gpu/passes.h"

#include <epoxy/gl.h>

#include <algorithm>

namespace maskscope::gpu {
namespace {

// Multiplications of one dispatch: about a tenth of a second.
constexpr double software_work = 1 << 26, gpu_work = 1e11;
constexpr Index rows_multiple = 128;  // the largest tile

}  // namespace

void for_rows(Run& run, const Slice& slice, double row_work,
              const std::function<void(const Rows&)>& dispatch) {
    const double most = run.device.software ? software_work : gpu_work;
    const double fitting = most / std::max(1.0, row_work * static_cast<double>(slice.heads));
    const Index at_once =
        fitting >= static_cast<double>(slice.rows)
            ? slice.rows
            : std::max<Index>(1, static_cast<Index>(fitting) / rows_multiple) * rows_multiple;
    for (Index start = slice.first_row; start < slice.end_row(); start += at_once) {
        if (run.progress.cancel) throw Cancelled{};
        const Rows rows{slice, start, std::min(start + at_once, slice.end_row())};
        dispatch(rows);
        run.work_done += row_work * static_cast<double>(slice.heads * rows.count());
        run.progress.done = std::min(1.0, run.work_done / run.work);
        if (at_once < slice.rows) glFinish();
    }
}

void set_rows(Program& program, const Lane& lane, const Rows& rows) {
    program.set("heads", lane.shape.h);
    program.set("n_q", lane.shape.n_q);
    program.set("n_k", lane.shape.n_k);
    program.set("asked_row", lane.asked.first_row);
    program.set("asked_rows", lane.asked.rows);
    program.set("first_head", rows.slice.first_head);
    program.set("part_row", rows.slice.first_row);
    program.set("part_rows", rows.slice.rows);
    program.set("start_row", rows.start);
    program.set("end_row", rows.end);
    program.set("dtype", static_cast<int>(lane.variant.dtype));
    program.set("plane_words", lane.mask->words());
}

void bind_mask(Run& run, Program& program, unsigned binding, const Lane& lane, const Slice& slice) {
    const Buffer& bits = lane.mask->bits();
    std::size_t first = 0, end = bits.bytes();
    if (end > run.device.buffer_limit) {  // then a slice has one head
        const auto row = static_cast<std::size_t>(4 * lane.mask->words());
        const GpuPlace place = lane.mask->place(slice.first_head - lane.asked.first_head,
                                                slice.first_row - lane.asked.first_row);
        first = 4 * place.first;
        end = first + static_cast<std::size_t>(slice.rows) * row;
        first -= first % run.device.alignment;
    }
    program.set("bits_base", static_cast<std::uint32_t>(first / 4));
    bind(binding, bits, first, end - first);
}

void bind_numbers(unsigned binding, const std::shared_ptr<const GpuNumbers>& numbers,
                  const Slice& slice) {
    if (!numbers) return bind_name(binding, 0);
    bind_name(binding,
              numbers->buffer(slice_of(numbers->slices(), slice.first_head, slice.first_row)));
}

void bind_matrices(unsigned binding, const Matrices& matrices, const Slice& slice) {
    const auto head = 4 * static_cast<std::size_t>(matrices.stride);
    bind(binding, *matrices.buffer, head * static_cast<std::size_t>(slice.first_head),
         head * static_cast<std::size_t>(slice.heads));
}

Tile tile_for(Index rows, Index columns) {
    const Index smaller = std::min(rows, columns);
    if (smaller <= 16) return {8, 1};
    return smaller <= 64 ? Tile{16, 4} : Tile{16, 8};
}

unsigned groups(Index count, Index size) {
    return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace maskscope::gpu
