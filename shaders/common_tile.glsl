// One tile of a product of matrices, rows × columns of sums over `depth`, kept in registers while
// strips of both matrices pass through shared memory. A work group has SIDE × SIDE threads, each
// with PER × PER sums. Before this file come a_at(row, c), b_at(c, column), both 0 outside, and
// term(sum, a, b, c): the sum with one more term.

layout(local_size_x = SIDE, local_size_y = SIDE) in;

const int tile = SIDE * PER;
const int strip = 16;
const int threads = SIDE * SIDE;

shared float a_strip[strip][tile + 4];  // + 4: so that neighbours write to different banks
shared float b_strip[strip][tile];

float sums[PER][PER];
#ifdef BY_STRIPS  // long sums: each strip's separately, so that rounding does not accumulate
float of_strip[PER][PER];
#else
#define of_strip sums
#endif

// Rows of a thread lie side by side (they are read together), columns SIDE apart (they are written
// together with those of other threads).
int row_of(int r) { return int(gl_LocalInvocationID.y) * PER + r; }
int column_of(int c) { return int(gl_LocalInvocationID.x) + SIDE * c; }

void load_strips(int first_row, int first_column, int first) {
    const int own = int(gl_LocalInvocationIndex);
    for (int k = own; k < strip * tile; k += threads)
        a_strip[k % strip][k / strip] = a_at(first_row + k / strip, first + k % strip);
    for (int k = own; k < strip * tile; k += threads)
        b_strip[k / tile][k % tile] = b_at(first + k / tile, first_column + k % tile);
}

void add_strip(int first) {
#ifdef BY_STRIPS
    for (int r = 0; r < PER; ++r)
        for (int c = 0; c < PER; ++c) of_strip[r][c] = 0.0;
#endif
    for (int k = 0; k < strip; ++k) {
        float a[PER], b[PER];
        for (int r = 0; r < PER; ++r) a[r] = a_strip[k][row_of(r)];
        for (int c = 0; c < PER; ++c) b[c] = b_strip[k][column_of(c)];
        for (int r = 0; r < PER; ++r)
            for (int c = 0; c < PER; ++c)
                of_strip[r][c] = term(of_strip[r][c], a[r], b[c], first + k);
    }
#ifdef BY_STRIPS
    for (int r = 0; r < PER; ++r)
        for (int c = 0; c < PER; ++c) sums[r][c] += of_strip[r][c];
#endif
}

void sum_tile(int first_row, int first_column) {
    for (int r = 0; r < PER; ++r)
        for (int c = 0; c < PER; ++c) sums[r][c] = 0.0;
    for (int first = 0; first < depth; first += strip) {
        load_strips(first_row, first_column, first);
        barrier();
        add_strip(first);
        barrier();
    }
}
