#include "app/window/paint/painter.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/cell_pixels.h"
#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/style/labels.h"
#include "app/window/paint/heatmap.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/paint/label_atlas.h"
#include "app/window/paint/painter_shapes.h"

namespace maskscope {
namespace {

Rect placed(const Rect& r, Point offset, double scale) {
    return {offset.x + r.x * scale, offset.y + r.y * scale, r.w * scale, r.h * scale};
}

Point placed(Point p, Point offset, double scale) {
    return {offset.x + p.x * scale, offset.y + p.y * scale};
}

Point rounded(Point p) { return {std::round(p.x), std::round(p.y)}; }

Text placed(Text text, Point offset, double scale) {
    text.at = placed(text.at, offset, scale);
    text.style.size *= scale;
    text.max_width *= scale;
    return text;
}

void paint_box(const Brush& brush, Box box, Point offset, double scale) {
    const Rect rect = snapped(placed(box.rect, offset, scale));
    if (box.filled) fill_rect(brush, rect, box.radius * scale, brush.theme[box.fill]);
    if (box.outlined)
        outline_rect(brush, rect, box.radius * scale, box.line_width * scale,
                     brush.theme[box.outline]);
}

// The legend's square: the ground and the lines of a cell.
void paint_hatch(const Brush& brush, const Hatch& hatch, Point offset, double scale) {
    const Rect rect = snapped(placed(hatch.rect, offset, scale));
    const style::CellStyle cell = style::cell_style(std::min(rect.w, rect.h));
    const bool crossed = hatch.ground == Ground::cross_hatch;
    fill_rect(brush, rect, 0, crossed ? nan_ground(brush.theme) : brush.theme[Role::panel]);
    hatch_rect(brush, rect,
               {cell.hatch_pitch, cell.hatch_width,
                crossed ? nan_lines(brush.theme) : brush.theme[hatch.role], crossed});
    if (!crossed) outline_rect(brush, rect, 0, cell.gap, brush.theme[Role::line]);
}

void paint_number(Gui& gui, const Brush& brush, const Heatmap& heatmap, Index i, Index j) {
    const CellLook look = look_of(heatmap, i, j, brush.theme);
    if (!look.numbered) return;
    const Rect cell = inner_rect(heatmap, i, j, 1);
    const CellNumber number = number_of(heatmap, i, j, look, cell);
    if (number.cleared) fill_rect(brush, snapped(*number.cleared), 0, look.ground);
    gui.labels->draw(brush.list, number.text, look.ink);
}

void clip_to(ImDrawList& list, const Rect& r) {
    list.PushClipRect(imgui_point(rounded({r.x, r.y})),
                      imgui_point(rounded({r.right(), r.bottom()})), true);
}

void paint_numbers(Gui& gui, const Brush& brush, const Heatmap& heatmap) {
    clip_to(brush.list, heatmap.rect);
    const SeenCells seen = seen_cells(heatmap);
    for (Index i = seen.begin.i; i < seen.end.i; ++i)
        for (Index j = seen.begin.j; j < seen.end.j; ++j) paint_number(gui, brush, heatmap, i, j);
    brush.list.PopClipRect();
}

bool is_clipped(const ImDrawList& list, const Rect& r) {
    const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
    return r.right() <= low.x || r.bottom() <= low.y || r.x >= high.x || r.y >= high.y;
}

void paint_heatmap(Gui& gui, const Brush& brush, const Heatmap& heatmap) {
    if (is_clipped(brush.list, heatmap.rect)) return;
    const Picture picture = gui.textures->draw(heatmap, brush.theme);
    if (picture.texture == 0) return;
    const Point low{static_cast<double>(picture.x), static_cast<double>(picture.y)};
    brush.list.AddImage(imgui_texture(picture.texture), imgui_point(low),
                        imgui_point({low.x + picture.width, low.y + picture.height}));
    if (heatmap.number_size > 0) paint_numbers(gui, brush, heatmap);
}

void paint_sum(Gui& gui, const Brush& brush, SumBar bar, Point offset, double scale) {
    bar.rect = placed(bar.rect, offset, scale);
    bar.text_size *= scale;
    draw_sum(brush, bar);
    if (const Text text = style::sum_text(bar); !text.text.empty())
        gui.labels->draw(brush.list, text, brush.theme[text.role]);
}

void paint_connector(const Brush& brush, Connector connector, double unit, Point offset,
                     double scale) {
    for (Point& point : connector.points) point = placed(point, offset, scale);
    draw_connector(brush, connector, unit * scale);
}

void paint_plots(const Brush& brush, const Figure& figure, Point offset, double scale) {
    const auto place = [&](std::vector<Point>& points) {
        for (Point& point : points) point = placed(point, offset, scale);
    };
    for (Area area : figure.areas) {
        place(area.points);
        draw_area(brush, area);
    }
    for (Stroke stroke : figure.strokes) {
        place(stroke.points);
        stroke.width *= scale;
        draw_stroke(brush, stroke);
    }
    for (Dot dot : figure.dots) {
        dot.at = placed(dot.at, offset, scale);
        dot.radius *= scale;
        dot.width *= scale;
        draw_dot(brush, dot);
    }
}

// The visible part of a rectangle.
Rect cut(const Rect& r, const Rect& by) {
    const double x = std::max(r.x, by.x), y = std::max(r.y, by.y);
    return {x, y, std::min(r.right(), by.right()) - x, std::min(r.bottom(), by.bottom()) - y};
}

bool is_seen(const Heatmap& heatmap, Cell cell) {
    return heatmap.cells && cell.i >= 0 && cell.j >= 0 && cell.i < heatmap.cells->rows &&
           cell.j < heatmap.cells->columns;
}

Rect grown(const Rect& r, double by) { return {r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by}; }

// A light line in a black one, around a rectangle.
void frame(const Brush& brush, const Rect& r, double light, Colour colour) {
    const double black = std::max(1.0, std::round(light / 2));
    if (!(r.w > 0) || !(r.h > 0)) return;
    outline_rect(brush, grown(r, light + black), 0, light + 2 * black, {0, 0, 0});
    outline_rect(brush, grown(r, light), 0, light, colour);
}

}  // namespace

Heatmap on_screen(const Heatmap& heatmap, Point offset, double scale) {
    Heatmap moved = heatmap;
    moved.rect = placed(heatmap.rect, rounded(offset), scale);
    moved.number_size *= scale;
    return moved;
}

void paint(Gui& gui, ImDrawList& list, const Figure& figure, Point offset, double scale) {
    const Brush brush{list, colours(gui)};
    const Point at = rounded(offset);
    for (const Box& box : figure.boxes) paint_box(brush, box, at, scale);
    for (const Hatch& hatch : figure.hatches) paint_hatch(brush, hatch, at, scale);
    for (const Heatmap& heatmap : figure.heatmaps)
        paint_heatmap(gui, brush, on_screen(heatmap, at, scale));
    for (const SumBar& bar : figure.sums) paint_sum(gui, brush, bar, at, scale);
    for (const ColourBar& bar : figure.colour_bars)
        draw_colour_bar(brush, placed(bar.rect, at, scale), shown_map(bar.map, brush.theme));
    for (const Connector& connector : figure.connectors)
        paint_connector(brush, connector, figure.unit, at, scale);
    paint_plots(brush, figure, at, scale);
    for (const Box& chip : figure.chips) paint_box(brush, chip, at, scale);
    for (const Text& text : figure.texts)
        gui.labels->draw(list, placed(text, at, scale), brush.theme[text.role]);
}

void frame_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell) {
    if (!is_seen(heatmap, cell)) return;
    const double width = std::max(1.0, std::round(2 * gui.scale));
    frame({list, colours(gui)}, cut(inner_rect(heatmap, cell.i, cell.j, 1), heatmap.rect), width,
          {255, 255, 255});
}

