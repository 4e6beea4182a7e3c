#pragma once

#include <fmt/format.h>

#include <string>

#include "app/style/scripts.h"
#include "app/style/theme.h"

namespace maskscope {

// Escapes text for HTML, within an element or an attribute.
inline std::string html_text(const std::string& text) {
    std::string escaped;
    for (const char c : text) switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += c;
        }
    return escaped;
}

// Escapes text as html_text() does, with subscripts and superscripts as elements; not for
// attributes.
inline std::string html_words(const std::string& text) {
    std::string words;
    for (const ScriptRun& run : script_runs(text)) {
        const std::string safe = html_text(run.text);
        words += run.level == ScriptRun::Level::base  ? safe
                 : run.level == ScriptRun::Level::sub ? "<sub>" + safe + "</sub>"
                                                      : "<sup>" + safe + "</sup>";
    }
    return words;
}

// Returns a colour as CSS: "#14161a".
inline std::string css_colour(Colour colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

}  // namespace maskscope
