#pragma once
// Makes the scenes that are measured: seeded numbers given as tensors, so that seeding is not
// measured.

#include <optional>
#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace maskscope::bench {

struct Size {
    Index heads = 1, tokens = 1, width = 64;
    bool operator==(const Size&) const = default;
};

// Returns "12x1024x64".
std::string text_of(const Size& size);
std::optional<Size> size_of(const std::string& text);

// The names of the masks: none, causal, padding (the last eighth of the tokens is padding), window
// (128 to the left) and documents (four of equal length).
const std::vector<std::string>& masks();

// Makes one sequence and one variant: dot, 1/√d, additive −inf, float32. Its numbers are always the
// same, and exact in float32. `values`: adds values [heads, tokens, width], so that there is an
// output.
Scene make_scene(const std::string& mask, const Size& size, bool values);

// The least work of one computation: 2·d FLOPs for each allowed cell and product, and the bytes of
// the stages that are written, in float32. See floor.h.
struct Work {
    double flops = 0, bytes = 0;
};
Work least_work(const std::string& mask, const Size& size, int stages, bool output);

}  // namespace maskscope::bench
