// Cells as the window draws them, read directly from the buffers they were computed in. WHAT
// selects the output:
// TEXELS  a word for each place of a picture (words: app/show/cells/cell_texels.h)
// LOOKS   for each row: flags, magnitude, largest and smallest (RowSummary, app/show/cells/cells.h)
// SAME    whether two heads differ in a bit
// Numbers are recognized by their bits alone. A head may lie in several buffers, with one dispatch
// for each; the results are combined.

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) readonly buffer Mask { uint mask[]; };  // 32 keys to a word
layout(std430, binding = 2) readonly buffer Pads { uint pads[]; };  // 1 = pad token
layout(std430, binding = 3) readonly buffer Rows { ivec2 row_spans[]; };
layout(std430, binding = 4) readonly buffer Columns { ivec2 column_spans[]; };
layout(std430, binding = 5) buffer Made { uint made[]; };
layout(std430, binding = 6) readonly buffer Others { uint others[]; };

uniform uint first_number;  // the first number of the rows in `numbers`
uniform uint first_other;
uniform uint first_word;  // the first word of their mask
uniform int mask_words;   // words of one row; 0 = there is no mask
uniform int columns;
uniform int rows_begin;   // the rows of the head that are here
uniform int rows_end;
uniform bool is_mask;     // the cells are those of the mask itself
uniform bool has_pads;
uniform bool shows_blocked;
uniform bool shows_leaks;

struct OneCell {
    uint bits;
    bool is_allowed, leaks;
};

OneCell cell_at(int i, int j) {
    OneCell cell;
    int row = i - rows_begin;
    cell.is_allowed =
        mask_words == 0 ||
        (mask[first_word + uint(row * mask_words + j / 32)] >> uint(j % 32) & 1u) != 0u;
    cell.bits = is_mask ? (cell.is_allowed ? 0x3f800000u : 0u)
                        : numbers[first_number + uint(row) * uint(columns) + uint(j)];
    bool barred = !cell.is_allowed || (has_pads && pads[j] != 0u);
    cell.leaks =
        shows_leaks && barred && cell.bits >= uint(LEAST_LEAK) && cell.bits <= 0x7f800000u;
    return cell;
}

#if WHAT == TEXELS

uniform int places_across;
uniform int places_down;

uint word_of(OneCell cell) {
    uint size = cell.bits & 0x7fffffffu;
    bool nan = size > 0x7f800000u, negative = !nan && size != 0u && cell.bits != size;
    bool blocked = shows_blocked && !cell.is_allowed;
    bool shows_none = blocked && (size == 0u || (size == 0x7f800000u && negative));
    uint magnitude = nan ? 0u : max(size >> WORD_SHIFT, min(size, 1u));
    uint field = shows_none ? 0u : magnitude + 1u;
    return field << WORD_SHIFT | (negative ? 0u : WORD_NOT_NEGATIVE) |
           (blocked ? 0u : WORD_ALLOWED) | (nan ? WORD_NAN : 0u) | (cell.leaks ? WORD_LEAKS : 0u);
}

uint merged(uint a, uint b) {
    return max(a & ~WORD_OF_ANY, b & ~WORD_OF_ANY) | ((a | b) & WORD_OF_ANY);
}

void main() {
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    if (place.x >= places_across || place.y >= places_down) return;
    ivec2 across = column_spans[place.x], down = row_spans[place.y];
    down = ivec2(max(down.x, rows_begin), min(down.y, rows_end));
    if (down.x >= down.y) return;
    uint at = uint(place.y) * uint(places_across) + uint(place.x);
    uint word = made[at];
    for (int i = down.x; i < down.y; ++i)
        for (int j = across.x; j < across.y; ++j) word = merged(word, word_of(cell_at(i, j)));
    made[at] = word;
}

#elif WHAT == LOOKS

uniform int first_row;  // the first row of this dispatch
shared uint signs, magnitude, largest, smallest;

void main() {
    int i = first_row + int(gl_WorkGroupID.x);
    if (gl_LocalInvocationIndex == 0u) {
        signs = magnitude = largest = 0u;
        smallest = 0x7f800000u;
    }
    barrier();
    uint own_signs = 0u, own_magnitude = 0u, own_largest = 0u, own_smallest = 0x7f800000u;
    for (int j = int(gl_LocalInvocationIndex); j < columns; j += 64) {
        OneCell cell = cell_at(i, j);
        uint size = cell.bits & 0x7fffffffu;
        bool negative = cell.bits != size, finite = size < 0x7f800000u;
        if (size > 0x7f800000u) own_signs |= SIGN_NAN;
        if (size == 0x7f800000u) own_signs |= negative ? SIGN_MINUS_INFINITY : SIGN_PLUS_INFINITY;
        if (size == 0u) own_signs |= SIGN_ZERO;
        if (shows_blocked && !cell.is_allowed) own_signs |= SIGN_BLOCKED;
        if (cell.leaks) own_signs |= SIGN_LEAKS;
        if (!finite) continue;
        own_magnitude = max(own_magnitude, size);
        if (!cell.is_allowed) continue;
        own_largest = max(own_largest, size);
        if (!negative && size > 0u) own_smallest = min(own_smallest, size);
    }
    atomicOr(signs, own_signs);
    atomicMax(magnitude, own_magnitude);
    atomicMax(largest, own_largest);
    atomicMin(smallest, own_smallest);
    barrier();
    if (gl_LocalInvocationIndex != 0u) return;
    uint at = 4u * uint(i);
    made[at] = signs;
    made[at + 1u] = magnitude;
    made[at + 2u] = largest;
    made[at + 3u] = smallest;
}

#else

uniform int first_row;

void main() {
    int row = first_row + int(gl_WorkGroupID.x) - rows_begin;
    uint start = uint(row) * uint(columns);
    bool differs = false;
    for (uint j = gl_LocalInvocationIndex; j < uint(columns); j += 64u)
        if (numbers[first_number + start + j] != others[first_other + start + j]) differs = true;
    if (differs) made[0] = 1u;
}

#endif
