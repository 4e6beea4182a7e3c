#pragma once

#include "app/window/paint/heatmap.h"

namespace maskscope {

// Returns the picture of a heatmap, with its image.
inline Picture drawn(HeatmapTextures& textures, const Heatmap& heatmap, const Theme& theme) {
    const Picture picture = textures.draw(heatmap, theme);
    textures.make_images();
    return picture;
}

inline void next_frame(HeatmapTextures& textures) {
    textures.end_frame();
    textures.begin_pass();
}

}  // namespace maskscope
