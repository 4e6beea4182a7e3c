#pragma once
// The shapes of a figure in ImGui, as app/figure/draw_shapes.h draws them in cairo. Lengths in
// pixels.

#include "app/figure/style.h"

struct ImDrawList;

namespace maskscope {

struct Brush {
    ImDrawList& list;
    const Theme& theme;
};

Rect snapped(const Rect& rect);  // its edges on whole pixels

void fill_rect(const Brush& brush, const Rect& rect, double radius, Colour colour);
// Within the rectangle, at least one pixel wide.
void outline_rect(const Brush& brush, const Rect& rect, double radius, double line_width,
                  Colour colour);

void hatch_rect(const Brush& brush, const Rect& rect, const style::HatchLines& lines);

void draw_sum(const Brush& brush, const SumBar& bar);  // without its text
void draw_connector(const Brush& brush, const Connector& connector, double unit);
void draw_area(const Brush& brush, const Area& area);
void draw_stroke(const Brush& brush, const Stroke& stroke);
void draw_dot(const Brush& brush, const Dot& dot);
void draw_colour_bar(const Brush& brush, const Rect& rect, ColourMap map);

}  // namespace maskscope
