// Combines the results of the threads of a row: COLUMNS threads a row, THREADS a work group, both
// powers of 2. With SHUFFLES or BALLOTS (common.glsl), threads of a subgroup exchange numbers
// directly. Between subgroups, and without these extensions, numbers go through shared memory.
// Every thread of a row gets the same bits.

uint place;  // this thread's place in its work group; threads of a row lie side by side
uint lanes;  // threads of the row that exchange numbers directly

// gl_SubgroupSize may be more than the threads that a subgroup really has, so they are counted.
#if defined(SHUFFLES)

void find_place() {
    const uint size = subgroupBallotBitCount(subgroupBallot(true));
    place = gl_SubgroupID * size + gl_SubgroupInvocationID;
    lanes = min(size, uint(COLUMNS));
}

#define LANE(x, k) subgroupShuffle(x, k)
#define JOIN_LANES(T, x, none)                        \
    for (uint apart = 1u; apart < lanes; apart *= 2u) \
        join(x, lane_of(x, gl_SubgroupInvocationID ^ apart));

#elif defined(BALLOTS)

shared uint places;
uint subgroup_size;

// Nothing tells which threads a subgroup has, so each subgroup takes the next free places.
void find_place() {
    if (gl_LocalInvocationIndex == 0u) places = 0u;
    barrier();
    const uvec2 working = unpackUint2x32(ballotARB(true));
    subgroup_size = uint(bitCount(working.x) + bitCount(working.y));
    uint first = 0u;
    if (gl_SubGroupInvocationARB == 0u) first = atomicAdd(places, subgroup_size);
    place = readFirstInvocationARB(first) + gl_SubGroupInvocationARB;
    lanes = min(subgroup_size, uint(COLUMNS));
}

#define LANE(x, k) readInvocationARB(x, k)
#define JOIN_LANES(T, x, none)                                             \
    const T mine = x;                                                      \
    x = none;                                                              \
    for (uint k = 0u; k < subgroup_size; ++k) {                            \
        const T other = lane_of(mine, k);                                  \
        if (k / lanes == gl_SubGroupInvocationARB / lanes) join(x, other); \
    }

#else

void find_place() {
    place = gl_LocalInvocationIndex;
    lanes = 1u;
}

#define LANE(x, k) x
#define JOIN_LANES(T, x, none)

#endif

vec2 lane_of(vec2 x, uint k) { return LANE(x, k); }
Extremes lane_of(Extremes x, uint k) { return Extremes(LANE(x.largest, k), LANE(x.found, k)); }
Totals lane_of(Totals x, uint k) {
    return Totals(LANE(x.sums, k), LANE(x.pads, k), lane_of(x.extremes, k));
}

// Joins the x of all threads of the row: first in its subgroup, then sixteen at a time. none: the
// neutral element; slots: shared memory.
#define JOIN_ROW(T, x, none, slots)                                               \
    {                                                                             \
        JOIN_LANES(T, x, none)                                                    \
        for (uint width = lanes; width < uint(COLUMNS); width *= 16u) {           \
            const uint span = min(16u * width, uint(COLUMNS));                    \
            const uint first = place / span * span;                               \
            slots[place] = x;                                                     \
            barrier();                                                            \
            x = none;                                                             \
            for (uint k = first; k < first + span; k += width) join(x, slots[k]); \
            barrier();                                                            \
        }                                                                         \
    }
