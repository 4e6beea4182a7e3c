#pragma once
// Makes seeded random scenes over every parameter of the format: small, valid, numbers inline.

#include <cstdint>

#include "core/scene/scene.h"

namespace maskscope {

// Options that fix what a property of the arithmetic needs; everything else is random.
struct RandomOptions {
    bool with_score = false;   // only inputs with queries and keys
    bool with_stages = false;  // no inputs `weights`: all stages exist
    int variants = 0;          // 0 = 1 to 3
    // Adds what real models have: listed positions, tensors, a scale by formula, scaled queries,
    // lists for each sequence, rows that attend to all, references.
    bool additions = true;
    // Makes scenes as extreme as a file may be: any number, name and width, lists in any order.
    // They are for reading and writing; computing them makes no sense.
    bool extreme = false;
};

// Returns the same scene for the same seed on every machine.
Scene random_scene(std::uint64_t seed, const RandomOptions& options = {});

// Makes a rule that fits this many queries, keys and heads. last: the position of the last query.
MaskLayer random_layer(std::uint64_t seed, const Shape& shape, Index last, bool biases);

}  // namespace maskscope
