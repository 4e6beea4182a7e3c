#pragma once
// A text field of several lines, broken at spaces, as high as the text needs. It is edited like a
// line in text_field() of widgets.h, in every script. Up and Down go from line to line; Enter
// leaves.

#include <optional>
#include <string>
#include <vector>

#include "app/window/widgets/widgets.h"

namespace maskscope {

// Bytes of the text; the spaces at which it was broken end a line and are not drawn.
struct TextLine {
    std::size_t begin = 0, end = 0;
    bool operator==(const TextLine&) const = default;
};
// Returns at least one line. A word that is wider than the field is broken between graphemes.
std::vector<TextLine> lines_of(const std::string& text, const TextStyle& style, double room);

struct AreaOptions {
    int lines = 1;  // at least
    std::string hint{};
};
// Returns the text after every change while it is typed; Escape restores the original.
std::optional<std::string> text_area(Gui& gui, const std::string& id, const std::string& text,
                                     const AreaOptions& options = {});

}  // namespace maskscope
