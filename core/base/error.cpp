#include "core/base/error.h"

#include <cstdio>

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

}  // namespace

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
    const std::string where = error.place.empty() ? "" : error.place + ": ";
    return {error.kind, "", printable(file + ": " + where + error.what())};
}

}  // namespace maskscope
