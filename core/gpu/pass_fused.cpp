// Queries and keys -> weights and sensitivity, where nothing reads a stage before them: the scores
// are computed twice and never stored.

#include <epoxy/gl.h>

#include <algorithm>

#include "core/gpu/passes.h"

namespace maskscope::gpu {
namespace {

void fused_tiles(Run& run, const Lane& lane, const std::shared_ptr<const GpuNumbers>& tiles,
                 bool sums) {
    const Tile tile = tile_for(lane.shape.n_q, lane.shape.n_k);
    Defines defines = score_defines(lane, tile);
    if (sums) defines.emplace_back("SUMS", 1);
    Program& program = run.device.programs.get("fused.comp", defines);
    program.use();
    set_logits(program, lane);
    program.set("keep_weights", !sums && (lane.weights || lane.softmax));
    program.set("keep_sensitivity", !sums && lane.sensitivity);
    program.set("empty_rows", static_cast<int>(lane.variant.empty_rows));
    program.set("has_sink", sink_of(lane.variant, 0).has_value());
    program.set("pads_start", lane.tables.pads_start);
    const double row_work =
        static_cast<double>(lane.shape.n_k) * static_cast<double>(lane.query_keys->queries.columns);
    for (const Slice& slice : lane.slices) {
        bind_query_keys(program, lane, slice);
        bind_numbers(2, tiles, slice);
        bind_numbers(3, lane.weights ? lane.weights : lane.softmax, slice);
        bind_numbers(4, lane.sensitivity, slice);
        bind_mask(run, program, 5, lane, slice);
        bind(6, lane.tables_buffer);
        bind_numbers(7, lane.figures, slice);
        for_rows(run, slice, row_work, [&](const Rows& rows) {
            set_rows(program, lane, rows);
            glDispatchCompute(groups(lane.shape.n_k, tile.size()),
                              groups(rows.count(), tile.size()),
                              static_cast<unsigned>(slice.heads));
        });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void fused_rows(Run& run, const Lane& lane, const std::shared_ptr<const GpuNumbers>& tiles,
                bool sums) {
    Defines defines;
    if (sums) defines.emplace_back("SUMS", 1);
    Program& program = run.device.programs.get("rows.comp", defines);
    program.use();
    program.set("tiles_of_row", tiles->columns() / figure_count);
    program.set("has_sink", sink_of(lane.variant, 0).has_value());
    program.set("sinks_start", lane.tables.sinks_start);
    for (const Slice& slice : lane.slices) {
        bind_numbers(2, tiles, slice);
        bind(6, lane.tables_buffer);
        bind_numbers(7, lane.figures, slice);
        program.set("end_head", slice.end_head());
        set_rows(program, lane, {slice, slice.first_row, slice.end_row()});
        const unsigned all = groups(slice.heads * slice.rows, 64);
        glDispatchCompute(std::min(all, groups_across), groups(all, groups_across), 1);
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

}  // namespace

void fused_pass(Run& run, const Lane& lane) {
    const Tile tile = tile_for(lane.shape.n_q, lane.shape.n_k);
    const auto tiles =
        make_numbers(run, lane, figure_count * Index{groups(lane.shape.n_k, tile.size())});
    for (const bool sums : {true, false}) {
        fused_tiles(run, lane, tiles, sums);
        fused_rows(run, lane, tiles, sums);
    }
}

}  // namespace maskscope::gpu
