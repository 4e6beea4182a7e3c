#pragma once
// Reads the chunks of a PNG, one after the other.

#include <cstddef>
#include <string_view>

namespace maskscope {

inline constexpr std::size_t png_signature_size = 8;

// Calls visit(kind, data, whole) for every complete chunk, up to IEND. Returns the incomplete one,
// or "".
template <class Visit>
std::string_view each_chunk(std::string_view png, const Visit& visit) {
    constexpr std::size_t around = 12;  // length, kind and checksum
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

}  // namespace maskscope
