// Computes, scales and masks scores in one pass: scores [head, n_q, n_k] -> scaled -> logits.
// Defines: SCORE (the scoring function) or GIVEN (the scores are already in their buffer); CAREFUL
// if an input is not finite, or so large that sums may overflow; KEEP_… for each stage that is
// stored; SKIP_BLOCKED if blocked logits are -inf and nothing reads the stages before them.

#include "common_logit.glsl"

layout(std430, binding = 2) buffer Scores { NUMBERS scores[]; };
layout(std430, binding = 3) writeonly buffer Scaled { NUMBERS scaled[]; };
layout(std430, binding = 4) writeonly buffer Logits { NUMBERS logits[]; };
layout(std430, binding = 7) writeonly buffer Slope { NUMBERS slope[]; };  // softcap's derivative

// Stores the stages of the quad of scores from key j on.
void finish(int head, int i, int j, vec4 score) {
    const uint place = row_start(head, i, n_k) + uint(j);
    find_scale(head, i);
    const uint allowed = allowed_in_quad(head, i, j);
    vec4 scaled_score, logit, own_slope;
    for (int e = 0; e < 4; ++e) {
        scaled_score[e] = rounded(times_scale(score[e]));
        logit[e] = logit_of(head, i, j + e, (allowed >> e & 1u) != 0u, score[e], scaled_score[e],
                            own_slope[e]);
    }
#ifdef KEEP_SCORES
    WRITE(scores, place, n_k - j, score);
#endif
#ifdef KEEP_SCALED
    WRITE(scaled, place, n_k - j, scaled_score);
#endif
#ifdef KEEP_LOGITS
    WRITE(logits, place, n_k - j, logit);
#endif
#ifdef KEEP_SLOPE
    WRITE(slope, place, n_k - j, own_slope);
#endif
}

#ifdef GIVEN

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    const int head = first_head + int(gl_WorkGroupID.z);
    const int i = start_row + int(gl_GlobalInvocationID.y);
    const int j = 4 * int(gl_GlobalInvocationID.x);
    if (i < end_row && j < n_k)
        finish(head, i, j, READ(scores, row_start(head, i, n_k) + uint(j), n_k - j, 0.0));
}

#else

#include "common_scores.glsl"

#ifdef CAREFUL

#include "common_careful.glsl"

uint add_square(float a, float b, inout double sum) {
    if (is_nan(a) || is_nan(b)) return found_nan;
    if (is_infinite(a) && is_infinite(b) && is_negative(a) == is_negative(b)) return found_nan;
    if (!is_finite(a) || !is_finite(b)) return found_above;
    const double gap = double(a) - double(b);
    sum += gap * gap;
    return 0u;
}

uint add_tanh(float a, float b, float factor, inout double sum) {
    const float x = plus(a, b);
    if (is_nan(x)) return found_nan;
    return add_product(factor, is_infinite(x) ? (is_negative(x) ? -1.0 : 1.0) : tanh_of(x), sum);
}

// Returns the score of one cell with infinities, NaN and overflow as IEEE 754 defines them.
float careful_score(int i, int j) {
    uint found = 0u;
    double sum = 0.0LF;
    for (int c = 0; c < depth; ++c) {
        const float a = ONE(queries, a_place(i, c)), b = ONE(keys, b_place(c, j));
#if SCORE == SCORE_gaussian
        found |= add_square(a, b, sum);
#elif SCORE == SCORE_additive
        found |= add_tanh(a, b, factor_of(c), sum);
#else
        found |= add_product(a, b, sum);
#endif
    }
#if SCORE == SCORE_gaussian
    sum = -0.5LF * sum;
    if (found == found_above) found = found_below;
#endif
    return rounded(careful_sum(found, sum));
}

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    const int i = start_row + int(gl_GlobalInvocationID.y);
    const int j = 4 * int(gl_GlobalInvocationID.x);
    if (i >= end_row || j >= n_k) return;
    vec4 score = vec4(0.0);
    for (int e = 0; e < min(4, n_k - j); ++e) score[e] = careful_score(i, j + e);
    finish(own_head(), i, j, score);
}

#elif defined(ROWS)

void main() {
    const int first_row = start_row + int(gl_WorkGroupID.y) * tile_rows;
    const int first_column = int(gl_WorkGroupID.x) * tile_columns;
#ifdef SKIP_BLOCKED
    if (is_blocked_tile(first_row, first_column)) return;
#endif
    sum_tile(first_row, first_column);
    finish_tile(first_row, first_column);
}

#else

void main() {
    const int i = start_row + int(gl_GlobalInvocationID.y);
    const int j = 4 * int(gl_GlobalInvocationID.x);
    if (i < end_row && j < n_k) finish_sums(i, j, sum_quad(i, j));
}

#endif
#endif
