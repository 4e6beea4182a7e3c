#pragma once
// A figure as plain data, in points from the top left. The window paints the
// same figure that the writers write; neither decides anything about its content.

#include <optional>
#include <string>
#include <vector>

#include "app/show/cells/cells.h"
#include "app/style/shapes.h"

namespace maskscope {

// Hatched (blocked) or cross-hatched (NaN) ground, for the legend.
enum class Ground { hatch, cross_hatch };
struct Hatch {
    Rect rect;
    Ground ground = Ground::hatch;
    Role role = Role::hatch;
};

// A line with an arrow head at its end.
struct Connector {
    static constexpr double radius = 6;  // × Figure::unit: of its corners, if they are rounded
    std::vector<Point> points;
    bool rounded = false, arrow = true;
};

struct Heatmap {
    Rect rect;
    SharedCells cells;
    Limits limits;
    ColourMap map = ColourMap::viridis;
    double number_size = 0;  // 0: the numbers do not fit, only colour and signs
    NumberForm number_form = NumberForm::two_decimals;
    Zoom zoom;
    // What it shows, for the pointer: a variant, or a lane named in app/show/cells/view.h.
    int lane = -1;
    Index b = 0, h = 0;
};

// The rectangle of cell (i, j), partly outside the heatmap's rect if it is zoomed.
Rect cell_rect(const Heatmap& heatmap, Index i, Index j);
// The cell under a point; nothing outside the heatmap's rect.
std::optional<Cell> cell_at(const Heatmap& heatmap, Point point);

// The stacked bar of one row: solid = weight on allowed keys that are not pads, hatched in "wrong"
// = weight on blocked keys and pads, outline up to 1 = weight lost.
struct SumBar {
    Rect rect;  // its width represents weight 1
    enum class Mark { none, above_one, nan, empty, by_design };
    double kept = 0, leaked = 0;  // shares of 1, clamped to what can be drawn
    Mark mark = Mark::none;
    Role status = Role::right;  // right (calm), odd (lost), wrong (leaks, NaN)
    std::string text;           // "1", "0.32", "NaN", "empty"
    double text_size = 13;
    int lane = 0;
    Index b = 0, h = 0, row = 0;
};

struct ColourBar {
    Rect rect;
    Limits limits;
    ColourMap map = ColourMap::viridis;
};

// --- plots

// A line through points.
struct Stroke {
    std::vector<Point> points;
    Role role = Role::dim;
    double width = 1.5;
    bool dashed = false, closed = false;
};

// A filled polygon: convex, or a band whose outline runs out and back in equal steps.
struct Area {
    std::vector<Point> points;
    Role role = Role::dim;
    double share = 0.2;  // of the role's colour over what is below; 1 = opaque
};

struct Dot {
    Point at;
    double radius = 4;
    Role role = Role::ink;
    bool filled = true;  // else a ring around the ground
    double width = 2;    // of the ring
};

// An area other than a heatmap that reacts to the pointer.
struct Spot {
    enum class Kind {
        output,  // of `row`, in the plane
        value,   // of `key`, in the plane
        entry,   // of the table: `row` is that of the value, `key` the column of the dtype
        width,   // of root d: the axis from 1 to 1024, logarithmic, from left to right
        token,   // of generation: `row` is the token's
        layer    // of a translator: `lane` is the attention, `row` the layer, `h` the head
    };
    Kind kind = Kind::output;
    Rect rect;
    int lane = 0;
    Index b = 0, h = 0, row = 0, key = 0;
    bool operator==(const Spot&) const = default;
};
// The spot under a point; if there are several, the one whose middle is nearest.
const Spot* spot_at(const std::vector<Spot>& spots, Point point);

// How much of the bench can be read in the room that it was given.
enum class Reading {
    none,             // no room for all numbers, or it is higher than the room
    stages_left_out,  // numbers in every heatmap that is drawn
    short_numbers,    // all stages, some numbers with one decimal, or some rows without their token
    whole             // all stages, all tokens, two decimals
};

// What a figure leaves out or moves where it has little room.
struct Economy {
    bool low = false;            // one line of legend; keys only above a column's topmost heatmap
    int left_out = 0;            // columns that are left out
    bool weights_alone = false;  // the mask, and beside it the weights of each lane
    bool bare = false;           // without a legend, and without saying what is left out
    bool mask_first = false;     // the mask is before what all lanes share, not below it
    bool unmarked = false;       // no strips of groups and no trees beside masks
    bool operator==(const Economy&) const = default;
};

struct Figure {
    double width = 0, height = 0;
    Economy economy;
    Reading reading = Reading::whole;
    bool skips_tokens = false;  // not every token has its label: rows or columns are too thin
    double unit = 1;  // what every length was multiplied by (the interface's scale): the widths of
                      // connectors and arrows follow
    std::vector<Box> boxes;  // painted first, in this order
    std::vector<Hatch> hatches;
    std::vector<Heatmap> heatmaps;
    std::vector<Heatmap> hidden;  // not drawn: under a cover, for the pointer
    std::vector<SumBar> sums;
    std::vector<ColourBar> colour_bars;
    std::vector<Connector> connectors;
    std::vector<Area> areas;
    std::vector<Stroke> strokes;
    std::vector<Dot> dots;
    std::vector<Box> chips;  // above connectors: the grounds of operations, lane letters
    std::vector<Text> texts;
    std::vector<Spot> spots;  // not drawn
};

}  // namespace maskscope
