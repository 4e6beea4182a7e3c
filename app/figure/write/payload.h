#pragma once
// Bytes embedded in a figure; the file type decides how they are found again. The writers do not
// interpret them: see app/session/files/carried.h.

#include <optional>
#include <string>
#include <string_view>

namespace maskscope {

// Recognizes a PNG, an SVG (or anything that begins with "<"), or a PDF by its beginning.
bool is_figure_file(std::string_view bytes);

// Returns what the writer was given as `payload`; nullopt if the figure has none. Throws InputError
// (empty place) if a PNG is damaged before its pixels. Other damage shows when the payload is read.
std::optional<std::string> payload_of(std::string_view figure);

}  // namespace maskscope
