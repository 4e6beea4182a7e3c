#pragma once
// Text in any script, shaped and rasterized by Pango: measures layouts, draws the text of figures
// and makes the images of the window. The font is Inter, with DejaVu Sans for characters that it
// lacks, or DejaVu Sans Mono if style.mono. No font list names an emoji font, because it would also
// draw digits.

#include <cstdint>
#include <string>
#include <vector>

#include "app/style/shapes.h"

using cairo_t = struct _cairo;  // as in cairo.h

namespace maskscope {

struct TextSize {
    double width = 0, height = 0;  // points (in the window: pixels at scale 1)
};

// Throws WorkError if this machine has no font. If it is not called, the functions below throw that
// error.
void need_fonts();

TextSize measure(const std::string& text, const TextStyle& style);

// Returns the text with U+FFFD in place of everything that XML or cairo reject: invalid UTF-8, and
// code points such as U+FFFE.
std::string writable(const std::string& text);

// True if Inter's ligatures might show other characters: "→" for "->", or "×" for the x of "2x3".
// Such a text is drawn without ligatures.
bool would_be_other_letters(const std::string& text);

// Returns the text as it is drawn: with an ellipsis at its end if it is too wide.
std::string shortened(const Text& text);

constexpr std::size_t longest_label = 4096;  // the most bytes of a text that are drawn, before an
                                             // ellipsis

// Returns the distance in points from the middle of the line's height, where Text::at is, down to
// the baseline.
double baseline_below_middle(const TextStyle& style);

// Draws text, anchored as in Text, in this colour; glyphs in colour keep their own.
void show_text(cairo_t* cairo, const Text& text, Colour colour);

// A rasterized line. Its middle is the middle of the line's height, as in Text::at. Its baseline is
// on a whole pixel, so it must be drawn at whole pixels.
struct LabelImage {
    int width = 0, height = 0;          // pixels, margins included
    int margin = 0;                     // pixels on either side of the line, for overhanging ink
    std::vector<std::uint32_t> pixels;  // RGBA, r lowest byte, premultiplied: ink × coverage
    bool coloured = false;              // contains emoji, so must not be tinted
};

// Returns a line without its pixels. scale: pixels per point. max_width: in points as in Text; 0 =
// none.
LabelImage label_box(const std::string& text, const TextStyle& style, double scale,
                     double max_width = 0);

// Returns the line with its pixels. ink: the colour of everything except emoji; white if the caller
// tints it.
LabelImage rasterise(const std::string& text, const TextStyle& style, double scale,
                     double max_width = 0, Colour ink = {255, 255, 255});

// Breaks a text at spaces into lines at most `room` wide (points); a wider word has its own line.
// If the last word would be alone, the word before it moves to its line if both fit. If the text
// has more than `most` lines, returns somewhat more than `most`.
std::vector<std::string> broken_into_lines(const std::string& text, const TextStyle& style,
                                           double room, std::size_t most = std::string::npos);

// Return the space that a text needs in a figure.

double figure_text_width(const Text& text);  // the width without max_width

// Returns the rectangle of the line, cut at max_width; upright for a vertical text.
Rect text_rect(const Text& text);

// True if the text is shortened, and ends with an ellipsis.
bool is_cut(const Text& text);

}  // namespace maskscope
