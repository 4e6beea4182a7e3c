// A product of matrices, head by head: a [n_q, depth] · b [depth, columns]. Weights times values;
// and what comes of it times the matrix of the outputs `projected` and `alternative`.
// Define: CAREFUL where a number may be infinite, or so large that sums may overflow.

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) buffer Products { float products[]; };
layout(std430, binding = 3) readonly buffer Figures { float figures[]; };  // FIGURES a row

uniform int depth;
uniform int columns;
uniform int start_head;   // of this dispatch
uniform int b_start;      // of b's matrix for that head
uniform int b_stride;     // from one head to the next, 0 where they share it
uniform int result_head;  // that head's place in the buffer of products
uniform float factor;
uniform bool add_to;       // add to what is already there
uniform bool round_result;

int own_head() { return start_head + int(gl_WorkGroupID.z); }

float a_at(int i, int c) {
    if (i >= end_row || c >= depth) return 0.0;
    return a[row_start(own_head(), i, depth) + uint(c)];
}

float b_at(int c, int column) {
    if (column >= columns || c >= depth) return 0.0;
    return b[b_start + int(gl_WorkGroupID.z) * b_stride + c * columns + column];
}

// Is a weight of the row NaN? Then so is all that comes of it.
bool is_nan_row(int i) { return figures[row_start(own_head(), i, FIGURES) + 7u] != 0.0; }

uint place_of(int i, int column) {
    const int row = (result_head + int(gl_WorkGroupID.z)) * part_rows + i - part_row;
    return uint(row) * uint(columns) + uint(column);
}

void finish(int i, int column, float product) {
    const uint place = place_of(i, column);
    if (is_nan_row(i)) product = not_a_number();
    if (add_to) product = plus(products[place], product);
    products[place] = round_result ? rounded(product) : product;
}

#ifdef CAREFUL

#include "common_careful.glsl"

float careful_product(int i, int column) {
    uint found = 0u;
    double sum = 0.0LF;
    for (int c = 0; c < depth; ++c) found |= add_product(a_at(i, c), b_at(c, column), sum);
    return careful_sum(found, sum * double(factor));
}

layout(local_size_x = SIDE, local_size_y = SIDE) in;

void main() {
    const int i = start_row + int(gl_GlobalInvocationID.y);
    const int column = int(gl_GlobalInvocationID.x);
    if (i < end_row && column < columns) finish(i, column, careful_product(i, column));
}

#else

float term(float sum, float x, float y, int c) { return sum + x * y; }

#define BY_STRIPS
#include "common_tile.glsl"

void main() {
    const int first_row = start_row + int(gl_WorkGroupID.y) * tile;
    const int first_column = int(gl_WorkGroupID.x) * tile;
    sum_tile(first_row, first_column);
    for (int r = 0; r < PER; ++r)
        for (int c = 0; c < PER; ++c) {
            const int i = first_row + row_of(r), column = first_column + column_of(c);
            if (i < end_row && column < columns) finish(i, column, sums[r][c] * factor);
        }
}

#endif
