// Computes a row's weights, sensitivity and statistics from its logits. Each thread keeps QUADS
// quads of its row in registers.
// Defines: GIVEN (the softmax is already in its buffer) or SIGMOID, and SINK, if they apply; APPLY;
// SKIP_BLOCKED if the logits of blocked keys, -inf, were not written; SLOPE if there is a softcap;
// KEEP_… for each stage that is stored; those of common_threads.glsl.

#include "common_row.glsl"
#include "common_threads.glsl"

layout(local_size_x = THREADS) in;

layout(std430, binding = 0) readonly buffer Logits { NUMBERS logits[]; };
layout(std430, binding = 1) buffer Softmax { NUMBERS softmax[]; };
layout(std430, binding = 2) writeonly buffer Weights { NUMBERS weights[]; };
layout(std430, binding = 3) writeonly buffer Sensitivity { NUMBERS sensitivity[]; };
layout(std430, binding = 4) readonly buffer AllowedBits { uint allowed_bits[]; };
layout(std430, binding = 5) readonly buffer Tables { uint tables[]; };  // core/gpu/data/mask_data.h
layout(std430, binding = 6) readonly buffer Slope { NUMBERS slope[]; };  // softcap's derivative

uniform int end_head;     // after the last head of this dispatch
uniform int empty_rows;  // EMPTY_…: how empty rows are treated
uniform int sinks_start;  // in tables: the sink of each head of a sequence, in two parts

#if QUADS <= 2
const int quads = QUADS;
#else
uniform int quads;  // not a constant, because unrolled loops would make the program large
#endif

#ifdef GIVEN
const bool is_given = true;
#else
const bool is_given = false;
#endif
#ifdef SIGMOID
const bool is_sigmoid = true;
#else
const bool is_sigmoid = false;
#endif
#ifdef SINK
const bool has_sink = true;
#else
const bool has_sink = false;
#endif
const bool is_renormalized = APPLY == APPLY_multiply_weights_renormalized;
const bool masks_weights = is_renormalized || APPLY == APPLY_multiply_weights;

shared vec2 shared_sums[THREADS];
shared Extremes shared_extremes[THREADS];
shared Totals shared_totals[THREADS];

int own_column;  // the place of this thread in its row
int head, row;
uint start;  // where the row starts in buffers of n_k columns
vec4 cell[QUADS];  // logits, then the softmax
uint bits[QUADS];  // 4 bits each for cells of a quad: inside the row, allowed, pad token

int column_of(int k) { return 4 * (own_column + k * COLUMNS); }
bool is_inside(int k, int e) { return (bits[k] >> e & 1u) != 0u; }
bool is_open(int k, int e) { return (bits[k] >> (e + 4) & 1u) != 0u; }
// The mask as it acts: rows without an allowed key may allow every key.
bool opens_row = false;
bool acts_open(int k, int e) { return opens_row || is_open(k, e); }
bool is_pad(int k, int e) { return (bits[k] >> (e + 8) & 1u) != 0u; }

// --- what is read

// Finds the row of this thread. A thread without a row takes part, but has no cells.
void find_row() {
    own_column = int(place) % COLUMNS;
    const int group = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    const int rows = end_row - start_row;
    const int own = group * (THREADS / COLUMNS) + int(place) / COLUMNS;
    head = first_head + own / rows;
    row = start_row + own % rows;
    start = row_start(head, row, n_k);
}

void load_cells() {
    const float outside = is_given ? 0.0 : infinity(true);
    for (int k = 0; k < quads; ++k) {
        const int j = column_of(k), count = n_k - j;
        bits[k] = 0u;
        cell[k] = vec4(outside);
        if (head >= end_head || count <= 0) continue;
        const uint inside = count >= 4 ? 15u : (1u << count) - 1u;
        const uint open = allowed_bits[mask_word(tables[2 * head], row, j)] >> (j % 32) & 15u;
        const uint pad = tables[tables[2 * head + 1] + uint(j / 32)] >> (j % 32) & 15u;
        bits[k] = inside | open << 4 | pad << 8;
#ifdef SKIP_BLOCKED
        if (open == 0u) continue;
#endif
#ifdef GIVEN
        cell[k] = READ(softmax, start + uint(j), count, outside);
#else
        cell[k] = READ(logits, start + uint(j), count, outside);
#endif
    }
}

