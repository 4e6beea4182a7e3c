#include "core/base/utf8.h"

#include <algorithm>

namespace maskscope {

Character character_at(std::string_view text, std::size_t at) {
    static constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (bytes == 0 || first >= 0xf8 || at + bytes > text.size()) return {};
    char32_t code = first & (0x7fU >> bytes);
    for (std::size_t k = 1; k < bytes; ++k) {
        const auto next = static_cast<unsigned char>(text[at + k]);
        if ((next & 0xc0U) != 0x80) return {};
        code = (code << 6U) | (next & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < smallest[bytes] || code > 0x10ffff || surrogate) return {};
    return {code, bytes};
}

bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Character character = character_at(text, at);
        if (character.bytes == 0) return false;
        at += character.bytes;
    }
    return true;
}

void append_utf8(std::string& text, char32_t code) {
    const auto next = [&](unsigned shift) {
        text += static_cast<char>(0x80U | (code >> shift & 0x3fU));
    };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0U | code >> 6U);
        next(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xe0U | code >> 12U);
        next(6);
        next(0);
    } else {
        text += static_cast<char>(0xf0U | code >> 18U);
        next(12);
        next(6);
        next(0);
    }
}

std::u32string code_points(std::string_view text) {
    std::u32string codes;
    for (std::size_t at = 0; at < text.size();) {
        const Character character = character_at(text, at);
        codes += character.code;
        at += std::max<std::size_t>(character.bytes, 1);
    }
    return codes;
}

}  // namespace maskscope
