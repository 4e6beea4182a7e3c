#pragma once
// The shapes of a figure in cairo: rectangles, hatches, sum bars, connectors. Lengths in points.

#include <cairo.h>

#include "app/figure/style.h"

namespace maskscope {

struct Canvas {
    cairo_t* cairo;  // scaled: one unit is a point
    const Theme& theme;
    double scale;  // pixels per point
};

Rect snapped(const Canvas& canvas, const Rect& rect);  // its edges on whole pixels

void fill_rect(const Canvas& canvas, const Rect& rect, double radius, Colour colour);
// Within the rectangle, at least one pixel wide.
void outline_rect(const Canvas& canvas, const Rect& rect, double radius, double line_width,
                  Colour colour);

void hatch_rect(const Canvas& canvas, const Rect& rect, const style::HatchLines& lines);

void draw_sum(const Canvas& canvas, const SumBar& bar);  // with its text
void draw_connector(const Canvas& canvas, const Connector& connector, double unit);
void draw_area(const Canvas& canvas, const Area& area);
void draw_stroke(const Canvas& canvas, const Stroke& stroke);
void draw_dot(const Canvas& canvas, const Dot& dot);

}  // namespace maskscope
