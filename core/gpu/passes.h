#pragma once
// Shared by the passes: which rows a dispatch works on, and how work is split so that a computation
// can be cancelled.

#include <algorithm>
#include <functional>

#include "core/gpu/task.h"

namespace maskscope::gpu {

// Rows [start, end) of every head of a slice.
struct Rows {
    const Slice& slice;
    Index start, end;
    Index count() const { return end - start; }
};

// Calls dispatch for one run of rows after another, and checks in between whether the computation
// was cancelled. row_work: the multiplications for each row of one head.
void for_rows(Run& run, const Slice& slice, double row_work,
              const std::function<void(const Rows&)>& dispatch);

// Sets the uniforms of common.glsl; the program must be in use.
void set_rows(Program& program, const Task& task, const Rows& rows);

// Binds the mask's bits for the rows of a slice as `binding`.
void bind_mask(Run& run, Program& program, unsigned binding, const Task& task, const Slice& slice);
// Binds the numbers of a slice, or nothing if `numbers` is null.
void bind_numbers(unsigned binding, const std::shared_ptr<const GpuNumbers>& numbers,
                  const Slice& slice);
// Binds the matrices of the heads of a slice.
void bind_matrices(unsigned binding, const Matrices& matrices, const Slice& slice);

// Dispatches of one dimension are spread over two, because each may have at most 65535 groups.
inline constexpr unsigned groups_across = 32768;

// The tile of a work group in a product of matrices: across × down threads, each with some rows of
// some quads (four columns). No rows: one quad for each thread, without shared memory.
struct Tile {
    int across = 8, down = 8, rows = 0, quads = 0;
    Index row_count() const { return down * std::max(rows, 1); }
    Index column_count() const { return 4 * across * std::max(quads, 1); }
};
// Returns the number of groups of `size` that hold `count`.
unsigned groups(Index count, Index size);
// Starts work groups for rows × columns of each head.
void dispatch(const Tile& tile, Index rows, Index columns, Index heads);
// True if both widths consist of whole quads, and the first has at least 32 columns: fewer are not
// worth another program.
bool is_wide(Index columns, Index more_columns = 4);
// Appends the define if it holds.
void add_if(bool holds, const char* name, Defines& defines);
void add_tile(const Tile& tile, Defines& defines);

}  // namespace maskscope::gpu
