#include <string_view>

#include "core/base/utf8.h"
#include "core/edit/edit_parts.h"

namespace maskscope {

namespace {

// True for white space that separates words; a no-break space does not.
bool is_white(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a && code != 0x2007) || code == 0x2028 ||
           code == 0x2029 || code == 0x205f || code == 0x3000;
}

// Returns the length in bytes of the white space that starts at `at`, or 0.
std::size_t white_at(std::string_view text, std::size_t at) {
    const Character character = character_at(text, at);
    return character.bytes > 0 && is_white(character.code) ? character.bytes : 0;
}

// Reads the quoted token at `at` and advances past it. False if the quote is never closed; it is
// then an ordinary character.
bool read_quoted(std::string_view text, std::size_t& at, std::string& token) {
    std::size_t k = at + 1;
    for (; k < text.size() && text[k] != '"'; ++k) {
        const bool escaped =
            text[k] == '\\' && k + 1 < text.size() && (text[k + 1] == '"' || text[k + 1] == '\\');
        if (escaped) ++k;
        token += text[k];
    }
    if (k >= text.size()) {
        token.clear();
        return false;
    }
    at = k + 1;
    return true;
}

}  // namespace

std::vector<std::string> split_sentence(const std::string& text) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t white = white_at(text, at)) {
            at += white;
            continue;
        }
        std::string token;
        if (text[at] != '"' || !read_quoted(text, at, token))
            while (at < text.size() && white_at(text, at) == 0) token += text[at++];
        if (!token.empty()) tokens.push_back(token);
    }
    return tokens;
}

void expect_name(const std::string& text, const std::string& what) {
    if (text.empty()) throw EditError(what + " cannot be empty.");
    for (std::size_t at = 0; at < text.size();) {
        const Character character = character_at(text, at);
        if (character.bytes == 0) throw EditError(what + " is not valid UTF-8.");
        if (is_control(character.code)) throw EditError(what + " cannot hold control characters.");
        at += character.bytes;
    }
}

void expect_index(Index index, Index size, const std::string& what) {
    if (index < 0 || index >= size) throw EditError("This " + what + " no longer exists.");
}

}  // namespace maskscope
