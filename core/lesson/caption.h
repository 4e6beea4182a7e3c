#pragma once
// A caption: text with addresses in braces, {B.sum[0,0,2]} or {B.sum[0,0,2]:%}. "{{" is a literal
// opening brace; a closing brace outside an address is literal.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace maskscope {

struct CaptionPart {
    std::string text;                // literal; "" if there is an address
    std::optional<Address> address;  // has only indices and sums
    bool percent = false;
    bool operator==(const CaptionPart&) const = default;
};

// Throws InputError (empty place).
std::vector<CaptionPart> parse_caption(std::string_view caption);

}  // namespace maskscope
