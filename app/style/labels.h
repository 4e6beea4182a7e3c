#pragma once
// Text in any script, shaped and rasterized by Pango: measures layouts, draws the text of figures
// and makes the images of the window. The font is Inter, DejaVu Sans for what it lacks, and DejaVu
// Sans Mono if style.mono. No font list names an emoji font, because digits would be drawn with it.

#include <cstdint>
#include <string>
#include <vector>

#include "app/style/shapes.h"

using cairo_t = struct _cairo;  // as cairo.h has it

namespace maskscope {

struct TextSize {
    double width = 0, height = 0;  // points (the window: pixels at scale 1)
};

// Throws WorkError if this machine has no font, as every function below would.
void need_fonts();

TextSize measure(const std::string& text, const TextStyle& style);

// Makes a text that XML and cairo accept: replaces invalid UTF-8, and code points such as U+FFFE,
// by U+FFFD.
std::string writable(const std::string& text);

// True if Inter would draw other characters than these: "→" for "->", "×" for the x of "2x3". Such
// a text is drawn without ligatures.
bool would_be_other_letters(const std::string& text);

// Returns the text as it is drawn: if it is wider than it may be, it ends with an ellipsis.
std::string shortened(const Text& text);

constexpr std::size_t longest_label = 4096;  // the most bytes that are drawn of a text, before an
                                             // ellipsis

// Returns the distance from the middle of the line's height, where Text::at is, down to the
// baseline; in points.
double baseline_below_middle(const TextStyle& style);

// Draws text anchored as Text says; colour is the ink (colour glyphs keep their own).
void show_text(cairo_t* cairo, const Text& text, Colour colour);

// A rasterized line. Its middle is the middle of the line's height, as in Text::at, and its
// baseline is on a whole pixel: place it at whole pixels.
struct LabelImage {
    int width = 0, height = 0;          // pixels, margins included
    int margin = 0;                     // pixels left and right of the line, for ink that overhangs
    std::vector<std::uint32_t> pixels;  // RGBA, r lowest byte, premultiplied: ink × coverage
    bool coloured = false;              // contains an emoji: draw as it is, not tinted
};

// Returns a line without its pixels. scale: pixels per point. max_width in points as in Text; 0 =
// none.
LabelImage label_box(const std::string& text, const TextStyle& style, double scale,
                     double max_width = 0);

// Returns the same with its pixels. ink: the colour of everything but emoji; white if it is to be
// tinted.
LabelImage rasterise(const std::string& text, const TextStyle& style, double scale,
                     double max_width = 0, Colour ink = {255, 255, 255});

// Breaks a text at spaces into lines that are no wider than `room`; a longer word gets a line of
// its own. If the last word would be alone, the word before it joins it if both fit. If the text
// has more than `most` lines, returns somewhat more than that.
std::vector<std::string> broken_into_lines(const std::string& text, const TextStyle& style,
                                           double room, std::size_t most = std::string::npos);

// Computes the space that a text needs in a figure.

double figure_text_width(const Text& text);  // as it would be without max_width

// Returns the rectangle of its line, cut at max_width; upright for a vertical text.
Rect text_rect(const Text& text);

// True if it is shortened, with an ellipsis at its end.
bool is_cut(const Text& text);

}  // namespace maskscope
