// A product of matrices, head by head: a [n_q, depth] · b [depth, columns]. Multiplies weights by
// values, and the result by the matrix of the outputs `projected` and `alternative`.
// Defines: CAREFUL if a number may be infinite, or so large that sums may overflow; ADD_TO if the
// product is added to the numbers already in the buffer.

layout(std430, binding = 0) readonly buffer A { NUMBERS a[]; };
layout(std430, binding = 1) readonly buffer B { NUMBERS b[]; };
layout(std430, binding = 2) buffer Products { NUMBERS products[]; };
layout(std430, binding = 3) readonly buffer Figures { vec4 figures[]; };  // FIGURES / 4 a row

uniform int depth;
uniform int columns;
uniform uint a_start;       // the row of `a` where row 0 of this dispatch's first head would be
uniform uint result_start;  // the same for `products`
uniform int b_start;        // where b's matrix for that head begins
uniform int b_stride;  // from one head to the next, 0 if they share it
uniform float factor;
uniform bool round_result;

uint own_row(int i) { return gl_WorkGroupID.z * uint(part_rows) + uint(i); }

uint a_place(int i, int c) { return (a_start + own_row(i)) * uint(depth) + uint(c); }

uint b_place(int c, int column) {
    return uint(b_start + int(gl_WorkGroupID.z) * b_stride + c * columns + column);
}

// True if a weight of the row is NaN; everything computed from it is then NaN.
bool is_nan_row(int i) {
    return figures[uint(FIGURES / 4) * (a_start + own_row(i)) + 1u].w != 0.0;
}

// Stores the quad of products from this column on.
void finish(int i, int column, vec4 product) {
    const uint place = (result_start + own_row(i)) * uint(columns) + uint(column);
    if (is_nan_row(i)) product = vec4(not_a_number());
#ifdef ADD_TO
    const vec4 before = READ(products, place, columns - column, 0.0);
    for (int e = 0; e < 4; ++e) product[e] = plus(before[e], product[e]);
#endif
    if (round_result)
        for (int e = 0; e < 4; ++e) product[e] = rounded(product[e]);
    WRITE(products, place, columns - column, product);
}

#ifdef CAREFUL

#include "common_careful.glsl"

float careful_product(int i, int column) {
    uint found = 0u;
    double sum = 0.0LF;
    for (int c = 0; c < depth; ++c)
        found |= add_product(ONE(a, a_place(i, c)), ONE(b, b_place(c, column)), sum);
    return careful_sum(found, sum * double(factor));
}

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    const int i = start_row + int(gl_GlobalInvocationID.y);
    const int column = 4 * int(gl_GlobalInvocationID.x);
    if (i >= end_row || column >= columns) return;
    vec4 product = vec4(0.0);
    for (int e = 0; e < min(4, columns - column); ++e)
        product[e] = careful_product(i, column + e);
    finish(i, column, product);
}

#else

vec4 term(vec4 sum, float x, vec4 y, int c) { return fma(vec4(x), y, sum); }

void finish_sums(int i, int column, vec4 sum) { finish(i, column, factor * sum); }

#define BY_STRIPS
#define A a
#define B b
#define COLUMNS columns
#include "common_tile.glsl"

#ifdef ROWS

void main() {
    const int first_row = start_row + int(gl_WorkGroupID.y) * tile_rows;
    const int first_column = int(gl_WorkGroupID.x) * tile_columns;
    sum_tile(first_row, first_column);
    finish_tile(first_row, first_column);
}

#else

void main() {
    const int i = start_row + int(gl_GlobalInvocationID.y);
    const int column = 4 * int(gl_GlobalInvocationID.x);
    if (i < end_row && column < columns) finish_sums(i, column, sum_quad(i, column));
}

#endif
#endif
