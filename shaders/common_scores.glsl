// Computes scores from queries and keys, unless sums are CAREFUL. Calls finish(head, i, j, score).
// Defines: SCORE, the scoring function.

layout(std430, binding = 0) readonly buffer Queries { NUMBERS queries[]; };  // [head, n_q, depth]
layout(std430, binding = 1) readonly buffer Keys { NUMBERS keys[]; };        // [head, depth, n_k]

uniform int depth;         // the number of terms of a sum: d_k, or hidden
uniform int query_stride;  // from one head to the next
uniform int key_stride;
uniform int factors_start;  // in tables: w_v of the scoring function `additive`

int own_head() { return first_head + int(gl_WorkGroupID.z); }

uint a_place(int i, int c) { return gl_WorkGroupID.z * uint(query_stride) + uint(i * depth + c); }
uint b_place(int c, int j) { return gl_WorkGroupID.z * uint(key_stride) + uint(c * n_k + j); }

float factor_of(int c) {
    return c < depth ? uintBitsToFloat(tables[factors_start + c]) : 0.0;
}

#ifndef CAREFUL

vec4 term(vec4 sum, float a, vec4 b, int c) {
#if SCORE == SCORE_gaussian
    return fma(a - b, a - b, sum);
#elif SCORE == SCORE_additive
    vec4 bent = a + b;
    for (int e = 0; e < 4; ++e) bent[e] = tanh_of(bent[e]);
    return fma(vec4(factor_of(c)), bent, sum);
#else
    return fma(vec4(a), b, sum);
#endif
}

void finish_sums(int i, int j, vec4 sum) {
    if (SCORE == SCORE_gaussian) sum *= -0.5;
    for (int e = 0; e < 4; ++e) sum[e] = rounded(sum[e]);
    finish(own_head(), i, j, sum);
}

#define A queries
#define B keys
#define COLUMNS n_k
#include "common_tile.glsl"

#if defined(SKIP_BLOCKED) && defined(ROWS)

// Not 0 if a row of this tile has an allowed key.
shared uint open_words;

bool is_blocked_tile(int first_row, int first_column) {
    if (gl_LocalInvocationIndex == 0u) open_words = 0u;
    barrier();
    const int first_word = first_column / 32;
    const int words = min((first_column + tile_columns + 31) / 32, row_words()) - first_word;
    for (int k = int(gl_LocalInvocationIndex); k < tile_rows * words; k += threads) {
        const int i = first_row + k / words, j = 32 * (first_word + k % words);
        if (i >= end_row) break;
        if (allowed_bits[mask_word(tables[2 * own_head()], i, j)] != 0u) atomicOr(open_words, 1u);
    }
    barrier();
    return open_words == 0u;
}

#endif
#endif
