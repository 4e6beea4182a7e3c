#pragma once
// Sizes that the shaders and the code that feeds them share; the shaders get them as defines.

namespace maskscope::gpu {

inline constexpr int layer_size = 5;     // LAYER_SIZE: words of a mask layer
inline constexpr int figure_count = 12;  // FIGURES: numbers of a row's figures, with the flags

}  // namespace maskscope::gpu
