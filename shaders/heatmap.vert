// One triangle that covers the picture; or a square for each cell; or, for gaps, strips: the margin
// at the left and one before each column, then the margin at the top and one before each row. See
// heatmap_cells.glsl.

uniform vec2 size;  // of the picture, in pixels

vec4 position_of(vec2 place) { return vec4(2.0 * place / size - 1.0, 0.0, 1.0); }

#if PART == GAPS

uniform ivec2 strips;  // the number of strips of columns and of rows

void main() {
    int axis = gl_InstanceID < strips.x ? 0 : 1;
    int strip = gl_InstanceID - axis * strips.x;
    float cell = float(seen[axis] + strip - 1);
    float at = strip == 0 ? 0.0 : floor(first[axis] + cell * cell_size[axis] + 0.5);
    // One pixel more on either side, in case of rounding: pixels of cells are discarded.
    float along = float(gl_VertexID & 1), across = float(gl_VertexID >> 1);
    vec2 place = vec2(along) * size;
    place[axis] = at - 1.0 + across * (float(gap) + 2.0);
    gl_Position = position_of(place);
}

#else

uniform ivec3 squares;  // the first cell that has a square, and how many a row has; 0: one triangle
uniform bool below;     // squares are the lines around plain cells, over which cells are drawn

#if PART == CELLS

flat out vec3 ground;
flat out vec4 lines;

bool has_square(int parts) { return !below || (parts & LOOK_PLAIN) != 0; }

void colour_cell(Shown shown, int parts) {
    bool plain = (parts & LOOK_PLAIN) != 0;
    ground = plain ? look(shown.signs, look_ground) : fill(shown.value, 0);
    lines = vec4(0.0);
    if ((parts & LOOK_HATCH) != 0)
        lines = vec4(plain ? look(shown.signs, look_hatch) : fill(shown.value, 1), 1.0);
    if (below) {
        ground = line_colour.rgb;
        lines = vec4(0.0);
    }
}

#else

bool has_square(int parts) { return (parts & (LOOK_CROSS | LOOK_FRAME | LOOK_DOT)) != 0; }
void colour_cell(Shown shown, int parts) {}

#endif

void main() {
    vec2 corner = vec2(float((gl_VertexID & 1) << 2), float((gl_VertexID & 2) << 1));
    gl_Position = vec4(corner - 1.0, 0.0, 1.0);
    if (squares.z == 0) return;
    int square = gl_VertexID / 6, vertex = gl_VertexID % 6;
    ivec2 cell = squares.xy + ivec2(square % squares.z, square / squares.z);
    Shown shown = cell_shown(cell);
    int parts = parts_of(shown.signs);
    colour_cell(shown, parts);
    gl_Position = vec4(2.0, 2.0, 0.0, 1.0);  // no square
    bool is_seen = edge(cell.x + 1, 0) > 0 && edge(cell.y + 1, 1) > 0;
    if (!is_seen || !has_square(parts)) return;
    ivec2 at = ivec2(vertex == 1 || vertex == 2 || vertex == 4, vertex == 2 || vertex > 3);
    ivec2 place;
    for (int axis = 0; axis < 2; ++axis) {
        int low = edge(cell[axis], axis), high = edge(cell[axis] + 1, axis);
        place[axis] = below ? (at[axis] == 0 ? low - gap : high)
                            : (at[axis] == 0 ? max(low, 0) : high - gap);
    }
    gl_Position = position_of(vec2(place + gap));
}

#endif
