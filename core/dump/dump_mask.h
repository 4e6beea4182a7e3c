#pragma once
// Turns a mask that a model used, in numbers, into the mask rules of a scene.

#include <optional>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// The keys that a model let its queries attend to.
struct DumpedMask {
    Shape shape;
    Shape own;                  // of `allowed`: b, h or n_q is 1 if the cells do not depend on it
    std::vector<bool> allowed;  // [b, h, n_q, n_k]
    BlockedValue value;         // the value added to blocked scores
    bool allows(Index b, Index h, Index i, Index j) const {
        const auto limit = [](Index at, Index size) { return size == 1 ? 0 : at; };
        return allowed[((limit(b, own.b) * own.h + limit(h, own.h)) * own.n_q + limit(i, own.n_q)) *
                           own.n_k +
                       j];
    }
};

// Returns the axes of a mask as [b, h, rows, columns]; none if they do not fit. They may be [n_k],
// [n_q, n_k], [b or h, n_q, n_k] or [b, h, n_q, n_k], where b, h and n_q may be 1; for_keys: two
// axes are [b, n_k]. With four axes, keys beyond n_k are left out (a cache has them), and a larger
// square gives the rows of the last queries (GPT-2's is 1024 × 1024).
std::vector<Index> mask_axes(std::vector<Index> axes, const Shape& shape, bool for_keys);

// Reads a mask. numbers: has the four axes of mask_axes(). true_blocks: what true or 1 means;
// nullopt for numbers that are added, of which 0 allows, and −inf or at most −1e4 blocks. A
// floating-point mask of only 0 and 1 allows where it is 1. Throws InputError if the numbers are
// neither.
DumpedMask read_mask(const Array& numbers, const Shape& shape, std::optional<bool> true_blocks);

inline constexpr double blocking = -9984;  // numbers up to this block; −1e4 in bfloat16

struct MaskLayers {
    std::vector<MaskLayer> layers;  // without `padding`
    Index start = 0;                // the same for every sequence; only if a rule counts positions
    std::vector<std::vector<Index>> pads;  // [b]: keys at an end that no query may attend to
};
// Finds the fewest rules that give these cells: a rule that blocks nothing else, causal first; keys
// at the end or at the start that no query may attend to, as padding; blocked rows, columns and
// cells, of some heads if heads differ; a tensor if sequences differ in more than their padding.
// Throws InputError if too many cells are blocked one by one.
MaskLayers layers_of(const DumpedMask& mask);

}  // namespace maskscope
