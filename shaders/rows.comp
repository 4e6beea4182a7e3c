// What the tiles of fused.comp come to, a row a thread. With SUMS a row's maximum, its sum, the sum
// of its weights and what it holds, which fused.comp reads; without it the row's figures.

#include "common_row.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 2) readonly buffer Tiles { float tiles[]; };  // FIGURES a row of a tile
layout(std430, binding = 6) readonly buffer Tables { uint tables[]; };  // core/gpu/data/tables.h

uniform int tiles_of_row;
uniform int end_head;  // after the last one of this dispatch
uniform int sinks_start;  // in tables: of each head of a sequence, in two parts

void main() {
    const int own = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 +
                    int(gl_LocalInvocationID.x);
    const int rows = end_row - start_row;
    const int head = first_head + own / rows, i = start_row + own % rows;
    if (head >= end_head) return;
    const uint place = row_start(head, i, FIGURES);
    const uint first = row_start(head, i, tiles_of_row) * uint(FIGURES);
#ifdef SUMS
    const int sink = sinks_start + 2 * (head % heads);
    const float sink_high = uintBitsToFloat(tables[sink]);
    const float sink_low = uintBitsToFloat(tables[sink + 1]);
    float largest = has_sink ? sink_high : lowest;
    uint found = 0u;
    for (int t = 0; t < tiles_of_row; ++t) {
        const uint tile = first + uint(t * FIGURES);
        if (tiles[tile] > largest) largest = tiles[tile];
        found |= uint(tiles[tile + 2u]);
    }
    double of_tiles = 0.0LF;  // there may be thousands
    for (int t = 0; t < tiles_of_row; ++t) {
        const uint tile = first + uint(t * FIGURES);
        of_tiles += double(tiles[tile + 1u] * exp_of(tiles[tile] - largest));
    }
    const float sum = float(of_tiles);
    const float all = sum + (has_sink ? exp_of(sink_high - largest + sink_low) : 0.0);
    figures[place] = largest;
    figures[place + 1u] = all;
    figures[place + 2u] = sum / all;
    figures[place + 3u] = float(found);
#else
    const uint found = uint(figures[place + 3u]);
    Totals totals = no_totals;
    for (int t = 0; t < tiles_of_row; ++t) {
        const uint tile = first + uint(t * FIGURES);
        const vec4 sums = vec4(tiles[tile], tiles[tile + 1u], tiles[tile + 2u], tiles[tile + 3u]);
        join_totals(totals,
                    Totals(sums, tiles[tile + 4u], tiles[tile + 5u], uint(tiles[tile + 6u])));
    }
    write_figures(place, totals, found, true);
#endif
}
