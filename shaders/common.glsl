// Shared by all compute shaders. Before it come the version and, as defines, the names of the scene
// format (DTYPE_float16, APPLY_replace, …) and the sizes of this program.
//   b sequences, h heads, n_q queries, n_k keys; an axis `head` has b · h entries; i is the index
//   of a query, j that of a key
//
// GLSL promises nothing about infinities and NaN: they are recognized by their bits, and written as
// bits that come from a uniform, so that no compiler can fold them.

#ifdef SHUFFLES
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#ifdef BALLOTS
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_ballot : require
#endif

uniform uint infinity_bits;  // 0x7f800000

const uint sign_bit = 0x80000000u;
const uint largest_finite_bits = 0x7f7fffffu;

uint magnitude_bits(float x) { return floatBitsToUint(x) & ~sign_bit; }
bool is_finite(float x) { return magnitude_bits(x) <= largest_finite_bits; }
bool is_nan(float x) { return magnitude_bits(x) > largest_finite_bits + 1u; }
bool is_infinite(float x) { return magnitude_bits(x) == largest_finite_bits + 1u; }
bool is_zero(float x) { return magnitude_bits(x) == 0u; }
bool is_negative(float x) { return (floatBitsToUint(x) & sign_bit) != 0u; }

float not_a_number() { return uintBitsToFloat(infinity_bits | 0x00400000u); }
float infinity(bool negative) {
    return uintBitsToFloat(negative ? infinity_bits | sign_bit : infinity_bits);
}

// --- arithmetic as IEEE 754 defines it

float plus(float a, float b) {
    if (is_finite(a)) return is_finite(b) ? a + b : b;
    const bool same = floatBitsToUint(a) == floatBitsToUint(b);
    return is_finite(b) || same ? a : not_a_number();
}

float divide(float a, float b) {
    if (is_nan(a) || is_nan(b)) return not_a_number();
    if (is_infinite(b)) return is_infinite(a) ? not_a_number() : 0.0;
    const bool negative = is_negative(a) != is_negative(b);
    if (is_infinite(a)) return infinity(negative);
    if (is_zero(b)) return is_zero(a) ? not_a_number() : infinity(negative);
    return a / b;
}

// Returns x × 1 or x × 0. An infinity or NaN times 0 is NaN.
float kept(float x, bool one) { return one ? x : is_finite(x) ? 0.0 : not_a_number(); }

// --- rounding to DTYPE, the variant's, to nearest, ties to even

#ifdef DTYPE

// Rounds away the last bits of a finite number's significand, to nearest, ties to even.
float without_bits(float x, int count) {
    const uint bits = floatBitsToUint(x);
    const uint half_less_one = (1u << (count - 1)) - 1u;
    const uint odd = (bits >> count) & 1u;
    return uintBitsToFloat((bits + half_less_one + odd) & ~((1u << count) - 1u));
}

float to_float16(float x) {
    const uint magnitude = magnitude_bits(x);
    if (magnitude >= 0x477ff000u) return infinity(is_negative(x));  // 65520 and more
    if (magnitude >= 0x38800000u) return without_bits(x, 13);
    const float unit = 16777216.0;  // below 2^-14 numbers are 2^-24 apart
    return roundEven(x * unit) / unit;
}

float rounded(float x) {
    if (DTYPE == DTYPE_float32 || !is_finite(x)) return x;
    return DTYPE == DTYPE_float16 ? to_float16(x) : without_bits(x, 16);
}

#endif

// --- e^x and tanh, because those of drivers differ, and some are coarse. They are `precise`, so
// that every program that computes a number gets the same bits.

// Computes e^x for x <= 0, to within two units of the last place; 0 for x < -87.3, where e^x is no
// longer a normal float.
float exp_of(float x) {
    if (is_infinite(x) || x < -87.3) return 0.0;
    const float n = roundEven(x * 1.44269504);  // x = n ln 2 + r
    // Subtract n ln 2 in two parts. The first part is so short that its product with n is exact.
    precise float r = x - n * 0.693359375;
    r = r + n * 2.12194440e-4;
    // This is Taylor's series for |r| <= 0.35; the next term, r^8/8!, is below 6e-9.
    precise float sum = 1.0 / 5040.0;
    sum = fma(sum, r, 1.0 / 720.0);
    sum = fma(sum, r, 1.0 / 120.0);
    sum = fma(sum, r, 1.0 / 24.0);
    sum = fma(sum, r, 1.0 / 6.0);
    sum = fma(sum, r, 0.5);
    precise float above_one = fma(r * r, sum, r);
    return uintBitsToFloat(floatBitsToUint(1.0 + above_one) + (uint(int(n)) << 23));
}

// Computes tanh x for finite x.
float tanh_of(float x) {
    const float size = abs(x);
    if (size < 0.5) {  // Lambert's continued fraction, five steps
        const float s = x * x;
        return x / (1.0 + s / (3.0 + s / (5.0 + s / (7.0 + s / 9.0))));
    }
    const float e = exp_of(-2.0 * size);
    const float t = (1.0 - e) / (1.0 + e);
    return x < 0.0 ? -t : t;
}

// --- which part of a stage this dispatch works on

uniform int heads;        // h, of one sequence
uniform int n_q;
uniform int n_k;
uniform int asked_row;    // the first row that is computed at all
uniform int asked_rows;   // how many rows from there on; masks and biases cover only these
uniform int first_head;   // the first of this dispatch, counted through the batch: b · h + head
uniform uint part_start;  // rows, counted through all heads, that come before the part's buffers
uniform int part_rows;    // rows of each head that the part's buffers hold
uniform int start_row;    // rows of this dispatch, within the part's
uniform int end_row;

// Returns the index at which row i of a head begins in buffers of the part.
uint row_start(int head, int i, int columns) {
    return (uint(head) * uint(part_rows) + uint(i) - part_start) * uint(columns);
}

// --- the mask, 32 keys to a word

uniform uint bits_base;  // the word with which `allowed_bits` begins

int row_words() { return (n_k + 31) / 32; }

// Returns the index of the word of key j in row i. sheet: that of the head, see
// core/gpu/data/mask_data.h.
uint mask_word(uint sheet, int i, int j) {
    return sheet + uint(i * row_words() + j / 32) - bits_base;
}

// --- quads: four numbers of a row side by side, the first one in a column that is a multiple of 4.
// WIDE: rows consist of whole quads, which are loaded and stored at once. Otherwise `count` numbers
// of the quad, one at least, are inside the row.

#ifdef WIDE
#define NUMBERS vec4
#define ONE(numbers, place) numbers[(place) / 4u][(place) % 4u]
#define READ(numbers, place, count, outside) numbers[(place) / 4u]
#define WRITE(numbers, place, count, quad) numbers[(place) / 4u] = quad
#else
#define NUMBERS float
#define ONE(numbers, place) numbers[place]
#define READ(numbers, place, count, outside)                               \
    mix(vec4(outside),                                                     \
        vec4(numbers[place], numbers[(place) + uint(min(1, (count) - 1))], \
             numbers[(place) + uint(min(2, (count) - 1))],                 \
             numbers[(place) + uint(min(3, (count) - 1))]),                \
        greaterThan(ivec4(count), ivec4(0, 1, 2, 3)))
#define WRITE(numbers, place, count, quad)                  \
    numbers[place] = (quad).x;                              \
    if ((count) > 1) numbers[(place) + 1u] = (quad).y;      \
    if ((count) > 2) numbers[(place) + 2u] = (quad).z;      \
    if ((count) > 3) numbers[(place) + 3u] = (quad).w
#endif
