// One triangle that covers the picture; or, for gaps, strips: the margin at the left and one before
// each column, then the margin at the top and one before each row.

#if PART == GAPS

uniform ivec2 seen;    // the first cell in `texels`
uniform ivec2 strips;  // the number of strips of columns and of rows
uniform vec2 first;
uniform vec2 cell_size;
uniform int gap;
uniform vec2 size;  // of the picture, in pixels

void main() {
    int axis = gl_InstanceID < strips.x ? 0 : 1;
    int strip = gl_InstanceID - axis * strips.x;
    float cell = float(seen[axis] + strip - 1);
    float at = strip == 0 ? 0.0 : floor(first[axis] + cell * cell_size[axis] + 0.5);
    // One pixel more on either side, in case of rounding: pixels of cells are discarded.
    float along = float(gl_VertexID & 1), across = float(gl_VertexID >> 1);
    vec2 place = vec2(along) * size;
    place[axis] = at - 1.0 + across * (float(gap) + 2.0);
    gl_Position = vec4(2.0 * place / size - 1.0, 0.0, 1.0);
}

#else

void main() {
    vec2 corner = vec2(float((gl_VertexID & 1) << 2), float((gl_VertexID & 2) << 1));
    gl_Position = vec4(corner - 1.0, 0.0, 1.0);
}

#endif
