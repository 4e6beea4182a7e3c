#include "core/base/error.h"

#include <cstdio>
#include <string_view>

namespace maskscope {

namespace {

// The control character that starts at text[k], and its length in bytes; length 0 if there is none.
struct Control {
    unsigned code = 0;
    std::size_t length = 0;
};

Control control_at(const std::string& text, std::size_t k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if (byte < 0x20 || byte == 0x7f) return {byte, 1};
    if (byte != 0xc2 || k + 1 == text.size()) return {};
    const auto next = static_cast<unsigned char>(text[k + 1]);  // U+0080 to 9F are C2 80 to C2 9F
    return next >= 0x80 && next < 0xa0 ? Control{next, 2} : Control{};
}

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
        const Control control = control_at(text, k);
        if (control.length == 0) {
            line += text[k++];
            continue;
        }
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", control.code);
        line += escape;
        k += control.length;
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
