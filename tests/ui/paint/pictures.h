#pragma once
// Compares pictures with files.

#include <png.h>

#include <string>

#include "tests/ui/harness.h"

namespace maskscope::ui {

// Decodes a PNG. The width is 0 if the bytes are not a PNG.
inline Pixels pixels_of_png(const std::string& bytes) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return {};
    image.format = PNG_FORMAT_RGBA;
    Pixels pixels{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    pixels.colours.resize(static_cast<std::size_t>(pixels.width) *
                          static_cast<std::size_t>(pixels.height));
    png_image_finish_read(&image, nullptr, pixels.colours.data(), 0, nullptr);
    return pixels;
}

// Returns the pixels within the rectangle.
inline Pixels cut(const Pixels& from, const Rect& rect) {
    Pixels out{static_cast<int>(rect.w), static_cast<int>(rect.h), {}};
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x)
            out.colours.push_back(from.at(rect.x + x + .5, rect.y + y + .5));
    return out;
}

}  // namespace maskscope::ui
