// What a row comes to: its cells' kinds, and its figures. Of softmax.comp, fused.comp and rows.comp.

layout(std430, binding = 7) buffer Figures { float figures[]; };  // FIGURES a row

const float lowest = uintBitsToFloat(largest_finite_bits | sign_bit);

// What is known of a row, as bits.
const uint has_nan = 1u, has_above = 2u, has_below = 4u, has_finite = 8u;  // above: +inf
const uint has_allowed = 16u, has_blocked = 32u, has_pad = 64u;
const uint has_lost_gradient = 128u;  // NaN, at a blocked key

uint kind_of(float x) {
    if (is_finite(x)) return has_finite;
    return is_nan(x) ? has_nan : is_negative(x) ? has_below : has_above;
}

uniform int empty_rows;  // EMPTY_…
uniform bool has_sink;

// Do infinities or NaN leave a softmax over these cells without a value?
bool is_undefined(uint found) {
    return (found & (has_nan | has_above)) != 0u || ((found & has_finite) == 0u && !has_sink);
}

// Is the row empty, and are its weights to be 0 then?
bool is_mended(uint found, int apply) {
    return (found & has_allowed) == 0u && apply != APPLY_none && empty_rows != EMPTY_nan;
}

// ln x for 0 < x, within a unit of the last place or two of 1: 2 atanh((m − 1) / (m + 1)) + e ln 2
float log_of(float x) {
    const bool small = magnitude_bits(x) < 0x00800000u;  // subnormal, where there are any
    if (small) x *= 16777216.0;
    const uint bits = floatBitsToUint(x);
    int exponent = int(bits >> 23) - 127;
    float m = uintBitsToFloat((bits & 0x007fffffu) | 0x3f800000u);  // 1 <= m < 2
    if (m > 1.41421356) {
        m *= 0.5;
        exponent += 1;
    }
    const float s = (m - 1.0) / (m + 1.0), t = s * s;
    const float series =
        s * (2.0 + t * (2.0 / 3.0 + t * (2.0 / 5.0 + t * (2.0 / 7.0 + t * (2.0 / 9.0)))));
    return series + float(small ? exponent - 24 : exponent) * 0.69314718;
}

float surprise(float weight) { return weight > 0.0 ? -weight * log_of(weight) : 0.0; }

struct Totals {
    vec4 sums;  // weights, entropy, leak, gradient leak
    float pads, largest;
    uint found;  // has_nan, has_lost_gradient, has_below (a weight is negative)
};

const Totals no_totals = Totals(vec4(0.0), 0.0, lowest, 0u);

void join_totals(inout Totals totals, Totals more) {
    totals.sums += more.sums;
    totals.pads += more.pads;
    totals.found |= more.found;
    if (more.largest > totals.largest) totals.largest = more.largest;
}

void add_cell(inout Totals totals, bool open, bool pad, float weight, float gradient) {
    if (is_nan(weight)) totals.found |= has_nan;
    if (is_nan(gradient) && !open) totals.found |= has_lost_gradient;
    if (!is_finite(weight)) return;
    if (weight < 0.0) totals.found |= has_below;
    totals.sums.xy += vec2(weight, surprise(weight));
    if (!open) totals.sums.z += weight;
    if (!open && is_finite(gradient)) totals.sums.w += gradient;
    if (pad) totals.pads += weight;
    if (weight > totals.largest) totals.largest = weight;
}

// The figures in the order of RowFigures, then flags: 1 empty, 2 a weight is NaN. totals, found: of
// the whole row; has_gradient: false where weights are given.
void write_figures(uint place, Totals totals, uint found, bool has_gradient) {
    const bool nan = (totals.found & has_nan) != 0u;
    const bool nan_leaks = nan && (found & has_blocked) != 0u;
    const bool lost = nan_leaks || !has_gradient || (totals.found & has_lost_gradient) != 0u;
    figures[place] = nan ? not_a_number() : totals.sums.x;
    figures[place + 1u] = nan ? not_a_number() : totals.largest;
    figures[place + 2u] =
        nan || (totals.found & has_below) != 0u ? not_a_number() : totals.sums.y;
    figures[place + 3u] = nan_leaks ? not_a_number() : totals.sums.z;
    figures[place + 4u] = lost ? not_a_number() : totals.sums.w;
    figures[place + 5u] = nan && (found & has_pad) != 0u ? not_a_number() : totals.pads;
    figures[place + 6u] = (found & has_allowed) == 0u ? 1.0 : 0.0;
    figures[place + 7u] = nan ? 1.0 : 0.0;
}
