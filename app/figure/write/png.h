#pragma once

#include <string>

#include "app/figure/figure.h"

namespace maskscope {

struct PngOptions {
    double dpi = 150;  // 10 to 1200; a point is 1/72 inch
    ThemeKind theme = ThemeKind::light;
    bool transparent = false;
};

// The bytes of a PNG, the same for the same figure; pHYs holds the resolution.
// Throws WorkError if the picture would not fit in memory, with the dpi that would.
std::string png_bytes(const Figure& figure, const PngOptions& options);

}  // namespace maskscope
