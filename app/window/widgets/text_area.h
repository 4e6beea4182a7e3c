#pragma once
// A text field with several lines, broken at spaces, as high as its text needs. It is edited like
// text_field() of widgets.h, in every script. Up and Down move between lines; Enter leaves the
// field.

#include <optional>
#include <string>
#include <vector>

#include "app/window/widgets/widgets.h"

namespace maskscope {

// The range of bytes in one line. Spaces at which the text was broken belong to the end of a line,
// and are not drawn.
struct TextLine {
    std::size_t begin = 0, end = 0;
    bool operator==(const TextLine&) const = default;
};
// Returns the lines of a text, at least one. A word that is wider than the field is broken between
// graphemes.
std::vector<TextLine> lines_of(const std::string& text, const TextStyle& style, double room);

struct AreaOptions {
    int lines = 1;  // the least number
    std::string hint{};
};
// Returns the text after every change while it is typed. Escape restores the original text.
std::optional<std::string> text_area(Gui& gui, const std::string& id, const std::string& text,
                                     const AreaOptions& options = {});

}  // namespace maskscope
