#pragma once
// A mask that a model used, in numbers, as the layers of a scene.

#include <optional>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope {

// Which keys a model let its queries see.
struct DumpedMask {
    Shape shape;
    Shape own;                  // of `allowed`: b, h and n_q are 1 where all have the same
    std::vector<bool> allowed;  // [b, h, n_q, n_k]
    BlockedValue value;         // what was added to the scores of the others
    bool allows(Index b, Index h, Index i, Index j) const {
        const auto limit = [](Index at, Index size) { return size == 1 ? 0 : at; };
        return allowed[((limit(b, own.b) * own.h + limit(h, own.h)) * own.n_q + limit(i, own.n_q)) *
                           own.n_k +
                       j];
    }
};

// The axes of a mask as [b, h, rows, columns]; none if they do not fit. They may be [n_k],
// [n_q, n_k], [b or h, n_q, n_k] or [b, h, n_q, n_k], where b, h and n_q may be 1; for_keys: two
// axes are [b, n_k]. Of four axes, keys beyond n_k are left out (a cache has them), and a square
// that is larger gives the rows of the last queries (GPT-2's is 1024 × 1024).
std::vector<Index> mask_axes(std::vector<Index> axes, const Shape& shape, bool for_keys);

// numbers: of four axes, see mask_axes().
// true_blocks: what true or 1 means. Absent for numbers that are added: 0 allows; −inf and what is
// −1e4 or less blocks. Of floats, a mask of 0 and 1 alone allows where it is 1.
// Throws InputError: numbers that are neither.
DumpedMask read_mask(const Array& numbers, const Shape& shape, std::optional<bool> true_blocks);

inline constexpr double blocking = -9984;  // what is this or less; −1e4 in bfloat16

struct MaskLayers {
    std::vector<MaskLayer> layers;         // without `padding`
    Index start = 0;                       // of every sequence, where a layer counts positions
    std::vector<std::vector<Index>> pads;  // [b]: keys at an end that no query may see
};
// The fewest layers that give these cells: a rule that blocks nothing else, causal first; keys at
// the end or at the start that no query may see, as pads; rows, columns and cells, blocked, of some
// heads if heads differ. Throws InputError if sequences differ in more than their pads, or if too
// many cells are blocked one by one.
MaskLayers layers_of(const DumpedMask& mask);

}  // namespace maskscope
