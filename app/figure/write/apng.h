#pragma once

#include <span>
#include <string>

#include "app/figure/write/png.h"

namespace maskscope {

struct Frame {
    Figure figure;
    double seconds = 4;  // how long it stays
};

// Returns an animated PNG, https://wiki.mozilla.org/APNG_Specification, which begins again after
// its last frame. Programs that do not support animation show the first frame. The frames have one
// size; at least one. Throws WorkError like png_bytes().
std::string apng_bytes(std::span<const Frame> frames, const PngOptions& options);

}  // namespace maskscope
