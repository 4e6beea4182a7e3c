#include "app/window/paint/painter.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/figure/draw_cell.h"
#include "app/window/paint/heatmap.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"

namespace maskscope {

namespace {

float at_least_a_pixel(double width) { return static_cast<float>(std::max(1.0, width)); }

bool is_clipped(const ImDrawList& list, const Rect& r) {
    const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
    return r.right() <= low.x || r.bottom() <= low.y || r.x >= high.x || r.y >= high.y;
}

}  // namespace

void ScreenPen::push_clip(const Rect& rect) {
    const Rect r = snapped(rect);
    list_.PushClipRect(imgui_point({r.x, r.y}), imgui_point({r.right(), r.bottom()}), true);
}

void ScreenPen::pop_clip() { list_.PopClipRect(); }

// Fills a rectangle. ImGui clips only to rectangles. To clip a rectangle to a rounded one, this
// fills the rounded one instead, clipped to the rectangle. Clips only if necessary, because every
// clip is a draw call.
void ScreenPen::fill(const Rect& rect, double radius, Colour colour) {
    const auto [whole, round] = rounded_.value_or(RoundedRect{rect, radius});
    const bool is_cut = rect != whole;
    if (is_cut) push_clip(rect);
    list_.AddRectFilled(imgui_point({whole.x, whole.y}),
                        imgui_point({whole.right(), whole.bottom()}), imgui_colour(colour),
                        static_cast<float>(round));
    if (is_cut) pop_clip();
}

void ScreenPen::outline(const Rect& r, double radius, double line_width, Colour colour) {
    // ImGui shifts corners by half a pixel; with whole widths, edges stay on pixels
    const double width = std::max(1.0, std::round(line_width)), in = (width - 1) / 2;
    list_.AddRect(imgui_point({r.x + in, r.y + in}), imgui_point({r.right() - in, r.bottom() - in}),
                  imgui_colour(colour), static_cast<float>(std::max(0.0, radius - in)), 0,
                  static_cast<float>(width));
}

void ScreenPen::hatch(const Rect& rect, const style::HatchLines& lines) {
    push_clip(rect);
    for (const auto& [from, to] : style::lines_across(rect, lines))
        list_.AddLine(imgui_point(from), imgui_point(to), imgui_colour(lines.colour),
                      at_least_a_pixel(lines.width));
    pop_clip();
}

// Draws triangles between the outgoing and the returning outline, without antialiased edges, which
// would show as seams between them.
void ScreenPen::polygon(std::span<const Point> points, Colour colour) {
    const std::size_t count = points.size();
    if (count < 3) return;
    const ImDrawListFlags flags = list_.Flags;
    list_.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (std::size_t there = 0, back = count - 1; there + 1 < back; ++there, --back) {
        triangle({points[there], points[there + 1], points[back]}, colour);
        if (there + 1 < back - 1)
            triangle({points[there + 1], points[back - 1], points[back]}, colour);
    }
    list_.Flags = flags;
}

void ScreenPen::triangle(const style::Triangle& corners, Colour colour) {
    list_.AddTriangleFilled(imgui_point(corners[0]), imgui_point(corners[1]),
                            imgui_point(corners[2]), imgui_colour(colour));
}

void ScreenPen::line(const Stroke& stroke) {
    const ImU32 colour = imgui_colour(theme[stroke.role]);
    const float width = at_least_a_pixel(stroke.width);
    if (stroke.dashed) {
        for (const auto& [from, to] : style::dashes_of(stroke))
            list_.AddLine(imgui_point(from), imgui_point(to), colour, width);
        return;
    }
    std::span<const Point> path = stroke.points;
    // a repeated first point has no direction, and ImGui would begin with a wedge
    if (path.size() > 1 && path[0] == path[1]) path = path.subspan(1);
    std::vector<ImVec2> points;
    points.reserve(path.size());
    for (const Point& point : path) points.push_back(imgui_point(point));
    list_.AddPolyline(points.data(), static_cast<int>(points.size()), colour,
                      stroke.closed ? ImDrawFlags_Closed : 0, width);
}

void ScreenPen::dot(const Dot& dot) {
    const ImVec2 at = imgui_point(dot.at);
    const auto radius = static_cast<float>(dot.radius);
    const ImU32 colour = imgui_colour(theme[dot.role]);
    if (dot.filled) return list_.AddCircleFilled(at, radius, colour);
    list_.AddCircleFilled(at, radius, imgui_colour(theme[Role::ground]));
    const float width = at_least_a_pixel(dot.width);
    list_.AddCircle(at, radius - width / 2, colour, 0, width);
}

void ScreenPen::text(const Text& text, Colour colour) { gui_.labels->draw(list_, text, colour); }

bool ScreenPen::cells(const Heatmap& heatmap) {
    if (is_clipped(list_, heatmap.rect)) return false;
    const Picture picture = gui_.textures->draw(heatmap, theme);
    if (picture.texture == 0) return false;
    const Point low{static_cast<double>(picture.x), static_cast<double>(picture.y)};
    list_.AddImage(imgui_texture(picture.texture), imgui_point(low),
                   imgui_point({low.x + picture.width, low.y + picture.height}));
    return true;
}

namespace {

Point rounded(Point p) { return {std::round(p.x), std::round(p.y)}; }

// Returns the part of a rectangle within another.
Rect cut(const Rect& r, const Rect& by) {
    const double x = std::max(r.x, by.x), y = std::max(r.y, by.y);
    return {x, y, std::min(r.right(), by.right()) - x, std::min(r.bottom(), by.bottom()) - y};
}

bool is_seen(const Heatmap& heatmap, Cell cell) {
    return heatmap.cells && cell.i >= 0 && cell.j >= 0 && cell.i < heatmap.cells->rows &&
           cell.j < heatmap.cells->columns;
}

Rect grown(const Rect& r, double by) { return {r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by}; }

// Draws a light line inside a black one, around a rectangle.
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

// Frames a row or a column, less prominently than a single cell.
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
    // Give a cell that is too small to be seen some space within its frame.
    const double width = std::max(2.0, std::round(3 * gui.scale)), least = 10 * gui.scale;
    const double beside = width + 1 + std::max(0.0, (least - std::min(r.w, r.h)) / 2);
    const Rect ring = grown(r, beside);
    const double radius = std::min(ring.w, ring.h) / 4;
    const Colour odd = colours(gui)[Role::odd];
    ScreenPen pen(gui, list);
    pen.push_clip(grown(heatmap.rect, beside + width));  // also around a cell that is cut
    pen.outline(grown(ring, 1), radius + 1, width + 2, ink_on(odd));
    pen.outline(ring, radius, width, odd);
    pen.pop_clip();
}

}  // namespace maskscope
