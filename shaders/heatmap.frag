// Colours the pixels of a heatmap: see heatmap_cells.glsl.

uniform ivec2 frame;  // depths at which a leak's frame and its edge end
uniform vec2 hatch;   // pitch along a row, thickness
uniform vec2 dot;     // the dot of a missing key: radius, width of the ring around it
uniform float tint;   // share of line_colour in blocked cells with a fill; 0: they have lines

out vec4 colour;

struct Place {
    int cell;    // -1: before the first
    int next;    // the cell behind the gap; -1: none
    int depth;   // pixels to the nearer edge, 0 = the outermost
    float from_middle;
    bool in_gap;
};

Place place_at(int pixel, int axis) {
    if (pixel < 0) return Place(-1, cell_at(0, axis), 0, 0.0, true);
    int cell = cell_at(pixel, axis);
    int before = pixel - edge(cell, axis);
    int after = edge(cell + 1, axis) - gap - 1 - pixel;
    int next = cell + 1 < cells[axis] ? cell + 1 : -1;
    return Place(cell, next, min(before, after), 0.5 * float(before - after), after < 0);
}

Shown shown_at(ivec2 pixel) {
    ivec2 at = pixel;
    for (int axis = 0; axis < 2; ++axis)
        if (cell_size[axis] >= 1.0) at[axis] = cell_at(pixel[axis], axis);
    return cell_shown(at);
}

// Returns how much of a pixel is covered by lines along which `along` is constant.
float coverage(int along) {
    float at = float(along) + 0.5 * hatch.x;
    float past = at - floor(at / hatch.x) * hatch.x;
    float distance = min(past, hatch.x - past) * 0.70710678;
    return clamp(0.5 * hatch.y + 0.5 - distance, 0.0, 1.0);
}

#if PART == CELLS

flat in vec3 ground;
flat in vec4 lines;  // of a hatch, with alpha 1; alpha 0: it has none

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy) - gap;
    colour = vec4(mix(ground, lines.rgb, lines.a * coverage(pixel.x + pixel.y + 1)), 1.0);
}

#elif PART == PIXELS

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy) - gap;
    Shown shown = shown_at(pixel);
    vec4 ground = texelFetch(looks, ivec2(int(shown.signs), look_ground), 0);
    int parts = int(ground.a * 255.0 + 0.5);
    bool plain = (parts & LOOK_PLAIN) != 0, hatched = (parts & LOOK_HATCH) != 0;
    vec3 result = plain ? ground.rgb : fill(shown.value, 0);
    bool tinted = tint > 0.0 && !plain && hatched;
    if (tinted) result = mix(result, line_colour.rgb, tint);
    if (hatched && !tinted) {
        vec3 lines = plain ? look(shown.signs, look_hatch) : fill(shown.value, 1);
        result = mix(result, lines, coverage(pixel.x + pixel.y + 1));
    }
    colour = vec4(result, 1.0);
}

#elif PART == MARKS

vec4 inside(ivec2 pixel, Shown shown, int depth, float from_middle) {
    int parts = parts_of(shown.signs);
    bool leaks = (parts & LOOK_FRAME) != 0, crossed = (parts & LOOK_CROSS) != 0;
    bool plain = (parts & LOOK_PLAIN) != 0, tiny = frame.x == 0;
    if (leaks && depth < frame.y)
        return vec4(look(shown.signs, depth < frame.x ? look_frame : look_frame_edge), 1.0);
    vec3 result = plain ? look(shown.signs, look_ground) : fill(shown.value, 0);
    bool tinted = tint > 0.0 && !plain && (parts & LOOK_HATCH) != 0;
    if (tinted) result = mix(result, line_colour.rgb, tint);
    if (tiny && crossed) result = mix(result, look(shown.signs, look_cross), TINY_MARK);
    if (tiny && leaks) result = mix(result, look(shown.signs, look_frame), TINY_MARK);
    bool dotted = (parts & LOOK_DOT) != 0;
    if (tiny && dotted) result = mix(result, look(shown.signs, look_dot), TINY_MARK);
    if ((parts & LOOK_HATCH) != 0 && !tinted) {
        vec3 lines = plain ? look(shown.signs, look_hatch) : fill(shown.value, 1);
        result = mix(result, lines, coverage(pixel.x + pixel.y + 1));
    }
    if (crossed)
        result = mix(result, look(shown.signs, look_cross), coverage(pixel.x - pixel.y));
    if (dotted && !tiny) {
        float inside_dot = dot.x + 0.5 - from_middle;
        vec3 ring = look(shown.signs, look_ground);
        result = mix(result, ring, clamp(inside_dot + dot.y, 0.0, 1.0));
        result = mix(result, look(shown.signs, look_dot), clamp(inside_dot, 0.0, 1.0));
    }
    return vec4(result, 1.0);
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy) - gap;
    Place across = Place(0, 0, 0, 0.0, false), down = across;
    if (gap > 0) {
        across = place_at(pixel.x, 0);
        down = place_at(pixel.y, 1);
    }
    colour = inside(pixel, shown_at(pixel), min(across.depth, down.depth),
                    length(vec2(across.from_middle, down.from_middle)));
}

#else

bool is_plain(int column, int row) {
    if (column < 0 || row < 0) return false;
    return (parts_of(cell_shown(ivec2(column, row)).signs) & LOOK_PLAIN) != 0;
}

// Draws a line around plain cells; between two fills the background shows.
vec4 in_gap(Place across, Place down) {
    bool plain = is_plain(across.cell, down.cell);
    if (across.in_gap) plain = plain || is_plain(across.next, down.cell);
    if (down.in_gap) plain = plain || is_plain(across.cell, down.next);
    if (across.in_gap && down.in_gap) plain = plain || is_plain(across.next, down.next);
    return plain ? line_colour : vec4(0.0);
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy) - gap;
    Place across = place_at(pixel.x, 0), down = place_at(pixel.y, 1);
    if (!across.in_gap && !down.in_gap) discard;
    colour = in_gap(across, down);
}

#endif
