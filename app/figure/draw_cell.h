#pragma once
// The look of one cell, in the window and in files.

#include <optional>
#include <string>

#include "app/figure/figure.h"

namespace maskscope {

// Colours with alpha 0 are not drawn.
struct CellLook {
    Colour ground;             // the fill, or the plain ground of a number that has no colour
    bool plain = true;         // not filled: separated from its neighbours by lines in Role::line
    Colour hatch{0, 0, 0, 0};  // "/" lines over the ground: blocked, and half of NaN's cross-hatch
    Colour cross{0, 0, 0, 0};  // "\" lines: the other half
    Colour frame{0, 0, 0, 0};  // of a leak
    Colour frame_edge{0, 0, 0, 0};  // black or white, between frame and fill
    bool numbered = true;           // false: hatch alone
    Colour ink;                     // of the number
};

CellLook look_of(const Heatmap& heatmap, Index i, Index j, const Theme& theme);
// Of any cell with this number and these signs in it.
CellLook look_of_number(const Heatmap& heatmap, double value, std::uint8_t signs,
                        const Theme& theme);

// The text of a cell ("" for hatch only) and its style.
std::string text_of(const Heatmap& heatmap, Index i, Index j);
TextStyle text_style_of(const Heatmap& heatmap, Index i, Index j);

// The number in its place, and the ground that is cleared of hatch before it is drawn.
struct CellNumber {
    Text text;
    std::optional<Rect> cleared;
};
// cell: the rectangle of the cell's fill, without the gap.
CellNumber number_of(const Heatmap& heatmap, Index i, Index j, const CellLook& look,
                     const Rect& cell);

// The cells of which a part is seen, `end` not among them.
struct SeenCells {
    Cell begin, end;
};
SeenCells seen_cells(const Heatmap& heatmap);

// The map that a theme shows instead: print is grey throughout.
ColourMap shown_map(ColourMap map, const Theme& theme);

// Lines over a fill: black or white, whichever contrasts more, and no more of it than 3:1 takes, so
// that numbers stand out before lines.
Colour hatch_on(Colour fill);

// Where a number is NaN: "wrong", faintly, as the ground, and for the lines over it.
Colour nan_ground(const Theme& theme);
Colour nan_lines(const Theme& theme);

}  // namespace maskscope
