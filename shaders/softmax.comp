// From the logits of a row to its weights, sensitivity and figures; COLUMNS threads a row, each of
// which keeps every COLUMNS-th cell of it, CELLS in all, and ROWS rows a work group.

#include "common_row.glsl"

layout(local_size_x = COLUMNS, local_size_y = ROWS) in;

layout(std430, binding = 0) readonly buffer Logits { float logits[]; };
layout(std430, binding = 1) buffer Softmax { float softmax[]; };
layout(std430, binding = 2) writeonly buffer Weights { float weights[]; };
layout(std430, binding = 3) writeonly buffer Sensitivity { float sensitivity[]; };
layout(std430, binding = 4) readonly buffer AllowedBits { uint allowed_bits[]; };
layout(std430, binding = 5) readonly buffer Tables { uint tables[]; };  // core/gpu/data/tables.h
layout(std430, binding = 6) readonly buffer Slope { float slope[]; };  // of the softcap

uniform bool given;  // the softmax is already in its buffer
uniform bool skip_blocked;  // the logits of blocked keys, -inf, were not written
uniform bool keep_softmax;
uniform bool keep_weights;
uniform bool keep_sensitivity;

uniform int end_head;  // after the last one of this dispatch
uniform int apply;
uniform int normalizer;
uniform int planes_start;
uniform bool has_slope;
uniform int sinks_start;  // in tables: of each head of a sequence, in two parts
uniform int pads_start;  // in tables: bits of the keys that are pads, of each sequence

shared float shared_numbers[ROWS][COLUMNS];
shared vec4 shared_sums[ROWS][COLUMNS];
shared uint shared_bits[ROWS][COLUMNS];

int own_column, own_row;  // the place of this thread in the work group
int head, row;  // of this thread; row is n_q where there is none left
float cell[CELLS];  // logits, then the softmax
uint open[(CELLS + 31) / 32], pad[(CELLS + 31) / 32];  // of the own cells, as bits

int column_of(int k) { return own_column + k * COLUMNS; }
bool is_open(int k) { return (open[k / 32] >> (k % 32) & 1u) != 0u; }
bool is_pad(int k) { return (pad[k / 32] >> (k % 32) & 1u) != 0u; }
bool is_inside(int k) { return column_of(k) < n_k; }

// --- a row together. All threads of a work group take part.

uint any_of_row(uint found) {
    shared_bits[own_row][own_column] = found;
    for (int apart = COLUMNS / 2; apart > 0; apart /= 2) {
        barrier();
        if (own_column < apart)
            shared_bits[own_row][own_column] |= shared_bits[own_row][own_column + apart];
    }
    barrier();
    const uint all = shared_bits[own_row][0];
    barrier();
    return all;
}

// The largest; numbers are finite.
float largest_of_row(float x) {
    shared_numbers[own_row][own_column] = x;
    for (int apart = COLUMNS / 2; apart > 0; apart /= 2) {
        barrier();
        if (own_column < apart && shared_numbers[own_row][own_column + apart] >
                                     shared_numbers[own_row][own_column])
            shared_numbers[own_row][own_column] = shared_numbers[own_row][own_column + apart];
    }
    barrier();
    const float all = shared_numbers[own_row][0];
    barrier();
    return all;
}

vec4 sum_of_row(vec4 x) {
    shared_sums[own_row][own_column] = x;
    for (int apart = COLUMNS / 2; apart > 0; apart /= 2) {
        barrier();
        if (own_column < apart)
            shared_sums[own_row][own_column] += shared_sums[own_row][own_column + apart];
    }
    barrier();
    const vec4 all = shared_sums[own_row][0];
    barrier();
    return all;
}

// --- what is read

void load_masks() {
    const uint mask_row = tables[planes_start + head] * uint(asked_rows) + uint(row - asked_row);
    const uint mask = mask_row * uint(plane_words) - bits_base;
    const int pads = pads_start + head / heads * plane_words;
    for (int k = 0; k < (CELLS + 31) / 32; ++k) open[k] = pad[k] = 0u;
    for (int k = 0; k < CELLS; ++k) {
        if (!is_inside(k)) continue;
        const int j = column_of(k);
        open[k / 32] |= (allowed_bits[mask + uint(j / 32)] >> (j % 32) & 1u) << (k % 32);
        pad[k / 32] |= (tables[pads + j / 32] >> (j % 32) & 1u) << (k % 32);
    }
}

// Cells outside the row are left as -inf, or 0 where the softmax is given.
void load_cells(uint start) {
    for (int k = 0; k < CELLS; ++k) {
        cell[k] = given ? 0.0 : infinity(true);
        if (!is_inside(k) || (skip_blocked && !is_open(k))) continue;
        cell[k] = given ? softmax[start + uint(column_of(k))] : logits[start + uint(column_of(k))];
    }
}

uint found_in_cells() {
    uint found = 0u;
    for (int k = 0; k < CELLS; ++k) {
        if (!is_inside(k)) continue;
        found |= kind_of(cell[k]) | (is_open(k) ? has_allowed : has_blocked) |
                 (is_pad(k) ? has_pad : 0u);
    }
    return found;
}

// --- the softmax

// 1 / (1 + e^-x)
float sigmoid_of(float x) {
    if (is_nan(x)) return x;
    const float e = exp_of(is_negative(x) ? x : -x);
    return (is_negative(x) ? e : 1.0) / (1.0 + e);
}

