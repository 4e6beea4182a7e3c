#pragma once
// A figure as plain data, in points from the top left. The window and files draw the same figure,
// and do not alter its content.
//
// To add a kind of part, add a struct and a list to Figure, a line to visit_drawn(), and a function
// to pen.cpp.

#include <optional>
#include <string>
#include <vector>

#include "app/show/cells/cells.h"
#include "app/style/shapes.h"

namespace maskscope {

// A square of the legend: the lines of a blocked cell, or the crossed lines of NaN.
struct Hatch {
    Rect rect;
    bool crossed = false;
    Role role = Role::hatch;  // for "/" lines; crossed lines have the colour of NaN
};

// A line, by default with an arrow head at its end.
struct Connector {
    static constexpr double radius = 6;  // the radius of rounded corners, × Figure::unit
    std::vector<Point> points;
    bool rounded = false, arrow = true;
};

struct Heatmap {
    Rect rect;
    SharedCells cells;
    Limits limits;
    ColourMap map = ColourMap::viridis;
    double number_size = 0;  // 0: the numbers do not fit; only colours and marks are drawn
    NumberForm number_form = NumberForm::two_decimals;
    Zoom zoom;
    // For the pointer: the variant whose cells the heatmap shows, or a negative variant, see
    // app/show/cells/view.h.
    int variant = -1;
    Index b = 0, h = 0;
    double sums_width = 0;  // of the row sums beside it, even while they are hidden
};

// Returns the rectangle of cell (i, j), partly outside the heatmap's rect if it is zoomed.
Rect cell_rect(const Heatmap& heatmap, Index i, Index j);
// Returns the cell under a point; nullopt outside the heatmap's rect.
std::optional<Cell> cell_at(const Heatmap& heatmap, Point point);

// The stacked bar of one row: solid = weight on allowed keys that are not pad tokens, hatched in
// "wrong" = weight on blocked keys and pad tokens, outline up to 1 = lost weight.
struct SumBar {
    Rect rect;                                                        // its full width is weight 1
    enum class Mark { none, above_one, nan, empty, by_design, one };  // one: a dot
    double kept = 0, leaked = 0;  // shares of weight 1, clamped to what can be drawn
    Mark mark = Mark::none;
    Role status = Role::right;  // right (calm), odd (not 1), wrong (leaks, NaN), dim (empty)
    std::string text;           // "1", "0.32", "NaN", "empty"
    double text_size = 13;
    int variant = 0;
    Index b = 0, h = 0, row = 0;
};

struct ColourBar {
    Rect rect;
    Limits limits;
    ColourMap map = ColourMap::viridis;
};

// --- plots

// A line through points; a polygon if closed.
struct Stroke {
    std::vector<Point> points;
    Role role = Role::dim;
    double width = 1.5;
    bool dashed = false, closed = false;
};

// A filled polygon: convex, or a band, whose outline runs along one edge and back along the other,
// with the same number of points on both.
struct Area {
    std::vector<Point> points;
    Role role = Role::dim;
    double share = 0.2;  // opacity of its colour; 1 = opaque
};

struct Dot {
    Point at;
    double radius = 4;
    Role role = Role::ink;
    bool filled = true;  // false: a ring, filled with the background
    double width = 2;    // the ring's line
};

// An area that reacts to the pointer and is not a heatmap.
struct Spot {
    enum class Kind {
        output,    // an output in Plane: `row` is its query
        value,     // a value in Plane: `key` is its key
        entry,     // in Value table: `row` is the index of the mask value, `key` of the dtype
        width,     // in Root d: the axis from 1 to 1024, logarithmic, from left to right
        token,     // in Generation: `row` is the token's index
        layer,     // in Translator: `variant` is the attention, `row` the layer, `h` the head
        framework  // in Frameworks: `row` is the index of the framework, `key` of its column
    };
    Kind kind = Kind::output;
    Rect rect;
    int variant = 0;
    Index b = 0, h = 0, row = 0, key = 0;
    bool operator==(const Spot&) const = default;
};
// Returns the spot under a point, or nullptr. Of several, returns the one whose centre is nearest.
const Spot* spot_at(const std::vector<Spot>& spots, Point point);

// A part that stays in view while the figure scrolls: query tokens stay at the left edge, key
// tokens at the top edge, and the name of a variant at both. The tokens cover what is below them.
struct PinnedPart {
    enum class Kind { queries, keys, name };
    Kind kind = Kind::queries;
    std::size_t texts = 0, texts_end = 0, chips = 0, chips_end = 0;  // ranges in the figure's lists
    Rect rect, within;  // its own rectangle; and that of its heatmaps, within which it stays
    double corner = 0;  // height of the keys above these queries, or of the name above these keys
    bool held = false;  // it has been moved to an edge of the view
};

struct Figure {
    double width = 0, height = 0;
    double cell = 0;            // the side of a cell, if all heatmaps have the same
    bool skips_tokens = false;  // some tokens have no label, because rows or columns are too thin
    double unit = 1;  // the interface's scale, by which all lengths were multiplied; connectors and
                      // arrows scale their line widths with it
    std::vector<Box> boxes;  // drawn first, in this order
    std::vector<Hatch> hatches;
    std::vector<Heatmap> heatmaps;
    std::vector<Heatmap> hidden;  // not drawn, but the pointer finds them
    std::vector<SumBar> sums;
    std::vector<ColourBar> colour_bars;
    std::vector<Connector> connectors;
    std::vector<Area> areas;
    std::vector<Stroke> strokes;
    std::vector<Dot> dots;
    std::vector<Box> chips;  // above connectors: backgrounds of operations and of variants' letters
    std::vector<Text> texts;
    std::vector<Spot> spots;         // not drawn
    std::vector<PinnedPart> pinned;  // not drawn: ranges of the lists above
};

// Calls f with each list of parts that is drawn, in the order of drawing. With several figures,
// each call gets this list from every figure.
template <class F, class... Figures>
void visit_drawn(F f, Figures&... figure) {
    f(figure.boxes...);
    f(figure.hatches...);
    f(figure.heatmaps...);
    f(figure.sums...);
    f(figure.colour_bars...);
    f(figure.connectors...);
    f(figure.areas...);
    f(figure.strokes...);
    f(figure.dots...);
    f(figure.chips...);
    f(figure.texts...);
}
// Calls f with every list of parts, drawn or not; otherwise as visit_drawn().
template <class F, class... Figures>
void visit(F f, Figures&... figure) {
    visit_drawn(f, figure...);
    f(figure.hidden...);
    f(figure.spots...);
    f(figure.pinned...);
}

// Multiplies all lengths of a part by `scale`, then moves the part. It recognizes lengths by the
// names below; a new kind of part uses these names, or adds its own.
template <class Part>
void move_by(Part& part, Point by, double scale = 1) {
    const auto move = [&](Point& p) { p = {by.x + p.x * scale, by.y + p.y * scale}; };
    if constexpr (requires { part.rect; }) {
        const Rect r = part.rect;
        part.rect = {by.x + r.x * scale, by.y + r.y * scale, r.w * scale, r.h * scale};
    }
    if constexpr (requires { part.within; }) {
        const Rect r = part.within;
        part.within = {by.x + r.x * scale, by.y + r.y * scale, r.w * scale, r.h * scale};
    }
    if constexpr (requires { part.at; }) move(part.at);
    if constexpr (requires { part.points; })
        for (Point& point : part.points) move(point);
    if constexpr (requires { part.radius *= scale; }) part.radius *= scale;
    if constexpr (requires { part.width; }) part.width *= scale;
    if constexpr (requires { part.line_width; }) part.line_width *= scale;
    if constexpr (requires { part.max_width; }) part.max_width *= scale;
    if constexpr (requires { part.style; }) part.style.size *= scale;
    if constexpr (requires { part.text_size; }) part.text_size *= scale;
    if constexpr (requires { part.number_size; }) part.number_size *= scale;
}
// Moves every part of the figure, including those that are not drawn, after scaling it by `scale`.
void move_by(Figure& figure, Point by, double scale = 1);

}  // namespace maskscope
