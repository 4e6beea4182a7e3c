// From a score to its logit: scale, bias and mask; all but a softcap. Of scores.comp and fused.comp.

layout(std430, binding = 5) readonly buffer AllowedBits { uint allowed_bits[]; };
layout(std430, binding = 6) readonly buffer Tables { uint tables[]; };  // core/gpu/data/tables.h

uniform bool skip_blocked;  // blocked logits are -inf, and nothing reads what comes before them

uniform float scale_high;  // scale = high + low: more digits than one float has
uniform float scale_low;

uniform int apply;  // APPLY_…
uniform int order;  // ORDER_…
uniform int times;
uniform uint value_bits;  // of the blocking value, rounded

uniform int planes_start;  // in tables: the plane of the mask of each head
uniform int slopes_start;  // alibi: m of each head of a sequence, 0 where it does not hold
uniform int starts_start;  // the position of each sequence's first query
uniform int groups_start;  // the group of bias cells of each head
uniform int bias_rows_start;  // [groups, asked_rows + 1]: the first cell of each row
uniform int bias_columns_start;
uniform int bias_values_start;
uniform bool biased;

bool is_allowed(int head, int i, int j) {
    const uint row = tables[planes_start + head] * uint(asked_rows) + uint(i - asked_row);
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
    precise float high = x * scale_high;
    if (is_infinite(high)) return high;  // the rest may be the other infinity
    // The same bits wherever it is inlined: a logit may be the scaled score itself.
    precise float scaled_x = high + x * scale_low;
    return scaled_x;
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

float bias_of(int head, int i, int j) {
    const int own = head % heads;
    const float slope_of_head = uintBitsToFloat(tables[slopes_start + own]);
    const float start = uintBitsToFloat(tables[starts_start + head / heads]);
    return plus(bias_cell(int(tables[groups_start + head]), i, j),
                -slope_of_head * abs(start + float(i - j)));
}

// Where there is no bias nothing is added: -0 stays as it is.
float with_bias(float x, int head, int i, int j) {
    return biased ? plus(x, bias_of(head, i, j)) : x;
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

// Where there is no softcap.
float plain_logit(int head, int i, int j, float score, float scaled_score) {
    const bool allowed = is_allowed(head, i, j);
    if (order == ORDER_mask_then_scale)
        return rounded(with_bias(times_scale(masked(score, allowed)), head, i, j));
    return rounded(masked(with_bias(scaled_score, head, i, j), allowed));
}