// softmax: e^x / Σ e^x, with a sink s: e^x / (e^s + Σ e^x), after subtracting the row's maximum
// (the larger of it and s). Rounded; NaN throughout where infinities meet. Or each cell's sigmoid.
void normalize(uint found) {
    if (normalizer == NORMALIZER_sigmoid) {
        for (int k = 0; k < CELLS; ++k) cell[k] = rounded(sigmoid_of(cell[k]));
        return;
    }
    const int sink = sinks_start + 2 * (head % heads);
    const float sink_high = uintBitsToFloat(tables[sink]);
    const float sink_low = uintBitsToFloat(tables[sink + 1]);
    float largest = has_sink ? sink_high : lowest;
    for (int k = 0; k < CELLS; ++k)
        if (is_finite(cell[k]) && cell[k] > largest) largest = cell[k];
    largest = largest_of_row(largest);

    float sum = 0.0;
    for (int k = 0; k < CELLS; ++k) {
        cell[k] = is_finite(cell[k]) ? exp_of(cell[k] - largest) : 0.0;
        sum += cell[k];
    }
    sum = sum_of_row(vec4(sum)).x + (has_sink ? exp_of(sink_high - largest + sink_low) : 0.0);

    const bool undefined = is_undefined(found);
    for (int k = 0; k < CELLS; ++k)
        cell[k] = undefined ? not_a_number() : rounded(cell[k] / sum);
}

// --- the weights

float factor(int k) { return apply != APPLY_multiply_weights || is_open(k) ? 1.0 : 0.0; }

// The sum of softmax × (1 or 0) where all of it is finite, and what else there is.
float sum_kept(bool by_mask, out uint found) {
    float sum = 0.0;
    found = 0u;
    for (int k = 0; k < CELLS; ++k) {
        if (!is_inside(k)) continue;
        const float x = kept(cell[k], !by_mask || is_open(k));
        found |= kind_of(x);
        if (is_finite(x)) sum += x;
    }
    found = any_of_row(found);
    sum = sum_of_row(vec4(sum)).x;
    const uint infinities = found & (has_above | has_below);
    if ((found & has_nan) != 0u || infinities == (has_above | has_below)) return not_a_number();
    return infinities == 0u ? sum : infinity(infinities == has_below);
}

float weight_of(int k, float total) {
    if (apply == APPLY_multiply_weights) return kept(cell[k], is_open(k));
    if (apply != APPLY_multiply_weights_renormalized) return cell[k];
    return rounded(divide(kept(cell[k], is_open(k)), total));
}

// --- the sensitivity: Σ_k |∂weights_ik / ∂scaled_ij|, from finite weights

float before_softcap(int k, float weight, float total) {
    const bool renormalized = apply == APPLY_multiply_weights_renormalized;
    const bool alone = normalizer == NORMALIZER_sigmoid && !given;
    if (alone && renormalized) return 2.0 * weight * (1.0 - weight) * (1.0 - cell[k]);
    if (renormalized) return 2.0 * weight * (1.0 - weight);
    if (!is_open(k) && (apply == APPLY_replace || apply == APPLY_multiply_scores)) return 0.0;
    const float own = factor(k) * cell[k];
    if (alone) return own * (1.0 - cell[k]);
    return own * (1.0 - cell[k]) + cell[k] * (total - own);
}

float sensitivity_of(int k, float weight, float total, uint cell_place) {
    const float gradient = before_softcap(k, weight, total);
    return has_slope && !is_zero(gradient) ? gradient * slope[cell_place] : gradient;
}

// --- the row

void find_row() {
    own_column = int(gl_LocalInvocationID.x);
    own_row = int(gl_LocalInvocationID.y);
    const int group = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    const int rows = end_row - start_row;
    const int own = group * ROWS + own_row;
    head = first_head + own / rows;
    row = head < end_head ? start_row + own % rows : n_q;
}

void finish_row(uint start, uint found, uint place) {
    const bool renormalized = apply == APPLY_multiply_weights_renormalized;
    const bool by_mask = renormalized || apply == APPLY_multiply_weights;
    uint ignored;
    const float total = sum_kept(by_mask, ignored);
    uint weights_found = 0u;
    for (int k = 0; k < CELLS; ++k)
        if (is_inside(k)) weights_found |= kind_of(weight_of(k, total));
    const bool nan = (any_of_row(weights_found) & has_nan) != 0u;
    const bool by_cell = normalizer == NORMALIZER_sigmoid && !given;

    const bool mended = is_mended(found, apply);
    const bool neutral = mended && empty_rows == EMPTY_zero;
    Totals totals = no_totals;
    for (int k = 0; k < CELLS; ++k) {
        if (!is_inside(k) || row >= n_q) continue;
        const uint cell_place = start + uint(column_of(k));
        const float computed = weight_of(k, total);
        const float weight = mended ? 0.0 : computed;
        const float gradient =
            neutral ? 0.0
            : (by_cell ? is_nan(computed) : nan) ? not_a_number()
                                                 : sensitivity_of(k, computed, total, cell_place);
        if (keep_softmax) softmax[cell_place] = cell[k];
        if (keep_weights) weights[cell_place] = weight;
        if (keep_sensitivity) sensitivity[cell_place] = gradient;
        add_cell(totals, is_open(k), is_pad(k), weight, gradient);
    }
    totals.sums = sum_of_row(totals.sums);
    totals.pads = sum_of_row(vec4(totals.pads)).x;
    totals.largest = largest_of_row(totals.largest);
    totals.found = any_of_row(totals.found);
    if (own_column == 0 && row < n_q) write_figures(place, totals, found, !given);
}

void main() {
    find_row();
    const bool outside = row >= n_q;
    if (outside) head = first_head, row = start_row;  // takes part, and writes nothing
    const uint start = row_start(head, row, n_k);
    const uint place = row_start(head, row, FIGURES);
    load_masks();
    load_cells(start);
    const uint found = any_of_row(found_in_cells());
    if (!given) normalize(found);
    if (outside) row = n_q;
    finish_row(start, found, place);
}
