#pragma once
// What the passes share: which rows a dispatch works on, and how work is split so that a
// computation can be cancelled.

#include <functional>

#include "core/gpu/lane.h"

namespace maskscope::gpu {

// Rows [start, end) of every head of a slice.
struct Rows {
    const Slice& slice;
    Index start, end;
    Index count() const { return end - start; }
};

// Calls dispatch for runs of rows, with `row_work` multiplications for each row of one head; checks
// in between whether the computation was cancelled.
void for_rows(Run& run, const Slice& slice, double row_work,
              const std::function<void(const Rows&)>& dispatch);

// Uniforms of common.glsl; the program is in use.
void set_rows(Program& program, const Lane& lane, const Rows& rows);

// The mask's bits for the rows of a slice, as `binding`.
void bind_mask(Run& run, Program& program, unsigned binding, const Lane& lane, const Slice& slice);
// The numbers of a slice, or none.
void bind_numbers(unsigned binding, const std::shared_ptr<const GpuNumbers>& numbers,
                  const Slice& slice);
// The matrices of the heads of a slice.
void bind_matrices(unsigned binding, const Matrices& matrices, const Slice& slice);

// Dispatches of one dimension are spread over two: each may have 65535 groups.
inline constexpr unsigned groups_across = 32768;

// The square tiles of a product of this size: threads per side, and sums per side of a thread.
struct Tile {
    int side, per;
    int size() const { return side * per; }
};
Tile tile_for(Index rows, Index columns);
// The number of groups of `size` that hold `count`.
unsigned groups(Index count, Index size);

// --- scores and logits, of the passes that compute them

// The defines of common_scores.glsl, but CAREFUL.
Defines score_defines(const Lane& lane, const Tile& tile);
// Uniforms of common_logit.glsl; the program is in use.
void set_logits(Program& program, const Lane& lane);
// The buffers and uniforms of common_scores.glsl.
void bind_query_keys(Program& program, const Lane& lane, const Slice& slice);

}  // namespace maskscope::gpu
