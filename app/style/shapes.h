#pragma once
// Parts of a figure that do not depend on attention: points, boxes, lines of text.

#include <string>

#include "app/style/theme.h"

namespace maskscope {

struct Point {
    double x = 0, y = 0;
    bool operator==(const Point&) const = default;
};

struct Rect {
    double x = 0, y = 0, w = 0, h = 0;
    double right() const { return x + w; }
    double bottom() const { return y + h; }
    bool contains(Point p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
    bool operator==(const Rect&) const = default;
};

enum class Weight { regular, medium, semibold, bold };
enum class Anchor { left, centre, right };

struct TextStyle {
    double size = 13;  // points: the height of an em
    Weight weight = Weight::regular;
    bool mono = false;
    bool operator==(const TextStyle&) const = default;
};

struct Text {
    Point at;          // x: of the anchor; y: of the middle of the line's height
    std::string text;  // UTF-8, in any script
    TextStyle style;
    Role role = Role::ink;
    Anchor anchor = Anchor::left;
    double max_width = 0;   // 0 = none; wider text ends with an ellipsis
    bool vertical = false;  // reads upwards; `at` is then its bottom end, in the middle of its
                            // height
};

struct Box {
    Rect rect;
    double radius = 0;
    bool filled = false, outlined = false;
    Role fill = Role::panel, outline = Role::line;
    double line_width = 1;
};

// The visible part of the matrix, as fractions; {0, 0, 1, 1} is the whole matrix, as in files
// unless they are to show only some rows or columns.
struct Zoom {
    double x0 = 0, y0 = 0, x1 = 1, y1 = 1;
    bool operator==(const Zoom&) const = default;
};

}  // namespace maskscope
