#pragma once
// The look of one cell, in the window and in files.

#include <optional>
#include <string>

#include "app/figure/figure.h"
#include "app/figure/style.h"

namespace maskscope {

// Colours with alpha 0 are not drawn.
struct CellLook {
    Colour ground;             // the fill, or the plain ground of a number without a colour
    bool plain = true;         // not filled: separated from its neighbours by lines in Role::line
    Colour hatch{0, 0, 0, 0};  // "/" lines over the ground: blocked, and half of NaN's cross-hatch
    Colour cross{0, 0, 0, 0};  // "\" lines: the other half
    Colour frame{0, 0, 0, 0};  // of a leak
    Colour frame_edge{0, 0, 0, 0};  // black or white, between frame and fill
    bool numbered = true;           // false: only hatch
    Colour ink;                     // of the number
};

// The ground of an infinity, which has no colour: two greys, so that it is told from 0 where its
// cell has no room for a number. Absent for what is finite, and for a blocked −∞, which is hatched.
std::optional<Role> infinity_role(std::uint8_t signs);

CellLook look_of(const Heatmap& heatmap, Index i, Index j, const Theme& theme);
// The look of any cell with this number and these signs.
CellLook look_of_number(const Heatmap& heatmap, double value, std::uint8_t signs,
                        const Theme& theme);

// Whether the hatch gives way to a tint of the fill, as the lines would be noise.
bool is_tinted(const CellLook& look, const style::CellStyle& style);
// The colour of a cell within its frame and below its lines. Of a tiny one, which has no room for
// lines or a frame, half is theirs, so that NaN and a leak are not overlooked.
Colour fill_colour(const CellLook& look, const style::CellStyle& style, const Theme& theme);
inline constexpr double tiny_mark = 0.5;

// The text of a cell ("" if it shows only the hatch) and its style.
std::string text_of(const Heatmap& heatmap, Index i, Index j);
TextStyle text_style_of(const Heatmap& heatmap, Index i, Index j);

// The number and its position, and the ground that is cleared of hatch before it is drawn. NaN is
// left out where it is wider than its cell, any number where a part of it would be cut off.
struct CellNumber {
    Text text;
    std::optional<Rect> cleared;
};
// cell: the rectangle of the cell's fill, without the gap.
CellNumber number_of(const Heatmap& heatmap, Index i, Index j, const CellLook& look,
                     const Rect& cell);

// The cells that are at least partly visible; `end` is exclusive.
struct SeenCells {
    Cell begin, end;
};
SeenCells seen_cells(const Heatmap& heatmap);

// The map that a theme uses in place of `map`: print is grey, signed numbers below 0 a light blue.
ColourMap shown_map(ColourMap map, const Theme& theme);

// Lines over a fill: black or white, whichever contrasts more, but no stronger than 3:1 requires,
// so that numbers stand out from the lines.
Colour hatch_on(Colour fill);

// For NaN: "wrong", faint for the ground, and the colour of the lines over it.
Colour nan_ground(const Theme& theme);
Colour nan_lines(const Theme& theme);

}  // namespace maskscope
