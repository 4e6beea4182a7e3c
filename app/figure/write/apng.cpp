#include "app/figure/write/apng.h"

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "app/figure/write/png_chunks.h"

namespace maskscope {

namespace {

std::string big_endian(std::uint32_t number, int bytes = 4) {
    std::string text;
    for (int k = bytes - 1; k >= 0; --k) text += static_cast<char>(number >> (8 * k) & 0xffU);
    return text;
}

std::string chunk(std::string_view kind, std::string_view data) {
    const std::string checked = std::string(kind) + std::string(data);
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
           big_endian(static_cast<std::uint32_t>(sum));
}

// Writes the header of a frame: it replaces the whole area.
std::string frame_control(std::uint32_t number, std::string_view header, double seconds) {
    const auto milliseconds = static_cast<std::uint32_t>(std::lround(1000 * seconds));
    return chunk("fcTL", big_endian(number) + std::string(header.substr(0, 8)) + big_endian(0) +
                             big_endian(0) + big_endian(milliseconds, 2) + big_endian(1000, 2) +
                             big_endian(0, 2));
}

}  // namespace

std::string apng_bytes(std::span<const Frame> frames, const PngOptions& options) {
    std::string bytes;
    std::uint32_t number = 0;  // counts fcTL and fdAT together
    for (const Frame& frame : frames) {
        const std::string png = png_bytes(frame.figure, options);
        const bool first = number == 0;
        if (first) bytes = png.substr(0, png_signature_size);
        bool controlled = false;
        each_chunk(png, [&](std::string_view kind, std::string_view data, std::string_view whole) {
            if (kind == "IDAT" && !controlled) {
                if (first)
                    bytes += chunk("acTL", big_endian(static_cast<std::uint32_t>(frames.size())) +
                                               big_endian(0));
                bytes += frame_control(number++, png.substr(png_signature_size + 8), frame.seconds);
                controlled = true;
            }
            if (kind == "IDAT" && !first)
                bytes += chunk("fdAT", big_endian(number++) + std::string(data));
            else if (first && kind != "IEND")
                bytes += whole;
        });
    }
    return bytes + chunk("IEND", "");
}

}  // namespace maskscope
