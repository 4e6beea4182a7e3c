// The mask, and scores -> scaled -> logits.

#include <epoxy/gl.h>

#include <bit>

#include "core/attention/mask.h"
#include "core/gpu/passes.h"

namespace maskscope::gpu {
namespace {

void set_tables(Program& program, const Tables& tables) {
    program.set("planes_start", tables.planes_start);
    program.set("slopes_start", tables.slopes_start);
    program.set("starts_start", tables.starts_start);
    program.set("groups_start", tables.groups_start);
    program.set("bias_rows_start", tables.bias_rows_start);
    program.set("bias_columns_start", tables.bias_columns_start);
    program.set("bias_values_start", tables.bias_values_start);
    program.set("factors_start", tables.factors_start);
    program.set("biased", tables.biased);
}

void set_mask(Program& program, const Lane& lane) {
    const Mask& mask = lane.variant.mask;
    const auto value = static_cast<float>(blocked_value(mask.value, lane.variant.dtype));
    program.set("apply", static_cast<int>(mask.apply));
    program.set("order", static_cast<int>(mask.order));
    program.set("times", mask.times);
    program.set("value_bits", std::bit_cast<std::uint32_t>(value));
    program.set("skip_blocked", lane.skip_blocked);
    const double scale = lane.parameters.scale;
    const auto high = static_cast<float>(scale);
    program.set("scale_high", high);
    program.set("scale_low", static_cast<float>(scale - static_cast<double>(high)));
}

Program& scores_program(Run& run, const Lane& lane, const Tile& tile) {
    Defines defines;
    if (!lane.query_keys || lane.scores_known) {
        defines = {{"GIVEN", 1}};
    } else {
        defines = score_defines(lane, tile);
        if (lane.query_keys->careful) defines.emplace_back("CAREFUL", 1);
    }
    Program& program = run.device.programs.get("scores.comp", defines);
    program.use();
    return program;
}

void bind_scores(Run& run, Program& program, const Lane& lane, const Slice& slice) {
    if (lane.query_keys && !lane.scores_known) bind_query_keys(program, lane, slice);
    bind_numbers(2, lane.scores, slice);
    bind_numbers(3, lane.scaled, slice);
    bind_numbers(4, lane.logits, slice);
    bind_mask(run, program, 5, lane, slice);
    bind(6, lane.tables_buffer);
    bind_numbers(7, lane.slope, slice);
}

void dispatch_scores(const Lane& lane, const Rows& rows, const Tile& tile) {
    const auto heads = static_cast<unsigned>(rows.slice.heads);
    if (!lane.query_keys || lane.scores_known)
        glDispatchCompute(groups(lane.shape.n_k, 64),
                          static_cast<unsigned>(std::min<Index>(rows.count(), 65535)), heads);
    else
        glDispatchCompute(groups(lane.shape.n_k, tile.size()), groups(rows.count(), tile.size()),
                          heads);
}

}  // namespace

void set_logits(Program& program, const Lane& lane) {
    set_tables(program, lane.tables);
    set_mask(program, lane);
}

Defines score_defines(const Lane& lane, const Tile& tile) {
    const ScoreKind kind = lane.variant.score.kind;  // bilinear: a dot product of q M and k
    const ScoreKind sum = kind == ScoreKind::bilinear ? ScoreKind::dot : kind;
    return {{"SCORE", static_cast<int>(sum)}, {"SIDE", tile.side}, {"PER", tile.per}};
}

void bind_query_keys(Program& program, const Lane& lane, const Slice& slice) {
    bind_matrices(0, lane.query_keys->queries, slice);
    bind_matrices(1, lane.query_keys->keys, slice);
    program.set("depth", lane.query_keys->queries.columns);
    program.set("query_stride", lane.query_keys->queries.stride);
    program.set("key_stride", lane.query_keys->keys.stride);
}

void mask_pass(Run& run, Lane& lane) {
    const MaskData made = mask_data(run.scene, lane.variant.mask.layers, lane.asked);
    const Shape& shape = lane.shape;
    const Slice& asked = lane.asked;
    const Index words = (shape.n_k + 31) / 32;
    const Index plane = asked.rows * words;
    const SharedBuffer bits =
        run.device.make_buffer(4 * static_cast<std::size_t>(made.planes * plane));
    const SharedBuffer data = run.device.upload(made.data);
    lane.plane_of_head = made.plane_of_head;
    const auto first_plane = made.plane_of_head.begin() + asked.first_head;
    lane.mask = std::make_shared<GpuMask>(
        asked.rows, shape.n_k, std::vector(first_plane, first_plane + asked.heads), bits);

    Program& program = run.device.programs.get("mask.comp", {});
    program.use();
    program.set("n_q", shape.n_q);
    program.set("n_k", shape.n_k);
    program.set("asked_row", asked.first_row);
    program.set("asked_rows", asked.rows);
    program.set("plane_words", words);
    program.set("layers", made.layers);
    program.set("planes_start", made.planes_start);
    program.set("plane_size", made.plane_size);
    bind(1, data);
    // As many rows at a time as one binding holds, from where a binding may begin.
    const Index rows = made.planes * asked.rows, row_bytes = 4 * words;
    Index at_once = rows;
    if (static_cast<std::size_t>(rows * row_bytes) > run.device.buffer_limit)
        at_once = static_cast<Index>((run.device.buffer_limit - run.device.alignment) /
                                     static_cast<std::size_t>(row_bytes));
    for (Index first = 0; first < rows; first += at_once) {
        const Index count = std::min(at_once, rows - first);
        const auto start = static_cast<std::size_t>(first * row_bytes);
        const std::size_t aligned = start - start % run.device.alignment;
        bind(0, *bits, aligned, start + static_cast<std::size_t>(count * row_bytes) - aligned);
        program.set("bits_base", static_cast<std::uint32_t>(aligned / 4));
        program.set("first_row", first);
        program.set("rows", count);
        const unsigned needed = groups(count * words, 64);
        glDispatchCompute(std::min(needed, groups_across), groups(needed, groups_across), 1);
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void scores_pass(Run& run, const Lane& lane) {
    if (!lane.query_keys || lane.scores_known) {
        const bool nothing = (!lane.scaled || lane.scaled == lane.scores) &&
                             (!lane.logits || lane.logits == lane.scaled);
        if (nothing) return;
    }
    const bool careful = lane.query_keys && lane.query_keys->careful;
    const Tile tile = careful ? Tile{16, 1} : tile_for(lane.shape.n_q, lane.shape.n_k);
    Program& program = scores_program(run, lane, tile);
    set_logits(program, lane);
    const auto& softcap = lane.variant.softcap;
    program.set("softcap", softcap.has_value());
    program.set("cap_order", softcap ? static_cast<int>(softcap->order) : 0);
    program.set("cap", softcap ? static_cast<float>(softcap->cap) : 1);
    program.set("keep_slope", bool(lane.slope));
    program.set("keep_scores", bool(lane.scores));
    program.set("keep_scaled", lane.scaled && lane.scaled != lane.scores);
    program.set("keep_logits", lane.logits && lane.logits != lane.scaled);
    const auto n_k = static_cast<double>(lane.shape.n_k);
    const double depth =
        lane.query_keys ? static_cast<double>(lane.query_keys->queries.columns) : 1;
    for (const Slice& slice : lane.slices) {
        bind_scores(run, program, lane, slice);
        for_rows(run, slice, n_k * depth, [&](const Rows& rows) {
            set_rows(program, lane, rows);
            dispatch_scores(lane, rows, tile);
        });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

}  // namespace maskscope::gpu
