#pragma once
// The pieces of a figure that know nothing about attention: points, boxes, lines of text.

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
    double size = 13;  // points; the height of the em
    Weight weight = Weight::regular;
    bool mono = false;
    bool operator==(const TextStyle&) const = default;
};

struct Text {
    Point at;          // the anchor on the x axis, the middle of the line's height on the y axis
    std::string text;  // UTF-8, any script
    TextStyle style;
    Role role = Role::ink;
    Anchor anchor = Anchor::left;
    double max_width = 0;   // 0 = none; beyond it the text is shortened with an ellipsis
    bool vertical = false;  // reads upwards; `at` is then its bottom end, at the middle of its
                            // height
};

struct Box {
    Rect rect;
    double radius = 0;
    bool filled = false, outlined = false;
    Role fill = Role::panel, outline = Role::line;
    double line_width = 1;
};

// The visible part of the matrix, as fractions; {0, 0, 1, 1} is all of it, as always in files.
struct Zoom {
    double x0 = 0, y0 = 0, x1 = 1, y1 = 1;
    bool operator==(const Zoom&) const = default;
};

}  // namespace maskscope
