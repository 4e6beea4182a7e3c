// Scores, scaled and masked, in one pass: scores [head, n_q, n_k] -> scaled -> logits.
// Defines: SCORE_… (the scoring function) or GIVEN (the scores are already in their buffer);
// CAREFUL where an input is not finite, or so large that sums may overflow.

#include "common_logit.glsl"

layout(std430, binding = 2) buffer Scores { float scores[]; };
layout(std430, binding = 3) writeonly buffer Scaled { float scaled[]; };
layout(std430, binding = 4) writeonly buffer Logits { float logits[]; };
layout(std430, binding = 7) writeonly buffer Slope { float slope[]; };  // of the softcap

uniform bool keep_scores;
uniform bool keep_scaled;
uniform bool keep_logits;
uniform bool keep_slope;

uniform bool softcap;
uniform int cap_order;  // CAP_…
uniform float cap;

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
    if (!softcap || order == ORDER_mask_then_scale)
        return plain_logit(head, i, j, score, scaled_score);
    const bool allowed = is_allowed(head, i, j);
    const uint place = row_start(head, i, n_k) + uint(j);
    if (cap_order == CAP_before_mask)
        return rounded(masked(with_bias(capped(scaled_score, place), head, i, j), allowed));
    return rounded(capped(masked(with_bias(scaled_score, head, i, j), allowed), place));
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

#include "common_scores.glsl"

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
