#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/figure/figure.h"
#include "core/base/progress.h"

namespace maskscope {

struct PngOptions {
    double dpi = 150;  // 10 to 1200; a point is 1/72 inch
    ThemeKind theme = ThemeKind::light;
    bool transparent = false;
    std::string description{};  // what the picture shows, for people who cannot see it; "" = none
    std::string payload{};      // see payload.h; "" = none
    // The compression level, 1 to 9. Level 6 takes twice the time and saves 10%, for small and for
    // large figures.
    int level = 2;
};

// Returns the bytes of a PNG, the same for the same figure; pHYs holds the resolution. Throws
// WorkError if the picture would not fit in memory, with the dpi that would; Cancelled.
std::string png_bytes(const Figure& figure, const PngOptions& options,
                      const Progress& progress = command_progress());

// See payload_of().
std::optional<std::string> png_payload(std::string_view png);

// Returns the number of pixels for cells along an axis if no size is given: two each, but fewer for
// very many.
constexpr double pixels_of_cells(Index cells) {
    constexpr Index most_whole = 4096, pixels_of_more = 2048;
    return double(cells <= most_whole ? 2 * cells : pixels_of_more);
}

}  // namespace maskscope
