#pragma once
// Decides the look of one cell, in the window and in files.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/style.h"

namespace maskscope {

// The look of one cell. Colours with alpha 0 are not drawn.
struct CellLook {
    Colour background;         // the fill, or the colour behind a number that is not filled
    bool plain = true;         // not filled: separated from its neighbours by lines in Role::line
    Colour hatch{0, 0, 0, 0};  // "/" lines: blocked, or half of NaN's crossed lines
    Colour cross{0, 0, 0, 0};  // "\" lines: the other half of NaN's
    Colour frame{0, 0, 0, 0};  // marks a leak
    Colour frame_edge{0, 0, 0, 0};  // black or white, between frame and fill
    Colour dot{0, 0, 0, 0};         // marks a missing key, in a ring of `background`
    bool numbered = true;           // false: no number, only the hatch
    Colour ink;                     // the colour of the number
};

// Returns the background of an infinity, which has no colour in the map: one of two greys, so that
// it differs from 0 in a cell too small for a number. Returns nullopt for finite numbers, and for a
// blocked −∞, which is hatched.
std::optional<Role> infinity_role(std::uint8_t signs);

CellLook look_of(const Heatmap& heatmap, Index i, Index j, const Theme& theme);
// Returns the look of any cell with this number and these flags.
CellLook look_of_number(const Heatmap& heatmap, double value, std::uint8_t signs,
                        const Theme& theme);

// True if the cell is tinted instead of hatched, because lines in so small a cell would be noise.
bool is_tinted(const CellLook& look, const style::CellStyle& style);
// Returns the colour of a cell inside its frame and below its lines. A tiny cell has no space for
// lines or a frame: their colour is mixed half and half with the fill, so that NaN and leaks are
// not overlooked.
Colour fill_colour(const CellLook& look, const style::CellStyle& style, const Theme& theme);
inline constexpr double tiny_mark = 0.5;

// Returns the text of a cell ("" if it shows only the hatch). In the shortest form, an exponent is
// on a second line.
std::string text_of(const Heatmap& heatmap, Index i, Index j);
std::vector<std::string> lines_of_number(const std::string& text);
TextStyle text_style_of(const Heatmap& heatmap, Index i, Index j);

// The number, its position, and the rectangle that is cleared of hatch lines before it is drawn.
// There is no text if NaN or a large number does not fit in its cell, or if part of a number would
// be cut off.
struct CellNumber {
    std::vector<Text> lines;
    std::optional<Rect> cleared;
};
// Places the number. cell: the rectangle of the cell's fill, without the gap.
CellNumber number_of(const Heatmap& heatmap, Index i, Index j, const CellLook& look,
                     const Rect& cell);

// The cells that are at least partly visible; `end` is exclusive.
struct SeenCells {
    Cell begin, end;
};
SeenCells seen_cells(const Heatmap& heatmap);

// Returns the colour of hatch lines over a fill: the fill, mixed with black or white, whichever
// contrasts more, until the contrast reaches hatch_contrast. Stronger lines would make numbers hard
// to read.
Colour hatch_on(Colour fill);
inline constexpr double hatch_contrast = 3.5;  // more than 3:1, for the antialiased edge of a line

// Return the two colours of NaN, both of Role::wrong: the faint background, and the lines over it.
Colour nan_background(const Theme& theme);
Colour nan_lines(const Theme& theme);

// The cells of a heatmap as pixels: fills, gaps, hatches and frames, without the numbers.
struct CellPixels {
    int x = 0, y = 0;  // pixels: top left of the image in the picture
    int width = 0, height = 0;
    std::vector<std::uint32_t> argb;  // [height, width]; opaque, or 0 in gaps
};

// Draws the cells. scale: pixels per point. Edges of cells are on whole pixels, and each pixel
// belongs to one cell, unless there are more cells than pixels.
CellPixels cell_pixels(const Heatmap& heatmap, const Theme& theme, double scale);

// Returns the rectangle of a cell without its gap, in points; partly outside the heatmap if that is
// zoomed.
Rect inner_rect(const Heatmap& heatmap, Index i, Index j, double scale);

}  // namespace maskscope
