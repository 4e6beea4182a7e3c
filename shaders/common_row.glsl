// The results of a row for softmax.comp: the kinds of its cells, and its statistics.

layout(std430, binding = 7) buffer Figures { vec4 figures[]; };  // three a row

const float lowest = -3.40282347e38;  // the least float that is finite

// Facts about a row, as bits.
const uint has_nan = 1u, has_above = 2u, has_below = 4u, has_finite = 8u;  // above: +inf
const uint has_allowed = 16u, has_blocked = 32u, has_pad = 64u;
const uint has_lost_gradient = 128u;  // NaN, at a blocked key

uint kind_of(float x) {
    if (is_finite(x)) return has_finite;
    return is_nan(x) ? has_nan : is_negative(x) ? has_below : has_above;
}

// Computes ln x for x > 0 as 2 atanh((m − 1) / (m + 1)) + e ln 2. The error is at most one unit in
// the last place of the result, or two units in the last place of 1.
float log_of(float x) {
    const bool small = magnitude_bits(x) < 0x00800000u;  // subnormal numbers, if there are any
    if (small) x *= 16777216.0;
    const uint bits = floatBitsToUint(x);
    int exponent = int(bits >> 23) - 127;
    precise float m = uintBitsToFloat((bits & 0x007fffffu) | 0x3f800000u);  // 1 <= m < 2
    if (m > 1.41421356) {
        m *= 0.5;
        exponent += 1;
    }
    precise float s = (m - 1.0) / (m + 1.0), t = s * s;
    precise float series = fma(2.0 / 9.0, t, 2.0 / 7.0);
    series = fma(series, t, 2.0 / 5.0);
    series = fma(series, t, 2.0 / 3.0);
    series = fma(series, t, 2.0);
    precise float log = fma(s, series, float(small ? exponent - 24 : exponent) * 0.69314718);
    return log;
}

float surprise(float weight) {
    precise float own = weight > 0.0 ? -weight * log_of(weight) : 0.0;
    return own;
}

struct Extremes {
    float largest;
    uint found;
};

struct Totals {
    vec4 sums;  // weights, entropy, leak, gradient leak
    float pads;
    Extremes extremes;  // has_nan, has_lost_gradient, has_below (a weight is negative)
};

const Extremes no_extremes = Extremes(lowest, 0u);
const Totals no_totals = Totals(vec4(0.0), 0.0, no_extremes);

// Adds two sums, each with the part that rounding removed from it: the sensitivity of a weight near
// 1 depends on its distance from 1.
void join(inout vec2 sum, vec2 more) {
    precise float all = sum.x + more.x;
    precise float part = all - sum.x;
    precise float lost = (sum.x - (all - part)) + (more.x - part);
    sum = vec2(all, sum.y + more.y + lost);
}

void join(inout Extremes extremes, Extremes more) {
    extremes.found |= more.found;
    extremes.largest = max(extremes.largest, more.largest);  // both are finite
}

void join(inout Totals totals, Totals more) {
    totals.sums += more.sums;
    totals.pads += more.pads;
    join(totals.extremes, more.extremes);
}

void add_cell(inout Totals totals, bool open, bool pad, float weight, float gradient) {
    if (is_nan(weight)) totals.extremes.found |= has_nan;
    if (is_nan(gradient) && !open) totals.extremes.found |= has_lost_gradient;
    if (!is_finite(weight)) return;
    if (weight < 0.0) totals.extremes.found |= has_below;
    totals.sums.xy += vec2(weight, surprise(weight));
    if (!open) totals.sums.z += weight;
    if (!open && is_finite(gradient)) totals.sums.w += gradient;
    if (pad) totals.pads += weight;
    totals.extremes.largest = max(totals.extremes.largest, weight);
}

// Stores the statistics in the order of RowFigures, empty and nan as 1 or 0. totals, found: those
// of the whole row. has_gradient: false if weights are given.
void write_figures(uint place, Totals totals, uint found, bool has_gradient, float lse) {
    const uint of_weights = totals.extremes.found;
    const bool nan = (of_weights & has_nan) != 0u;
    const bool nan_leaks = nan && (found & has_blocked) != 0u;
    const bool lost = nan_leaks || !has_gradient || (of_weights & has_lost_gradient) != 0u;
    const float none = not_a_number();
    figures[place] = vec4(nan ? none : totals.sums.x, nan ? none : totals.extremes.largest,
                          nan || (of_weights & has_below) != 0u ? none : totals.sums.y,
                          nan_leaks ? none : totals.sums.z);
    figures[place + 1u] =
        vec4(lost ? none : totals.sums.w, nan && (found & has_pad) != 0u ? none : totals.pads,
             (found & has_allowed) == 0u ? 1.0 : 0.0, nan ? 1.0 : 0.0);
    figures[place + 2u] = vec4(lse, 0.0, 0.0, 0.0);
}
