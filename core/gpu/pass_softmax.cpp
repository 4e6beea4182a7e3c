// Computes logits (or given weights) -> softmax -> weights, sensitivity and the statistics of the
// rows.

#include <epoxy/gl.h>

#include <algorithm>
#include <bit>

#include "core/gpu/passes.h"
#include "core/scene/mask_rules.h"

namespace maskscope::gpu {
namespace {

// The distribution of a row over threads.
struct RowShape {
    int columns, threads, quads;  // threads of a row, of a work group; quads of a thread
};

RowShape row_shape(Index n_k) {
    const unsigned quads = groups(n_k, 4), halves = groups(n_k, 8);
    // Two quads for each thread are few enough for its registers; only the longest rows need more.
    const unsigned columns = std::clamp(std::bit_ceil(n_k <= 128 ? quads : halves), 8U, 512U);
    return {static_cast<int>(columns), static_cast<int>(std::max(columns, 64U)),
            static_cast<int>(groups(quads, columns))};
}

// Returns the effect on gradients and softmax, as far as the program depends on it.
Apply apply_of(Apply apply) {
    if (masks_weights(apply)) return apply;
    return cuts_gradient(apply) ? Apply::replace : Apply::additive;
}

// Returns the defines of the program that the scene decides: see softmax.comp.
Defines defines_of(const Run& run, const Lane& lane, const RowShape& shape, bool given) {
    const Variant& variant = lane.variant;
    const bool sigmoid = weighs_cells_alone(variant);
    // so that there are fewer programs
    const auto most_quads = std::bit_ceil(static_cast<unsigned>(shape.quads));
    Defines defines = {{"COLUMNS", shape.columns},
                       {"THREADS", shape.threads},
                       {"QUADS", static_cast<int>(most_quads)},
                       {"DTYPE", static_cast<int>(variant.dtype)},
                       {"APPLY", static_cast<int>(apply_of(variant.mask.apply))}};
    add_if(run.device.subgroups == Subgroups::shuffles, "SHUFFLES", defines);
    add_if(run.device.subgroups == Subgroups::ballots, "BALLOTS", defines);
    add_if(is_wide(lane.shape.n_k), "WIDE", defines);
    add_if(given, "GIVEN", defines);
    add_if(!given && sigmoid, "SIGMOID", defines);
    add_if(!given && sink_of(variant, 0).has_value(), "SINK", defines);
    add_if(bool(lane.slope), "SLOPE", defines);
    add_if(lane.skip_blocked, "SKIP_BLOCKED", defines);
    add_if(lane.softmax && !given, "KEEP_SOFTMAX", defines);
    add_if(lane.weights && lane.weights != lane.softmax, "KEEP_WEIGHTS", defines);
    add_if(bool(lane.sensitivity), "KEEP_SENSITIVITY", defines);
    return defines;
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
    Program& program = run.device.programs.get("softmax.comp", defines_of(run, lane, shape, given));
    program.use();
    const Variant& variant = lane.variant;
    const bool acts = variant.mask.apply != Apply::none;
    program.set("empty_rows", static_cast<int>(acts ? variant.empty_rows : EmptyRows::nan));
    program.set("quads", shape.quads);
    program.set("sinks_start", lane.tables.sinks_start);
    constexpr double work_of_cell = 32;  // a softmax costs about that many multiplications
    for (const Slice& slice : lane.slices) {
        bind_slice(run, program, lane, slice, given);
        for_rows(run, slice, work_of_cell * static_cast<double>(lane.shape.n_k),
                 [&](const Rows& rows) {
                     set_rows(program, lane, rows);
                     const unsigned all =
                         groups(slice.heads * rows.count(), shape.threads / shape.columns);
                     const unsigned across = std::min(all, groups_across);
                     glDispatchCompute(across, groups(all, across), 1);
                 });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

}  // namespace maskscope::gpu
