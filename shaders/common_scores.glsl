// Scores from queries and keys; but where CAREFUL, tile by tile. After common_logit.glsl.
// Define: SCORE_… (the scoring function).

layout(std430, binding = 0) readonly buffer Queries { float queries[]; };  // [head, n_q, depth]
layout(std430, binding = 1) readonly buffer Keys { float keys[]; };        // [head, depth, n_k]

uniform int depth;         // of the sums: d_k, or hidden
uniform int query_stride;  // from one head to the next
uniform int key_stride;
uniform int factors_start;  // in tables: w_v of the scoring function `additive`

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

#ifndef CAREFUL

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
    const uint plane = tables[planes_start + own_head()] * uint(asked_rows);
    const int first_word = first_column / 32;
    const int words = min((first_column + tile + 31) / 32, plane_words) - first_word;
    for (int k = int(gl_LocalInvocationIndex); k < tile * words; k += threads) {
        const int i = first_row + k / words, word = first_word + k % words;
        if (i >= end_row) break;
        const uint row = plane + uint(i - asked_row);
        if (allowed_bits[row * uint(plane_words) + uint(word) - bits_base] != 0u)
            atomicOr(open_words, 1u);
    }
    barrier();
    return open_words == 0u;
}

#endif
