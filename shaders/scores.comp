// Scores, scaled and masked, in one pass: scores [head, n_q, n_k] -> scaled -> logits.
// Defines: SCORE_… (the scoring function) or GIVEN (the scores are already in their buffer);
// CAREFUL where an input is not finite, or so large that sums may overflow.

layout(std430, binding = 0) readonly buffer Queries { float queries[]; };  // [head, n_q, depth]
layout(std430, binding = 1) readonly buffer Keys { float keys[]; };        // [head, depth, n_k]
layout(std430, binding = 2) buffer Scores { float scores[]; };
layout(std430, binding = 3) writeonly buffer Scaled { float scaled[]; };
layout(std430, binding = 4) writeonly buffer Logits { float logits[]; };
layout(std430, binding = 5) readonly buffer AllowedBits { uint allowed_bits[]; };
layout(std430, binding = 6) readonly buffer Tables { uint tables[]; };  // core/gpu/data/tables.h
layout(std430, binding = 7) writeonly buffer Slope { float slope[]; };  // of the softcap

uniform int depth;         // of the sums: d_k, or hidden
uniform int query_stride;  // from one head to the next
uniform int key_stride;
uniform int factors_start;  // in tables: w_v of the scoring function `additive`

uniform bool keep_scores;
uniform bool keep_scaled;
uniform bool keep_logits;
uniform bool keep_slope;
uniform bool skip_blocked;  // nothing reads the values of blocked keys

uniform float scale_high;  // scale = high + low: more digits than one float has
uniform float scale_low;

uniform int apply;  // APPLY_…
uniform int order;  // ORDER_…
uniform int times;
uniform bool softcap;
uniform int cap_order;  // CAP_…
uniform float cap;
uniform uint value_bits;  // of the blocking value, rounded

uniform int planes_start;  // in tables: the plane of the mask of each head
uniform int slopes_start;  // alibi: m of each head of a sequence, 0 where it does not hold
uniform int starts_start;  // the position of each sequence's first query
uniform int groups_start;  // the group of bias cells of each head
uniform int bias_rows_start;  // [groups, n_q + 1]: the first cell of each row
uniform int bias_columns_start;
uniform int bias_values_start;
uniform bool biased;

bool is_allowed(int head, int i, int j) {
    const uint row = tables[planes_start + head] * uint(n_q) + uint(i);
    return (allowed_bits[row * uint(plane_words) + uint(j / 32) - bits_base] >> (j % 32) & 1u) !=
           0u;
}

// --- scale and bias

float times_scale(float x) {
    if (is_nan(x)) return x;
    if (is_infinite(x)) {
        if (is_zero(scale_high)) return not_a_number();
        return infinity(is_negative(x) != is_negative(scale_high));
    }
    return x * scale_high + x * scale_low;
}

float bias_cell(int group, int i, int j) {
    const int row = bias_rows_start + group * (n_q + 1) + i;
    int low = int(tables[row]), high = int(tables[row + 1]);
    const int end = high;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (int(tables[bias_columns_start + middle]) < j)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < end && int(tables[bias_columns_start + low]) == j;
    return found ? uintBitsToFloat(tables[bias_values_start + low]) : 0.0;
}

float bias_of(int head, int i, int j) {
    const int own = head % heads;
    const float slope_of_head = uintBitsToFloat(tables[slopes_start + own]);
    const float start = uintBitsToFloat(tables[starts_start + head / heads]);
    return plus(bias_cell(int(tables[groups_start + head]), i, j),
                -slope_of_head * abs(start + float(i - j)));
}

// --- the mask before the softmax

float added(float x) {
    const float value = uintBitsToFloat(value_bits);
    const float once = plus(x, value);
    return times == 2 ? rounded(plus(rounded(once), value)) : once;
}

float masked(float x, bool allowed) {
    if (allowed) return x;
    if (apply == APPLY_replace) return uintBitsToFloat(value_bits);
    if (apply == APPLY_additive) return added(x);
    return apply == APPLY_multiply_scores ? kept(x, false) : x;
}

// --- the softcap, c tanh(x / c)

// tanh(x / c)
float bent(float x) {
    if (is_nan(x)) return x;
    const float t = is_infinite(x) ? x : x / cap;
    return is_infinite(t) ? (is_negative(t) ? -1.0 : 1.0) : tanh_of(t);
}

float capped(float x, uint place) {
    const float t = bent(x);
    if (keep_slope) slope[place] = is_infinite(x) ? 0.0 : is_nan(t) ? t : (1.0 - t) * (1.0 + t);
    return cap * t;
}

float logit_of(int head, int i, int j, float score, float scaled_score) {
    const bool allowed = is_allowed(head, i, j);
    const float bias = biased ? bias_of(head, i, j) : 0.0;
    if (order == ORDER_mask_then_scale)
        return rounded(plus(times_scale(masked(score, allowed)), bias));
    if (!softcap) return rounded(masked(plus(scaled_score, bias), allowed));
    const uint place = row_start(head, i, n_k) + uint(j);
    if (cap_order == CAP_before_mask)
        return rounded(masked(plus(capped(scaled_score, place), bias), allowed));
    return rounded(capped(masked(plus(scaled_score, bias), allowed), place));
}

