#pragma once
// Sizes that the shaders and the code that feeds them share; the shaders get them as defines.

namespace maskscope::gpu {

inline constexpr int layer_size = 5;     // LAYER_SIZE: words of a mask rule
inline constexpr int figure_count = 12;  // FIGURES: numbers of a row's statistics, with the flags

}  // namespace maskscope::gpu
