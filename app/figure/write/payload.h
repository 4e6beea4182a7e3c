#pragma once
// Bytes that a figure carries beside what is seen, found again by its kind. To the writers they are
// only bytes; see app/session/files/carried.h.

#include <optional>
#include <string>
#include <string_view>

namespace maskscope {

// By their beginning: a PNG, an SVG (or whatever begins with "<"), or a PDF.
bool is_figure_file(std::string_view bytes);

// Returns what the writer was given as `payload`; nullopt if the figure has none. Throws InputError
// (empty place) if a PNG is damaged before its pixels. Other damage shows when the payload is read.
std::optional<std::string> payload_of(std::string_view figure);

}  // namespace maskscope
