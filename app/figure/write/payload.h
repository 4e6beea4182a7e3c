#pragma once
// Finds the bytes embedded in a figure, by its file type. Writers and readers of figures do not
// interpret them: see app/session/files/carried.h.

#include <glib.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace maskscope {

// Recognizes a PNG, an SVG (or anything that begins with "<"), or a PDF by its beginning.
bool is_figure_file(std::string_view bytes);

// Returns the payload that the writer was given; nullopt if the figure has none. Throws InputError
// (empty place) if a PNG is damaged before its pixels. Other damage is noticed when the payload is
// read.
std::optional<std::string> payload_of(std::string_view figure);

inline std::string base64(std::string_view bytes) {
    const std::unique_ptr<char, void (*)(void*)> text{
        g_base64_encode(reinterpret_cast<const guchar*>(bytes.data()), bytes.size()), g_free};
    return text.get();
}

// Decodes base64. Skips spaces and all other characters outside its alphabet.
inline std::string from_base64(const std::string& text) {
    gsize size = 0;
    const std::unique_ptr<guchar, void (*)(void*)> bytes{g_base64_decode(text.c_str(), &size),
                                                         g_free};
    return {reinterpret_cast<const char*>(bytes.get()), size};
}

}  // namespace maskscope