void finish(int head, int i, int j, float score) {
    const uint place = row_start(head, i, n_k) + uint(j);
    const float scaled_score = rounded(times_scale(score));
#ifndef GIVEN
    if (keep_scores) scores[place] = score;
#endif
    if (keep_scaled) scaled[place] = scaled_score;
    if (keep_logits) logits[place] = logit_of(head, i, j, score, scaled_score);
}

#ifdef GIVEN

layout(local_size_x = 64) in;

void main() {
    const int head = first_head + int(gl_WorkGroupID.z);
    const int j = int(gl_GlobalInvocationID.x);
    if (j >= n_k) return;
    for (int i = start_row + int(gl_WorkGroupID.y); i < end_row; i += int(gl_NumWorkGroups.y))
        finish(head, i, j, scores[row_start(head, i, n_k) + uint(j)]);
}

#else

// --- the product of queries and keys

int own_head() { return first_head + int(gl_WorkGroupID.z); }

float a_at(int i, int c) {
    if (i >= end_row || c >= depth) return 0.0;
    return queries[(own_head() - first_head) * query_stride + i * depth + c];
}

float b_at(int c, int j) {
    if (j >= n_k || c >= depth) return 0.0;
    return keys[(own_head() - first_head) * key_stride + c * n_k + j];
}

float factor_of(int c) {
    return c < depth ? uintBitsToFloat(tables[factors_start + c]) : 0.0;
}

#ifdef CAREFUL

#include "common_careful.glsl"

uint add_square(float a, float b, inout double sum) {
    if (is_nan(a) || is_nan(b)) return found_nan;
    if (is_infinite(a) && is_infinite(b) && is_negative(a) == is_negative(b)) return found_nan;
    if (!is_finite(a) || !is_finite(b)) return found_above;
    const double difference = double(a) - double(b);
    sum += difference * difference;
    return 0u;
}

uint add_tanh(float a, float b, float factor, inout double sum) {
    const float x = plus(a, b);
    if (is_nan(x)) return found_nan;
    return add_product(factor, is_infinite(x) ? (is_negative(x) ? -1.0 : 1.0) : tanh_of(x), sum);
}

// The score of one cell with infinities, NaN and overflow as IEEE 754 has them.
float careful_score(int i, int j) {
    uint found = 0u;
    double sum = 0.0LF;
    for (int c = 0; c < depth; ++c) {
#if SCORE == SCORE_gaussian
        found |= add_square(a_at(i, c), b_at(c, j), sum);
#elif SCORE == SCORE_additive
        found |= add_tanh(a_at(i, c), b_at(c, j), factor_of(c), sum);
#else
        found |= add_product(a_at(i, c), b_at(c, j), sum);
#endif
    }
#if SCORE == SCORE_gaussian
    sum = -0.5LF * sum;
    if (found == found_above) found = found_below;
#endif
    return rounded(careful_sum(found, sum));
}

layout(local_size_x = SIDE, local_size_y = SIDE) in;

void main() {
    const int i = start_row + int(gl_GlobalInvocationID.y), j = int(gl_GlobalInvocationID.x);
    if (i < end_row && j < n_k) finish(own_head(), i, j, careful_score(i, j));
}

#else

float term(float sum, float a, float b, int c) {
#if SCORE == SCORE_gaussian
    return sum + (a - b) * (a - b);
#elif SCORE == SCORE_additive
    return sum + factor_of(c) * tanh_of(a + b);
#else
    return sum + a * b;
#endif
}

#include "common_tile.glsl"

float score_of(float sum) {
#if SCORE == SCORE_gaussian
    return rounded(-0.5 * sum);
#else
    return rounded(sum);
#endif
}

// Is every key of this tile blocked, in every row?
shared uint open_words;

bool is_blocked_tile(int first_row, int first_column) {
    if (gl_LocalInvocationIndex == 0u) open_words = 0u;
    barrier();
    const uint plane = tables[planes_start + own_head()] * uint(n_q);
    const int first_word = first_column / 32;
    const int words = min((first_column + tile + 31) / 32, plane_words) - first_word;
    for (int k = int(gl_LocalInvocationIndex); k < tile * words; k += threads) {
        const int i = first_row + k / words, word = first_word + k % words;
        if (i >= end_row) break;
        if (allowed_bits[(plane + uint(i)) * uint(plane_words) + uint(word) - bits_base] != 0u)
            atomicOr(open_words, 1u);
    }
    barrier();
    return open_words == 0u;
}

void main() {
    const int first_row = start_row + int(gl_WorkGroupID.y) * tile;
    const int first_column = int(gl_WorkGroupID.x) * tile;
    if (skip_blocked && is_blocked_tile(first_row, first_column)) return;
    sum_tile(first_row, first_column);
    for (int r = 0; r < PER; ++r)
        for (int c = 0; c < PER; ++c) {
            const int i = first_row + row_of(r), j = first_column + column_of(c);
            if (i < end_row && j < n_k) finish(own_head(), i, j, score_of(sums[r][c]));
        }
}

#endif
#endif
