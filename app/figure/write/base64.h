#pragma once

#include <glib.h>

#include <memory>
#include <string>
#include <string_view>

namespace maskscope {

inline std::string base64(std::string_view bytes) {
    const std::unique_ptr<char, void (*)(void*)> text{
        g_base64_encode(reinterpret_cast<const guchar*>(bytes.data()), bytes.size()), g_free};
    return text.get();
}

// Decodes base64. Skips spaces and every other character that is not part of the code.
inline std::string from_base64(const std::string& text) {
    gsize size = 0;
    const std::unique_ptr<guchar, void (*)(void*)> bytes{g_base64_decode(text.c_str(), &size),
                                                         g_free};
    return {reinterpret_cast<const char*>(bytes.get()), size};
}

}  // namespace maskscope