void frame_changed(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell) {
    if (!is_seen(heatmap, cell)) return;
    const double width = std::max(1.0, std::round(gui.scale));
    const Rect inside = grown(inner_rect(heatmap, cell.i, cell.j, 1), -width - 1);
    frame({list, colours(gui)}, cut(inside, heatmap.rect), width, {255, 255, 255});
}

namespace {

// A row or a column, quieter than a cell.
void frame_line(Gui& gui, ImDrawList& list, const Heatmap& heatmap, const Rect& line) {
    const double width = std::max(1.0, std::round(gui.scale));
    constexpr Colour quieter{210, 214, 220};
    frame({list, colours(gui)}, cut(line, heatmap.rect), width, quieter);
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
    // Around a cell too small to be seen there is some room, too.
    const double width = std::max(2.0, std::round(3 * gui.scale)), least = 10 * gui.scale;
    const double beside = width + 1 + std::max(0.0, (least - std::min(r.w, r.h)) / 2);
    const Rect ring = grown(r, beside);
    const double radius = std::min(ring.w, ring.h) / 4;
    const Colour odd = colours(gui)[Role::odd];
    clip_to(list, grown(heatmap.rect, beside + width));  // of a cell that is cut, too
    outline_rect({list, colours(gui)}, grown(ring, 1), radius + 1, width + 2, ink_on(odd));
    outline_rect({list, colours(gui)}, ring, radius, width, odd);
    list.PopClipRect();
}

}  // namespace maskscope
