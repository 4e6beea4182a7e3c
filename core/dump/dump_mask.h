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

// Returns the axes of a mask as [b, h, rows, columns], or an empty list if they do not fit. `axes`
// may be [n_k], [n_q, n_k], [b or h, n_q, n_k] or [b, h, n_q, n_k], where b, h and n_q may be 1.
// for_keys: true if two axes mean [b, n_k]. With four axes, a mask may cover more than n_k keys (a
// cache has them), which are left out. Of a larger square (GPT-2's is 1024 × 1024), the scene's
// queries are the last n_q of the first n_k rows.
std::vector<Index> mask_axes(std::vector<Index> axes, const Shape& shape, bool for_keys);

// Reads a mask. numbers: has the four axes of mask_axes(). true_blocks: whether true or 1 blocks a
// key; nullopt for numbers that are added: 0 allows a key, −inf or a number of at most −1e4 blocks
// it. Without true_blocks, a mask of only 0 and 1 allows a key where it is 1. Throws InputError for
// all other numbers.
DumpedMask read_mask(const Array& numbers, const Shape& shape, std::optional<bool> true_blocks);

inline constexpr double blocking = -9984;  // numbers up to this block; −1e4 in bfloat16

struct MaskLayers {
    std::vector<MaskLayer> layers;  // without `padding`
    Index start = 0;                // the same for every sequence; only if a rule counts positions
    std::vector<std::vector<Index>> pads;  // [b]: keys at an end that no query may attend to
};
// Finds rules that give these cells: one rule that blocks no allowed cell, preferably causal; then
// padding, if no query may attend to some keys at the start or at the end; then blocked rows,
// columns and cells, for some heads only if heads differ. If sequences differ in more than their
// padding, a tensor replaces the blocked rows, columns and cells. Throws InputError if too many
// cells are blocked one by one, or if the tensor would be too large.
MaskLayers layers_of(const DumpedMask& mask);

}  // namespace maskscope