// Finds the largest finite cell, and which other kinds of cells there are.
Extremes extremes_of_row() {
    Extremes all = no_extremes;
    for (int k = 0; k < quads; ++k) {
        const uint inside = bits[k] & 15u, open = bits[k] >> 4 & 15u;
        if (open != 0u) all.found |= has_allowed;
        if ((inside & ~open) != 0u) all.found |= has_blocked;
        if ((bits[k] >> 8) != 0u) all.found |= has_pad;
        for (int e = 0; e < 4; ++e) {
            all.found |= kind_of(cell[k][e]);
            if (is_finite(cell[k][e])) all.largest = max(all.largest, cell[k][e]);
        }
    }
    JOIN_ROW(Extremes, all, no_extremes, shared_extremes)
    return all;
}

float sum_of_row(vec2 x) {
    JOIN_ROW(vec2, x, vec2(0.0), shared_sums)
    return x.x + x.y;
}

// --- the softmax

// Computes 1 / (1 + e^-x).
float sigmoid_of(float x) {
    if (is_nan(x)) return x;
    const float e = exp_of(is_negative(x) ? x : -x);
    return (is_negative(x) ? e : 1.0) / (1.0 + e);
}

// Computes Σ e^(x − largest) of the cells, which are still logits. Called by all threads.
float sum_exponentials(float largest) {
    vec2 of_cells = vec2(0.0);
    for (int k = 0; k < quads; ++k)
        for (int e = 0; e < 4; ++e)
            if (is_finite(cell[k][e])) join(of_cells, vec2(exp_of(cell[k][e] - largest), 0.0));
    return sum_of_row(of_cells);
}

// Computes log Σ e^x for logits of the kinds in `found`.
float log_sum(uint found, float largest, float sum) {
    if (is_given || (found & has_nan) != 0u) return not_a_number();
    if ((found & has_above) != 0u) return infinity(false);
    return (found & has_finite) != 0u ? largest + log_of(max(sum, 1.0)) : infinity(true);
}

// Computes the softmax, e^x / Σ e^x, or with a sink s, e^x / (e^s + Σ e^x), after subtracting the
// row's maximum (the larger of it and s). It is rounded; if it is undefined, it is NaN throughout.
// Returns its sum before rounding. exponentials: Σ e^x without the sink.
float normalize(float largest, bool undefined, out float exponentials) {
    const int sink = sinks_start + 2 * (head % heads);
    const float sink_high = has_sink ? uintBitsToFloat(tables[sink]) : lowest;
    const float sink_low = has_sink ? uintBitsToFloat(tables[sink + 1]) : 0.0;
    largest = max(largest, sink_high);
    vec2 of_cells = vec2(0.0);
    for (int k = 0; k < quads; ++k)
        for (int j = own_column; j < own_column + 4; ++j) {  // in turn, as in finish_row()
            cell[k].x = is_finite(cell[k].x) ? exp_of(cell[k].x - largest) : 0.0;
            join(of_cells, vec2(cell[k].x, 0.0));
            cell[k] = cell[k].yzwx;
        }
    const float sum = exponentials = sum_of_row(of_cells);
    const float all = sum + (has_sink ? exp_of(sink_high - largest + sink_low) : 0.0);
    for (int k = 0; k < quads; ++k)
        for (int e = 0; e < 4; ++e)
            cell[k][e] = undefined ? not_a_number() : rounded(cell[k][e] / all);
    return sum / all;
}

// --- the weights

// Computes the sum of softmax × (1 or 0), as IEEE 754 defines it.
float sum_kept() {
    vec2 of_cells = vec2(0.0);
    Extremes all = no_extremes;
    for (int k = 0; k < quads; ++k)
        for (int e = 0; e < 4; ++e) {
            if (!is_inside(k, e)) continue;
            const float x = kept(cell[k][e], !masks_weights || acts_open(k, e));
            all.found |= kind_of(x);
            if (is_finite(x)) join(of_cells, vec2(x, 0.0));
        }
    JOIN_ROW(Extremes, all, no_extremes, shared_extremes)
    const float sum = sum_of_row(of_cells);
    const uint infinities = all.found & (has_above | has_below);
    if ((all.found & has_nan) != 0u || infinities == (has_above | has_below)) return not_a_number();
    return infinities == 0u ? sum : infinity(infinities == has_below);
}

// Returns the weight of a cell. x: its softmax output.
float weight_of(float x, bool open, float total) {
    if (!masks_weights) return x;
    const float weight = kept(x, open);
    return is_renormalized ? rounded(divide(weight, total)) : weight;
}

// True if one of the row's weights is NaN.
bool has_nan_weight(float total) {
    Extremes all = no_extremes;
    for (int k = 0; k < quads; ++k)
        for (int e = 0; e < 4; ++e)
            if (is_inside(k, e)) all.found |= kind_of(weight_of(cell[k][e], acts_open(k, e), total));
    JOIN_ROW(Extremes, all, no_extremes, shared_extremes)
    return (all.found & has_nan) != 0u;
}

