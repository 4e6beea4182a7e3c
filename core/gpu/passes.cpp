#include "core/gpu/passes.h"

#include <epoxy/gl.h>

#include <algorithm>

namespace maskscope::gpu {
namespace {

// Multiplications in one dispatch: about a tenth of a second.
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
    program.set("part_start", static_cast<std::uint32_t>(rows.slice.first_head * rows.slice.rows +
                                                         rows.slice.first_row));
    program.set("part_rows", rows.slice.rows);
    program.set("start_row", rows.start);
    program.set("end_row", rows.end);
}

void bind_mask(Run& run, Program& program, unsigned binding, const Lane& lane, const Slice& slice) {
    const Buffer& bits = lane.mask->bits();
    std::size_t first = 0, end = bits.bytes();
    if (end > run.device.buffer_limit) {  // a slice then has one head
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

unsigned groups(Index count, Index size) {
    return static_cast<unsigned>((count + size - 1) / size);
}

void dispatch(const Tile& tile, Index rows, Index columns, Index heads) {
    glDispatchCompute(groups(columns, tile.column_count()), groups(rows, tile.row_count()),
                      static_cast<unsigned>(heads));
}

bool is_wide(Index columns, Index more_columns) {
    return columns >= 32 && columns % 4 == 0 && more_columns % 4 == 0;
}

void add_if(bool holds, const char* name, Defines& defines) {
    if (holds) defines.emplace_back(name, 1);
}

void add_tile(const Tile& tile, Defines& defines) {
    if (tile.rows == 0) return;
    defines.insert(
        defines.end(),
        {{"ACROSS", tile.across}, {"DOWN", tile.down}, {"ROWS", tile.rows}, {"QUADS", tile.quads}});
}

}  // namespace maskscope::gpu
