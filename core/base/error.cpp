#include "core/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/utf8.h"

namespace maskscope {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string without_middle(const std::string& text, std::size_t most) {
    constexpr std::string_view gap = "…";
    if (text.size() <= most) return text;
    std::size_t head = (most - gap.size()) / 2, tail = text.size() - (most - gap.size() - head);
    while (head > 0 && continues(text[head])) --head;
    while (tail < text.size() && continues(text[tail])) ++tail;
    return text.substr(0, head).append(gap).append(text, tail);
}

std::string printable(const std::string& text) {
    std::string line;
    for (std::size_t k = 0; k < text.size();) {
        const Character character = character_at(text, k);
        const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
        if (character.bytes == 0)
            line += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[k]));
        else if (is_control(character.code))
            line += fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
        else
            line.append(text, k, bytes);
        k += bytes;
    }
    return line;
}

Error at_file(const std::string& file, const Error& error) {
    constexpr std::size_t longest_file = 90, longest_place = 64, longest_what = 130;
    std::string name = printable(file), place = printable(error.place),
                what = printable(error.what());
    if (name.size() + place.size() + what.size() + 4 > longest_error) {
        name = without_middle(name, longest_file);
        place = without_middle(place, longest_place);
        what = without_middle(what, longest_what);
    }
    return {error.kind, "", name + ": " + (place.empty() ? "" : place + ": ") + what};
}

}  // namespace maskscope