// --- the sensitivity: Σ_k |∂weights_ik / ∂scaled_ij|, from finite weights

float before_softcap(float x, bool open, float weight, float total) {
    if (is_renormalized) return 2.0 * weight * (1.0 - weight) * (is_sigmoid ? 1.0 - x : 1.0);
    if (!open && (APPLY == APPLY_replace || APPLY == APPLY_multiply_scores)) return 0.0;
    const float own = !masks_weights || open ? x : 0.0;
    return own * (1.0 - x) + (is_sigmoid ? 0.0 : x * (total - own));
}

// --- the row

// Finishes the row. Each quad in turn is moved to cell[0], and each of its cells to .x, so that the
// code for a cell exists only once and the program stays small.
void finish_row(Extremes extremes, float total, bool nan, float lse) {
    const bool zeroed = (empty_rows == EMPTY_zero || empty_rows == EMPTY_zero_after) &&
                        (extremes.found & has_allowed) == 0u;
    Totals totals = no_totals;
    for (int first = column_of(0); first < n_k && head < end_head; first += 4 * COLUMNS) {
        const uint quad_place = start + uint(first);
        vec4 x = cell[0], weight = vec4(0.0), gradient = vec4(0.0), softcap = vec4(1.0);
#ifdef SLOPE
        softcap = READ(slope, quad_place, n_k - first, 1.0);
#endif
        for (int j = first; j < first + 4; ++j) {
            const bool open = (bits[0] & 16u) != 0u, acts = open || opens_row;
            const float computed = weight_of(x.x, acts, total);
            precise float change = before_softcap(x.x, acts, computed, total);
            if (!is_zero(change)) change *= softcap.x;
            if (is_sigmoid ? is_nan(computed) : nan) change = not_a_number();
            weight = vec4(weight.yzw, zeroed ? 0.0 : computed);
            gradient = vec4(gradient.yzw, zeroed && empty_rows == EMPTY_zero ? 0.0 : change);
            if (j < n_k) add_cell(totals, open, (bits[0] & 256u) != 0u, weight.w, gradient.w);
            x = x.yzwx, softcap = softcap.yzwx;
            bits[0] >>= 1;
        }
#ifdef KEEP_SOFTMAX
        WRITE(softmax, quad_place, n_k - first, x);
#endif
#ifdef KEEP_WEIGHTS
        WRITE(weights, quad_place, n_k - first, weight);
#endif
#ifdef KEEP_SENSITIVITY
        WRITE(sensitivity, quad_place, n_k - first, gradient);
#endif
        for (int k = 1; k < quads; ++k) cell[k - 1] = cell[k], bits[k - 1] = bits[k];
    }
    JOIN_ROW(Totals, totals, no_totals, shared_totals)
    if (own_column == 0 && head < end_head)
        write_figures(row_start(head, row, 3), totals, extremes.found, !is_given, lse);
}

void main() {
    find_place();
    find_row();
    load_cells();
    const Extremes extremes = extremes_of_row();
    opens_row = empty_rows == EMPTY_all && (extremes.found & has_allowed) == 0u;
    float exponentials = 1.0;
#if defined(SINK) || defined(SIGMOID)  // a sink may be far larger than all cells
    exponentials = sum_exponentials(extremes.largest);
    const float lse = log_sum(extremes.found, extremes.largest, exponentials);
#endif
    // True if infinities or NaN make a softmax over these cells undefined.
    const bool undefined = (extremes.found & (has_nan | has_above)) != 0u ||
                           ((extremes.found & has_finite) == 0u && !has_sink);
    float total = 1.0;
    bool nan = undefined;
#ifdef SIGMOID
    for (int k = 0; k < quads; ++k)
        for (int e = 0; e < 4; ++e) cell[k][e] = rounded(sigmoid_of(cell[k][e]));
#elif !defined(GIVEN)
    total = normalize(extremes.largest, undefined, exponentials);
#endif
#if !defined(SINK) && !defined(SIGMOID)
    const float lse = log_sum(extremes.found, extremes.largest, exponentials);
#endif
    // Rounded numbers, and weights other than a softmax, are summed as they are.
    if (is_renormalized || (!is_sigmoid && (is_given || masks_weights || DTYPE != DTYPE_float32)))
        total = sum_kept();
    if (is_renormalized || is_given) nan = has_nan_weight(total);
    finish_row(extremes, total, nan, lse);
}
