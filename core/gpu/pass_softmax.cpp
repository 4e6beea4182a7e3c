// Logits (or given weights) -> softmax -> weights, sensitivity and the figures of the rows.

#include <epoxy/gl.h>

#include <algorithm>
#include <bit>

#include "core/gpu/passes.h"

namespace maskscope::gpu {
namespace {

// How a row is spread over threads.
struct RowShape {
    int columns, rows, cells;  // threads of a row, rows of a work group, cells of a thread
};

RowShape row_shape(Index n_k) {
    const auto keys = static_cast<unsigned>(n_k);
    const int most = n_k > 8192 ? 1024 : 256;
    const int columns = std::clamp(static_cast<int>(std::bit_ceil(std::min(keys, 1024U))), 8, most);
    int cells = static_cast<int>(groups(n_k, columns));
    if (cells > 4) cells = (cells + 3) / 4 * 4;  // fewer programs
    return {columns, std::max(1, 64 / columns), cells};
}

void set_variant(Program& program, const Lane& lane, bool given) {
    program.set("given", given);
    program.set("keep_softmax", lane.softmax && !given);
    program.set("keep_weights", lane.weights && lane.weights != lane.softmax);
    program.set("keep_sensitivity", bool(lane.sensitivity));
    program.set("apply", static_cast<int>(lane.variant.mask.apply));
    program.set("normalizer", static_cast<int>(lane.variant.normalizer));
    program.set("empty_rows", static_cast<int>(lane.variant.empty_rows));
    program.set("skip_blocked", lane.skip_blocked);
    program.set("planes_start", lane.tables.planes_start);
    program.set("pads_start", lane.tables.pads_start);
    program.set("sinks_start", lane.tables.sinks_start);
    program.set("has_sink", sink_of(lane.variant, 0).has_value());
    program.set("has_slope", bool(lane.slope));
}

void bind_slice(Run& run, Program& program, const Lane& lane, const Slice& slice, bool given) {
    bind_numbers(0, lane.logits, slice);
    bind_numbers(1, given ? lane.given->numbers : lane.softmax, slice);
    bind_numbers(2, lane.weights, slice);
    bind_numbers(3, lane.sensitivity, slice);
    bind_mask(run, program, 4, lane, slice);
    bind(5, lane.tables_buffer);
    bind_numbers(6, lane.slope, slice);
    bind_numbers(7, lane.figures, slice);
    program.set("end_head", slice.end_head());
}

}  // namespace

void softmax_pass(Run& run, const Lane& lane) {
    const RowShape shape = row_shape(lane.shape.n_k);
    const bool given = !lane.takes_softmax;
    Program& program = run.device.programs.get(
        "softmax.comp", {{"COLUMNS", shape.columns}, {"ROWS", shape.rows}, {"CELLS", shape.cells}});
    program.use();
    set_variant(program, lane, given);
    constexpr double work_of_cell = 32;  // a softmax is about that many multiplications
    for (const Slice& slice : lane.slices) {
        bind_slice(run, program, lane, slice, given);
        for_rows(run, slice, work_of_cell * static_cast<double>(lane.shape.n_k),
                 [&](const Rows& rows) {
                     set_rows(program, lane, rows);
                     const unsigned all = groups(slice.heads * rows.count(), shape.rows);
                     const unsigned across = std::min(all, 32768U);
                     glDispatchCompute(across, groups(all, across), 1);
                 });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

}  // namespace maskscope::gpu
