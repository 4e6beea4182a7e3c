// Computes the mask, and scores -> scaled -> logits.

#include <epoxy/gl.h>

#include <algorithm>
#include <bit>

#include "core/attention/mask.h"
#include "core/gpu/passes.h"
#include "core/scene/mask_rules.h"

namespace maskscope::gpu {
namespace {

bool is_given(const Lane& lane) { return !lane.query_keys || lane.scores_known; }
bool is_careful(const Lane& lane) { return !is_given(lane) && lane.query_keys->careful; }

Index depth_of(const Lane& lane) { return is_given(lane) ? 0 : lane.query_keys->queries.columns; }

Tile tile_of(const Lane& lane) {
    const Index smaller = std::min(lane.shape.n_q, lane.shape.n_k);
    if (is_given(lane) || is_careful(lane) || smaller <= 16) return {};
    const bool additive = lane.variant.score.kind == ScoreKind::additive;  // its terms take long
    return additive || smaller <= 64 ? Tile{16, 16, 4, 1} : Tile{16, 16, 8, 2};
}

// Returns the defines of the program that the scene decides: see scores.comp.
Defines defines_of(const Lane& lane) {
    const Variant& variant = lane.variant;
    const auto& softcap = variant.softcap;
    const Apply apply = masks_logits(variant.mask.apply) ? variant.mask.apply : Apply::none;
    Defines defines = {{"DTYPE", static_cast<int>(variant.dtype)},
                       {"APPLY", static_cast<int>(apply)},
                       {"ORDER", static_cast<int>(variant.mask.order == Order::mask_then_scale
                                                      ? Order::mask_then_scale
                                                      : Order::scale_then_mask)},
                       {"TIMES", apply == Apply::additive ? variant.mask.times : 1},
                       {"CAP", softcap ? static_cast<int>(softcap->order) : -1}};
    // Bilinear scores are a dot product of q M and k.
    const ScoreKind kind = variant.score.kind;
    if (is_given(lane))
        defines.emplace_back("GIVEN", 1);
    else
        defines.emplace_back("SCORE",
                             static_cast<int>(kind == ScoreKind::bilinear ? ScoreKind::dot : kind));
    add_if(is_careful(lane), "CAREFUL", defines);
    add_if(variant.scale.kind == ScaleKind::formula, "ROW_SCALE", defines);
    add_if(opens_empty_rows(variant.mask.apply, variant.empty_rows), "OPENS_EMPTY", defines);
    add_if(lane.tables.biased, "BIASED", defines);
    add_if(lane.skip_blocked, "SKIP_BLOCKED", defines);
    add_if(is_wide(lane.shape.n_k, depth_of(lane)), "WIDE", defines);
    add_if(lane.scores && !is_given(lane), "KEEP_SCORES", defines);
    add_if(lane.scaled && lane.scaled != lane.scores, "KEEP_SCALED", defines);
    add_if(lane.logits && lane.logits != lane.scaled, "KEEP_LOGITS", defines);
    add_if(bool(lane.slope), "KEEP_SLOPE", defines);
    add_tile(tile_of(lane), defines);
    return defines;
}

void set_tables(Program& program, const Tables& tables) {
    program.set("slopes_start", tables.slopes_start);
    program.set("starts_start", tables.starts_start);
    program.set("groups_start", tables.groups_start);
    program.set("bias_rows_start", tables.bias_rows_start);
    program.set("bias_columns_start", tables.bias_columns_start);
    program.set("bias_values_start", tables.bias_values_start);
    program.set("factors_start", tables.factors_start);
    program.set("row_scales_start", tables.row_scales_start);
}

void set_variant(Program& program, const Lane& lane) {
    const auto value =
        static_cast<float>(blocked_value(lane.variant.mask.value, lane.variant.dtype));
    program.set("value_bits", std::bit_cast<std::uint32_t>(value));
    const double scale = lane.parameters.scale;
    const auto high = static_cast<float>(scale);
    program.set("scale_high", high);
    program.set("scale_low", static_cast<float>(scale - static_cast<double>(high)));
    if (lane.variant.softcap) program.set("cap", static_cast<float>(lane.variant.softcap->cap));
}

void bind_query_keys(Program& program, const Lane& lane, const Slice& slice) {
    bind_matrices(0, lane.query_keys->queries, slice);
    bind_matrices(1, lane.query_keys->keys, slice);
    program.set("depth", depth_of(lane));
    program.set("query_stride", lane.query_keys->queries.stride);
    program.set("key_stride", lane.query_keys->keys.stride);
}

void bind_scores(Run& run, Program& program, const Lane& lane, const Slice& slice) {
    if (!is_given(lane)) bind_query_keys(program, lane, slice);
    bind_numbers(2, lane.scores, slice);
    bind_numbers(3, lane.scaled, slice);
    bind_numbers(4, lane.logits, slice);
    bind_mask(run, program, 5, lane, slice);
    bind(6, lane.tables_buffer);
    bind_numbers(7, lane.slope, slice);
}

}  // namespace

void mask_pass(Run& run, Lane& lane) {
    const MaskData made = mask_data(run.scene, lane.variant.mask.layers, lane.asked);
    const Shape& shape = lane.shape;
    const Slice& asked = lane.asked;
    const Index words = (shape.n_k + 31) / 32;
    const Index sheet = asked.rows * words;
    const SharedBuffer bits =
        run.device.make_buffer(4 * static_cast<std::size_t>(made.sheets * sheet));
    const SharedBuffer data = run.device.upload(made.data);
    lane.sheet_of_head = made.sheet_of_head;
    const auto first_sheet = made.sheet_of_head.begin() + asked.first_head;
    lane.mask = std::make_shared<GpuMask>(
        asked.rows, shape.n_k, std::vector(first_sheet, first_sheet + asked.heads), bits);

    Program& program = run.device.programs.get("mask.comp", {});
    program.use();
    program.set("n_q", shape.n_q);
    program.set("n_k", shape.n_k);
    program.set("asked_row", asked.first_row);
    program.set("asked_rows", asked.rows);
    program.set("layers", made.layers);
    program.set("sheet_size", made.sheet_size);
    bind(1, data);
    // Make as many rows at a time as one binding holds, starting where a binding may begin.
    const Index rows = made.sheets * asked.rows, row_bytes = 4 * words;
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
    const bool nothing = (!lane.scaled || lane.scaled == lane.scores) &&
                         (!lane.logits || lane.logits == lane.scaled);
    if (is_given(lane) && nothing) return;
    Program& program = run.device.programs.get("scores.comp", defines_of(lane));
    program.use();
    set_tables(program, lane.tables);
    set_variant(program, lane);
    const Tile tile = tile_of(lane);
    const auto row_work = static_cast<double>(lane.shape.n_k * std::max<Index>(depth_of(lane), 1));
    for (const Slice& slice : lane.slices) {
        bind_scores(run, program, lane, slice);
        for_rows(run, slice, row_work, [&](const Rows& rows) {
            set_rows(program, lane, rows);
            dispatch(tile, rows.count(), lane.shape.n_k, slice.heads);
        });
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

}  // namespace maskscope::gpu
