// Weights of scores that are never stored: each tile of scores is computed twice, as FlashAttention
// computes it (Dao and others 2022, arXiv:2205.14135). With SUMS the maximum and the sum of each row
// of a tile; rows.comp makes those of the row. Without it the weights, and the sums of each row of a
// tile, of which rows.comp makes the row's figures.
// Defines: those of common_scores.glsl; SUMS.

#include "common_logit.glsl"
#include "common_row.glsl"
#include "common_scores.glsl"

layout(std430, binding = 2) writeonly buffer Tiles { float tiles[]; };  // FIGURES a row of a tile
layout(std430, binding = 3) writeonly buffer Weights { float weights[]; };
layout(std430, binding = 4) writeonly buffer Sensitivity { float sensitivity[]; };

uniform bool keep_weights;
uniform bool keep_sensitivity;
uniform int pads_start;  // in tables: bits of the keys that are pads, of each sequence

// A blocked tile has no sums.
float logit_at(int i, int j, float sum, bool allowed) {
    if (skip_blocked && !allowed) return infinity(true);
    const float score = score_of(sum);
    return plain_logit(own_head(), i, j, score, rounded(times_scale(score)));
}

bool is_pad(int j) {
    return (tables[pads_start + own_head() / heads * plane_words + j / 32] >> (j % 32) & 1u) != 0u;
}

uint tile_place(int i) {
    return (row_start(own_head(), i, int(gl_NumWorkGroups.x)) + gl_WorkGroupID.x) * uint(FIGURES);
}

#ifdef SUMS

shared float shared_largest[SIDE][SIDE], shared_sum[SIDE][SIDE];
shared uint shared_found[SIDE][SIDE];

// Two sums of e^x, each after subtracting the largest x of its own, which are finite.
void join_sums(inout float largest, inout float sum, float other_largest, float other_sum) {
    if (other_largest > largest) {
        sum = sum * exp_of(largest - other_largest) + other_sum;
        largest = other_largest;
    } else {
        sum += other_sum * exp_of(other_largest - largest);
    }
}

void finish_row(int i, int first_column, float of_row[PER]) {
    const int x = int(gl_LocalInvocationID.x), y = int(gl_LocalInvocationID.y);
    float logit[PER], largest = lowest, sum = 0.0;
    uint found = 0u;
    for (int c = 0; c < PER; ++c) {
        const int j = first_column + column_of(c);
        logit[c] = infinity(true);
        if (i >= end_row || j >= n_k) continue;
        const bool allowed = is_allowed(own_head(), i, j);
        logit[c] = logit_at(i, j, of_row[c], allowed);
        found |= kind_of(logit[c]) | (allowed ? has_allowed : has_blocked) |
                 (is_pad(j) ? has_pad : 0u);
        if (is_finite(logit[c]) && logit[c] > largest) largest = logit[c];
    }
    for (int c = 0; c < PER; ++c)
        if (is_finite(logit[c])) sum += exp_of(logit[c] - largest);
    shared_largest[y][x] = largest;
    shared_sum[y][x] = sum;
    shared_found[y][x] = found;
    barrier();
    if (x == 0 && i < end_row) {
        for (int k = 1; k < SIDE; ++k) {
            join_sums(largest, sum, shared_largest[y][k], shared_sum[y][k]);
            found |= shared_found[y][k];
        }
        const uint place = tile_place(i);
        tiles[place] = largest;
        tiles[place + 1u] = sum;
        tiles[place + 2u] = float(found);
    }
    barrier();
}

#else

shared Totals shared_totals[SIDE][SIDE];

// Σ_k |∂weights_ik / ∂scaled_ij| = w (1 − w) + w (Σ w − w)
float sensitivity_of(float weight, float total, bool allowed) {
    if (!allowed && (apply == APPLY_replace || apply == APPLY_multiply_scores)) return 0.0;
    return weight * (1.0 - weight) + weight * (total - weight);
}

void finish_row(int i, int first_column, float of_row[PER]) {
    const int x = int(gl_LocalInvocationID.x), y = int(gl_LocalInvocationID.y);
    Totals totals = no_totals;
    if (i < end_row) {
        const uint start = row_start(own_head(), i, n_k);
        const uint place = row_start(own_head(), i, FIGURES);  // as rows.comp left them
        const float largest = figures[place], sum = figures[place + 1u];
        const float total = figures[place + 2u];
        const uint found = uint(figures[place + 3u]);
        const bool undefined = is_undefined(found), mended = is_mended(found, apply);
        const bool neutral = mended && empty_rows == EMPTY_zero;
        for (int c = 0; c < PER; ++c) {
            const int j = first_column + column_of(c);
            if (j >= n_k) continue;
            const bool allowed = is_allowed(own_head(), i, j);
            const float logit = logit_at(i, j, of_row[c], allowed);
            const float computed = undefined            ? not_a_number()
                                   : is_finite(logit) ? exp_of(logit - largest) / sum
                                                        : 0.0;
            const float weight = mended ? 0.0 : computed;
            const float gradient = neutral     ? 0.0
                                   : undefined ? not_a_number()
                                               : sensitivity_of(computed, total, allowed);
            if (keep_weights) weights[start + uint(j)] = weight;
            if (keep_sensitivity) sensitivity[start + uint(j)] = gradient;
            add_cell(totals, allowed, is_pad(j), weight, gradient);
        }
    }
    shared_totals[y][x] = totals;
    barrier();
    if (x == 0 && i < end_row) {
        for (int k = 1; k < SIDE; ++k) join_totals(totals, shared_totals[y][k]);
        const uint place = tile_place(i);
        for (int k = 0; k < 4; ++k) tiles[place + uint(k)] = totals.sums[k];
        tiles[place + 4u] = totals.pads;
        tiles[place + 5u] = totals.largest;
        tiles[place + 6u] = float(totals.found);
    }
    barrier();
}

#endif

void main() {
    const int first_row = start_row + int(gl_WorkGroupID.y) * tile;
    const int first_column = int(gl_WorkGroupID.x) * tile;
    if (!(skip_blocked && is_blocked_tile(first_row, first_column)))
        sum_tile(first_row, first_column);
    for (int r = 0; r < PER; ++r) finish_row(first_row + row_of(r), first_column, sums[r]);
}
