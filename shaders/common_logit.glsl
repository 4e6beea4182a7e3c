// Computes the softmax input from a score: scale, bias, mask and softcap. Used by scores.comp.
// Defines: APPLY, ORDER, TIMES; BIASED; CAP, the order of the softcap, or -1; ROW_SCALE if each row
// has a scale of its own; OPENS_EMPTY if the mask allows every key in rows without one.

layout(std430, binding = 5) readonly buffer AllowedBits { uint allowed_bits[]; };
layout(std430, binding = 6) readonly buffer Tables { uint tables[]; };  // core/gpu/data/mask_data.h

// The scale is high + low, which has more digits than one float.
#ifdef ROW_SCALE
uniform int row_scales_start;  // in tables: [head, asked_rows, 2]
float scale_high, scale_low;   // scale of the row that find_scale() was called for

void find_scale(int head, int i) {
    const int at = row_scales_start + 2 * (head * asked_rows + i - asked_row);
    scale_high = uintBitsToFloat(tables[at]);
    scale_low = uintBitsToFloat(tables[at + 1]);
}
#else
uniform float scale_high;
uniform float scale_low;

void find_scale(int head, int i) {}
#endif
uniform uint value_bits;  // bits of the mask value, rounded
uniform float cap;

// The first index of each of these in tables:
uniform int slopes_start;     // alibi's m of each head of a sequence, 0 if it does not hold
uniform int starts_start;     // the position of each sequence's first query
uniform int groups_start;     // the group of bias cells of each head
uniform int bias_rows_start;  // [groups, asked_rows + 1]: the first cell of each row
uniform int bias_columns_start;
uniform int bias_values_start;

// Returns a bit for each key of the quad from key j on, 1 if the key is allowed.
uint allowed_in_quad(int head, int i, int j) {
#ifdef OPENS_EMPTY
    uint any = 0u;
    for (int k = 0; k < n_k; k += 32) any |= allowed_bits[mask_word(tables[2 * head], i, k)];
    if (any == 0u) return 15u;
#endif
    return allowed_bits[mask_word(tables[2 * head], i, j)] >> (j % 32) & 15u;
}

// --- scale and bias

float times_scale(float x) {
    precise float high = x * scale_high;
    // `precise` gives the same bits wherever this is inlined, because a logit that no mask changes
    // equals the scaled score.
    precise float scaled_x = high + x * scale_low;
#if defined(CAREFUL) || defined(GIVEN) || DTYPE == DTYPE_float16  // others have finite scores
    if (is_nan(x) || (is_infinite(x) && is_zero(scale_high))) return not_a_number();
    if (is_infinite(x)) return infinity(is_negative(x) != is_negative(scale_high));
#endif
    return is_infinite(high) ? high : scaled_x;  // x * scale_low may be the other infinity
}

float bias_cell(int group, int i, int j) {
    const int row = bias_rows_start + group * (asked_rows + 1) + i - asked_row;
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

// Adds the bias. If there is none, nothing is added, so that -0 stays as it is.
float with_bias(float x, int head, int i, int j) {
#ifdef BIASED
    const int own = head % heads;
    const float slope_of_head = uintBitsToFloat(tables[slopes_start + own]);
    const float start = uintBitsToFloat(tables[starts_start + head / heads]);
    const float of_cell = bias_cell(int(tables[groups_start + head]), i, j);
    return plus(x, plus(of_cell, -slope_of_head * abs(start + float(i - j))));
#else
    return x;
#endif
}

// --- the mask before the softmax

float added(float x) {
    const float value = uintBitsToFloat(value_bits);
    const float once = plus(x, value);
    return TIMES == 2 ? rounded(plus(rounded(once), value)) : once;
}

float masked(float x, bool allowed) {
    if (allowed) return x;
    if (APPLY == APPLY_replace) return uintBitsToFloat(value_bits);
    if (APPLY == APPLY_additive) return added(x);
    return APPLY == APPLY_multiply_scores ? kept(x, false) : x;
}

// --- the softcap, c tanh(x / c)

// Computes tanh(x / c).
float bent(float x) {
    if (is_nan(x)) return x;
    const float t = is_infinite(x) ? x : x / cap;
    return is_infinite(t) ? (is_negative(t) ? -1.0 : 1.0) : tanh_of(t);
}

float capped(float x, out float slope) {
    const float t = bent(x);
    slope = is_infinite(x) ? 0.0 : is_nan(t) ? t : (1.0 - t) * (1.0 + t);
    return cap * t;
}

// Returns the softmax input of a cell. slope: the derivative of the softcap, if there is one.
float logit_of(int head, int i, int j, bool allowed, float score, float scaled_score,
               out float slope) {
    slope = 0.0;
    if (ORDER == ORDER_mask_then_scale)
        return rounded(with_bias(times_scale(masked(score, allowed)), head, i, j));
    float x = scaled_score;
    if (CAP == CAP_before_mask) x = capped(x, slope);
    x = masked(with_bias(x, head, i, j), allowed);
    if (CAP == CAP_after_mask) x = capped(x, slope);
    return rounded(x);
}
