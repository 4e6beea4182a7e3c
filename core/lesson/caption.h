#pragma once
// A caption: text with addresses in braces, {B.sum[0,0,2]} or {B.sum[0,0,2]:%}. Two opening braces
// are one brace as text; a closing one outside is itself.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace maskscope {

struct CaptionPart {
    std::string text;                // as it is, where there is no address
    std::optional<Address> address;  // indices and sums only
    bool percent = false;
    bool operator==(const CaptionPart&) const = default;
};

// Throws InputError (empty place).
std::vector<CaptionPart> parse_caption(std::string_view caption);

}  // namespace maskscope
