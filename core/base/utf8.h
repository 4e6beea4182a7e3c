#pragma once
// UTF-8, one character at a time: shortest forms only, no surrogates, up to U+10FFFF.

#include <cstddef>
#include <string>
#include <string_view>

namespace maskscope {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 0;  // 0: no character starts here
};
Character character_at(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);
inline bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }
void append_utf8(std::string& text, char32_t code);
std::u32string code_points(std::string_view text);  // the text must be valid

}  // namespace maskscope
