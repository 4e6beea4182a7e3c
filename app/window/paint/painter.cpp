#include "app/window/paint/painter.h"

#include <algorithm>
#include <cmath>

#include "app/figure/draw_cell.h"
#include "app/window/paint/screen_pen.h"

namespace maskscope {
namespace {

Point rounded(Point p) { return {std::round(p.x), std::round(p.y)}; }

// Returns the visible part of a rectangle.
Rect cut(const Rect& r, const Rect& by) {
    const double x = std::max(r.x, by.x), y = std::max(r.y, by.y);
    return {x, y, std::min(r.right(), by.right()) - x, std::min(r.bottom(), by.bottom()) - y};
}

bool is_seen(const Heatmap& heatmap, Cell cell) {
    return heatmap.cells && cell.i >= 0 && cell.j >= 0 && cell.i < heatmap.cells->rows &&
           cell.j < heatmap.cells->columns;
}

Rect grown(const Rect& r, double by) { return {r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by}; }

// Draws a light line in a black one, around a rectangle.
void frame(Gui& gui, ImDrawList& list, const Rect& r, double light, Colour colour) {
    const double black = std::max(1.0, std::round(light / 2));
    if (!(r.w > 0) || !(r.h > 0)) return;
    ScreenPen pen(gui, list);
    pen.outline(grown(r, light + black), 0, light + 2 * black, {0, 0, 0});
    pen.outline(grown(r, light), 0, light, colour);
}

}  // namespace

Heatmap on_screen(Heatmap heatmap, Point offset, double scale) {
    move_by(heatmap, rounded(offset), scale);
    return heatmap;
}

void paint(Gui& gui, ImDrawList& list, Figure figure, Point offset, double scale) {
    move_by(figure, rounded(offset), scale);
    ScreenPen pen(gui, list);
    draw(pen, figure);
}

void frame_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell) {
    if (!is_seen(heatmap, cell)) return;
    const double width = std::max(1.0, std::round(2 * gui.scale));
    frame(gui, list, cut(inner_rect(heatmap, cell.i, cell.j, 1), heatmap.rect), width,
          {255, 255, 255});
}

void frame_changed(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell) {
    if (!is_seen(heatmap, cell)) return;
    const double width = std::max(1.0, std::round(gui.scale));
    const Rect inside = grown(inner_rect(heatmap, cell.i, cell.j, 1), -width - 1);
    frame(gui, list, cut(inside, heatmap.rect), width, {255, 255, 255});
}

namespace {

// Frames a row or a column, less prominently than a cell.
void frame_line(Gui& gui, ImDrawList& list, const Heatmap& heatmap, const Rect& line) {
    const double width = std::max(1.0, std::round(gui.scale));
    constexpr Colour quieter{210, 214, 220};
    frame(gui, list, cut(line, heatmap.rect), width, quieter);
}

}  // namespace

void frame_row(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Index i) {
    if (!is_seen(heatmap, {i, 0})) return;
    const Rect at = inner_rect(heatmap, i, 0, 1);
    frame_line(gui, list, heatmap, {heatmap.rect.x, at.y, heatmap.rect.w, at.h});
}

void frame_column(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Index j) {
    if (!is_seen(heatmap, {0, j})) return;
    const Rect at = inner_rect(heatmap, 0, j, 1);
    frame_line(gui, list, heatmap, {at.x, heatmap.rect.y, at.w, heatmap.rect.h});
}

void ring_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell) {
    if (!is_seen(heatmap, cell)) return;
    const Rect r = inner_rect(heatmap, cell.i, cell.j, 1);
    if (!heatmap.rect.contains({r.x + r.w / 2, r.y + r.h / 2})) return;
    // A cell too small to be visible gets some space around it, too.
    const double width = std::max(2.0, std::round(3 * gui.scale)), least = 10 * gui.scale;
    const double beside = width + 1 + std::max(0.0, (least - std::min(r.w, r.h)) / 2);
    const Rect ring = grown(r, beside);
    const double radius = std::min(ring.w, ring.h) / 4;
    const Colour odd = colours(gui)[Role::odd];
    ScreenPen pen(gui, list);
    pen.push_clip(grown(heatmap.rect, beside + width));  // even for a cell that is cut
    pen.outline(grown(ring, 1), radius + 1, width + 2, ink_on(odd));
    pen.outline(ring, radius, width, odd);
    pen.pop_clip();
}

}  // namespace maskscope
