// Computes a product of matrices: rows × columns of sums over `depth`. Before this file come
// a_place(row, c) in the numbers A, b_place(c, column) in B, their numbers of rows and columns
// end_row and COLUMNS; term(sums, a, b, c), a quad of sums with one more term; and finish_sums(row,
// column, sums), which is called with each finished quad.
//
// With ROWS, a work group computes a tile of sums, which stay in registers while strips of both
// matrices pass through shared memory. A work group has ACROSS × DOWN threads, each with ROWS rows
// of QUADS quads of sums. Without ROWS, for few rows or columns, each thread computes one quad
// directly from memory.

const int strip = 16;

#ifndef ROWS

layout(local_size_x = 8, local_size_y = 8) in;

vec4 sum_quad(int row, int column) {
    vec4 sum = vec4(0.0);
    for (int first = 0; first < depth; first += strip) {
        vec4 of_strip = vec4(0.0);  // each strip separately, so that rounding does not accumulate
        for (int c = first; c < min(first + strip, depth); ++c)
            of_strip = term(of_strip, ONE(A, a_place(row, c)),
                            READ(B, b_place(c, column), COLUMNS - column, 0.0), c);
        sum += of_strip;
    }
    return sum;
}

#else

layout(local_size_x = ACROSS, local_size_y = DOWN) in;

const int tile_rows = DOWN * ROWS, tile_columns = 4 * ACROSS * QUADS;
const int strip_quads = strip / 4;
const int threads = ACROSS * DOWN;

shared vec4 a_strip[tile_rows][strip_quads + 1];  // + 1: neighbouring rows lie in different banks
shared vec4 b_strip[strip][tile_columns / 4];

// The next strips, which are read while the last ones are multiplied.
const int a_count = tile_rows * strip_quads, b_count = strip * tile_columns / 4;
vec4 next_a[(a_count + threads - 1) / threads], next_b[(b_count + threads - 1) / threads];

vec4 sums[ROWS][QUADS];
#ifdef BY_STRIPS  // long sums: each strip's separately, so that rounding does not accumulate
vec4 of_strip[ROWS][QUADS];
#else
#define of_strip sums
#endif

// Neighbouring threads have neighbouring rows and quads.
int row_of(int r) { return int(gl_LocalInvocationID.y) + DOWN * r; }
int quad_of(int c) { return int(gl_LocalInvocationID.x) + ACROSS * c; }

// Return a quad of A or B; 0 outside the matrix.
vec4 a_quad(int row, int c) {
    if (row >= end_row || c >= depth) return vec4(0.0);
    return READ(A, a_place(row, c), depth - c, 0.0);
}

vec4 b_quad(int c, int column) {
    if (column >= COLUMNS || c >= depth) return vec4(0.0);
    return READ(B, b_place(c, column), COLUMNS - column, 0.0);
}

void read_strips(int first_row, int first_column, int first) {
    int k = int(gl_LocalInvocationIndex);
    for (int n = 0; n < next_a.length(); ++n, k += threads)
        if (k < a_count)
            next_a[n] = a_quad(first_row + k / strip_quads, first + 4 * (k % strip_quads));
    k = int(gl_LocalInvocationIndex);
    for (int n = 0; n < next_b.length(); ++n, k += threads)
        if (k < b_count)
            next_b[n] = b_quad(first + k / (tile_columns / 4),
                               first_column + 4 * (k % (tile_columns / 4)));
}

void store_strips() {
    int k = int(gl_LocalInvocationIndex);
    for (int n = 0; n < next_a.length(); ++n, k += threads)
        if (k < a_count) a_strip[k / strip_quads][k % strip_quads] = next_a[n];
    k = int(gl_LocalInvocationIndex);
    for (int n = 0; n < next_b.length(); ++n, k += threads)
        if (k < b_count) b_strip[k / (tile_columns / 4)][k % (tile_columns / 4)] = next_b[n];
}

void add_strip(int first) {
#ifdef BY_STRIPS
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < QUADS; ++c) of_strip[r][c] = vec4(0.0);
#endif
    for (int k = 0; k < strip_quads; ++k) {
        vec4 a[ROWS];
        for (int r = 0; r < ROWS; ++r) a[r] = a_strip[row_of(r)][k];
        for (int e = 0; e < 4; ++e)
            for (int c = 0; c < QUADS; ++c) {
                const vec4 b = b_strip[4 * k + e][quad_of(c)];
                for (int r = 0; r < ROWS; ++r)
                    of_strip[r][c] = term(of_strip[r][c], a[r][e], b, first + 4 * k + e);
            }
    }
#ifdef BY_STRIPS
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < QUADS; ++c) sums[r][c] += of_strip[r][c];
#endif
}

void sum_tile(int first_row, int first_column) {
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < QUADS; ++c) sums[r][c] = vec4(0.0);
    read_strips(first_row, first_column, 0);
    for (int first = 0; first < depth; first += strip) {
        store_strips();
        barrier();
        if (first + strip < depth) read_strips(first_row, first_column, first + strip);
        add_strip(first);
        barrier();
    }
}

// Finishes the sums of a tile. Each quad in turn is moved to the place of the first, so that
// finish_sums() exists only once and the program stays small.
void finish_tile(int first_row, int first_column) {
    const int rows_end = min(end_row, first_row + tile_rows);
    const int columns_end = min(COLUMNS, first_column + tile_columns);
    for (int row = first_row + row_of(0); row < rows_end; row += DOWN) {
        vec4 left[QUADS] = sums[0];
        for (int column = first_column + 4 * quad_of(0); column < columns_end;
             column += 4 * ACROSS) {
            finish_sums(row, column, left[0]);
            for (int c = 1; c < QUADS; ++c) left[c - 1] = left[c];
        }
        for (int r = 1; r < ROWS; ++r) sums[r - 1] = sums[r];
    }
}

#endif
