// What the vertex and the fragment shader of heatmaps share: where cells are, what they show, and
// their colours. `looks` holds the look of a cell by its flags, `fills` the colours by its number.
// Both are made on the CPU, by the same code for window and files. All lengths are pixels, counted
// from the top left of the heatmap. The numbers are finite here: NaN and infinities are recognized
// only by their flags.
// PART selects what is drawn:
// CELLS   cells without leaks, NaN and missing keys, and lines around plain cells: a square for each
//         cell, whose colours are found once
// PIXELS  the same cells if they are small, also where gaps will be: each pixel finds its cell
// MARKS   cells with leaks, NaN and missing keys, or all cells if they are small
// GAPS    the gaps between small cells, over them

uniform usampler2D texels;  // words of app/show/cells/cell_texels.h: one for each cell from `seen`
                            // on, or one for each pixel if that shows several cells
uniform sampler2D fills;    // row 0: the fill of a number, row 1: the hatch over it
uniform sampler2D looks;    // a column for each value of the flags (a byte); rows:
const int look_ground = 0;  // alpha: a bit for each part that is there, LOOK_PLAIN …
const int look_hatch = 1;
const int look_cross = 2;
const int look_frame = 3;
const int look_frame_edge = 4;
const int look_dot = 5;

uniform ivec2 cells;  // columns, rows
uniform ivec2 seen;   // the first cell in `texels`
uniform vec2 first;   // where cell 0 begins
uniform vec2 cell_size;
uniform int gap;  // between cells
uniform vec4 line_colour;
uniform vec2 fill_of_value;  // the place in `fills` is value * x + y, or log2(value) * x + y
uniform bool logarithmic;

int edge(int cell, int axis) {
    return int(floor(first[axis] + float(cell) * cell_size[axis] + 0.5));
}

int cell_at(int pixel, int axis) {
    int cell = int(floor((float(pixel) + 0.5 - first[axis]) / cell_size[axis]));
    if (edge(cell, axis) > pixel) --cell;
    if (edge(cell + 1, axis) <= pixel) ++cell;
    return clamp(cell, 0, cells[axis] - 1);
}

// --- what a cell shows

struct Shown {
    float value;  // finite; 0 for NaN
    uint signs;
};

// A word, decoded: see app/show/cells/cell_texels.h.
Shown shown_of(uint word) {
    bool positive = (word & WORD_NOT_NEGATIVE) != 0u;
    uint field = (word & ~WORD_MISSING) >> WORD_SHIFT;
    uint signs = ((word & WORD_ALLOWED) != 0u ? 0u : SIGN_BLOCKED) |
                 ((word & WORD_LEAKS) != 0u ? SIGN_LEAKS : 0u) |
                 ((word & WORD_MISSING) != 0u ? SIGN_MISSING : 0u);
    if ((word & WORD_NAN) != 0u) return Shown(0.0, signs | SIGN_NAN);
    if (field == 0u) return Shown(0.0, signs | (positive ? SIGN_ZERO : SIGN_MINUS_INFINITY));
    uint magnitude = field - 1u;
    if (magnitude == 0u) return Shown(0.0, signs | SIGN_ZERO);
    if (magnitude == WORD_INFINITY)
        return Shown(0.0, signs | (positive ? SIGN_PLUS_INFINITY : SIGN_MINUS_INFINITY));
    float value = uintBitsToFloat(magnitude << WORD_SHIFT);
    return Shown(positive ? value : -value, signs);
}

Shown cell_shown(ivec2 cell) {
    ivec2 last = textureSize(texels, 0) - 1;
    return shown_of(texelFetch(texels, clamp(cell - seen, ivec2(0), last), 0).r);
}

// --- what it looks like

vec3 look(uint signs_here, int row) {
    return texelFetch(looks, ivec2(int(signs_here), row), 0).rgb;
}

int parts_of(uint signs_here) {
    return int(texelFetch(looks, ivec2(int(signs_here), look_ground), 0).a * 255.0 + 0.5);
}

vec3 fill(float value, int row) {
    if (logarithmic) value = log2(max(value, 1e-37));
    float at = clamp(value * fill_of_value.x + fill_of_value.y, 0.0, 1.0);
    return texelFetch(fills, ivec2(int(at * float(FILLS - 1) + 0.5), row), 0).rgb;
}
