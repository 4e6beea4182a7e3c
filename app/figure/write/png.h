#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/figure/figure.h"
#include "core/base/progress.h"

namespace maskscope {

struct PngOptions {
    double dpi = 150;  // 10 to 1200; points are 1/72 inch
    ThemeKind theme = ThemeKind::light;
    bool transparent = false;
    std::string description{};  // alternative text: what the picture shows; "" = none
    std::string payload{};      // see payload.h; "" = none
    // The compression level, 1 to 9. Level 6 takes twice the time and saves 10%, for both small and
    // large figures.
    int level = 2;
};

// Returns the bytes of a PNG, whose pHYs chunk holds the resolution. The same figure gives the same
// bytes. Throws WorkError if the picture would not fit in memory, naming a dpi that would, or
// Cancellation.
std::string png_bytes(const Figure& figure, const PngOptions& options,
                      const Progress& progress = command_progress());

// Reads the payload of a PNG: see payload_of().
std::optional<std::string> png_payload(std::string_view png);

// Returns the number of pixels for cells along an axis if no size is given: two for each cell, but
// fewer if there are very many.
constexpr double pixels_of_cells(Index cells) {
    constexpr Index most_whole = 4096, pixels_of_more = 2048;
    return double(cells <= most_whole ? 2 * cells : pixels_of_more);
}

// --- the chunks of a PNG

inline constexpr std::size_t png_signature_size = 8;

// Calls visit(kind, data, whole) for every complete chunk, up to IEND. Returns the bytes of an
// incomplete last chunk, or "".
template <class Visit>
std::string_view each_chunk(std::string_view png, const Visit& visit) {
    constexpr std::size_t around = 12;  // bytes for length, kind and checksum
    std::string_view left = png.substr(png_signature_size);
    while (!left.empty()) {
        std::size_t size = 0;
        for (std::size_t k = 0; k < 4 && left.size() >= around; ++k)
            size = size << 8 | static_cast<unsigned char>(left[k]);
        if (left.size() < around || size > left.size() - around) return left;
        const std::string_view kind = left.substr(4, 4);
        visit(kind, left.substr(8, size), left.substr(0, size + around));
        if (kind == "IEND") return "";
        left.remove_prefix(size + around);
    }
    return "";
}

struct Frame {
    Figure figure;
    double seconds = 4;  // how long it is shown
};

// Returns an animated PNG (https://wiki.mozilla.org/APNG_Specification) that repeats for ever.
// Programs that do not support animation show the first frame. frames: at least one, all of one
// size. Throws WorkError like png_bytes().
std::string apng_bytes(std::span<const Frame> frames, const PngOptions& options);

}  // namespace maskscope
