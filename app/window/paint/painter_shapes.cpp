#include "app/window/paint/painter_shapes.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/draw_cell.h"
#include "app/window/paint/imgui_compat.h"

namespace maskscope {
namespace {

double whole_pixels(double width) { return std::max(1.0, std::round(width)); }

void clip_within(ImDrawList& list, const Rect& r) {
    list.PushClipRect(imgui_point({r.x, r.y}), imgui_point({r.right(), r.bottom()}), true);
}

void fill_triangle(const Brush& brush, const style::Triangle& corners, Role role) {
    brush.list.AddTriangleFilled(imgui_point(corners[0]), imgui_point(corners[1]),
                                 imgui_point(corners[2]), imgui_colour(brush.theme[role]));
}

void draw_shares(const Brush& brush, const SumBar& bar, const Rect& rect) {
    const double kept = std::clamp(bar.kept, 0.0, 1.0);
    const double leaked = std::clamp(bar.leaked, 0.0, 1 - kept);
    const double radius = style::sum_radius(rect);
    const auto share = [&](double from, double to) {
        return snapped({rect.x + from * rect.w, rect.y, (to - from) * rect.w, rect.h});
    };
    if (kept > 0) {
        // clipped and not narrower: a share keeps the round corners of the whole bar
        const bool whole = share(0, kept) == rect;  // every clip is a draw call of its own
        if (!whole) clip_within(brush.list, share(0, kept));
        fill_rect(brush, rect, radius, brush.theme[style::kept_role(bar)]);
        if (!whole) brush.list.PopClipRect();
    }
    if (leaked > 0) {
        const Rect part = share(kept, kept + leaked);
        clip_within(brush.list, part);
        fill_rect(brush, rect, radius, nan_ground(brush.theme));
        hatch_rect(brush, part, style::leak_hatch(rect, brush.theme));
        brush.list.PopClipRect();
    }
    outline_rect(brush, rect, radius, style::sum_line(rect), brush.theme[style::outline_role(bar)]);
}

void draw_nan_bar(const Brush& brush, const Rect& rect) {
    fill_rect(brush, rect, style::sum_radius(rect), nan_ground(brush.theme));
    hatch_rect(brush, rect, style::nan_hatch(rect, nan_lines(brush.theme)));
}

}  // namespace

Rect snapped(const Rect& rect) {
    const double x = std::round(rect.x), y = std::round(rect.y);
    return {x, y, std::round(rect.right()) - x, std::round(rect.bottom()) - y};
}

void fill_rect(const Brush& brush, const Rect& r, double radius, Colour colour) {
    brush.list.AddRectFilled(imgui_point({r.x, r.y}), imgui_point({r.right(), r.bottom()}),
                             imgui_colour(colour), static_cast<float>(radius));
}

void outline_rect(const Brush& brush, const Rect& r, double radius, double line_width,
                  Colour colour) {
    // ImGui shifts the corners by half a pixel: with whole widths the edges stay on pixels
    const double width = whole_pixels(line_width), in = (width - 1) / 2;
    brush.list.AddRect(imgui_point({r.x + in, r.y + in}),
                       imgui_point({r.right() - in, r.bottom() - in}), imgui_colour(colour),
                       static_cast<float>(std::max(0.0, radius - in)), 0,
                       static_cast<float>(width));
}

void hatch_rect(const Brush& brush, const Rect& r, const style::HatchLines& lines) {
    clip_within(brush.list, r);
    const ImU32 colour = imgui_colour(lines.colour);
    const auto width = static_cast<float>(std::max(1.0, lines.width));
    for (const auto& [from, to] : style::lines_across(r, lines))
        brush.list.AddLine(imgui_point(from), imgui_point(to), colour, width);
    brush.list.PopClipRect();
}

void draw_sum(const Brush& brush, const SumBar& bar) {
    const Rect rect = snapped(bar.rect);
    switch (bar.mark) {
        case SumBar::Mark::nan:
            return draw_nan_bar(brush, rect);
        case SumBar::Mark::empty:
            return outline_rect(brush, rect, style::sum_radius(rect), style::sum_line(rect),
                                brush.theme[Role::dim]);
        case SumBar::Mark::above_one:
            fill_triangle(brush, style::overflow_tip(rect, 1), style::kept_role(bar));
            break;
        case SumBar::Mark::none:
        case SumBar::Mark::by_design:
            break;
    }
    draw_shares(brush, bar, rect);
}

void draw_connector(const Brush& brush, const Connector& connector, double unit) {
    const auto tip = style::tip_of(connector, unit);
    if (!tip) return;
    const auto width = static_cast<float>(std::max(1.0, style::connector_line * unit));
    std::vector<ImVec2> points;
    for (const Point& point : style::path_of(connector, *tip, unit))
        points.push_back(imgui_point(point));
    brush.list.AddPolyline(points.data(), static_cast<int>(points.size()),
                           imgui_colour(brush.theme[Role::dim]), 0, width);
    if (connector.arrow) fill_triangle(brush, style::arrow_head(*tip, unit), Role::dim);
}

void draw_colour_bar(const Brush& brush, const Rect& r, ColourMap map) {
    const Rect bar = snapped(r);
    const bool upright = bar.h > bar.w;
    const int steps = static_cast<int>(std::lround(upright ? bar.h : bar.w));
    for (int k = 0; k < steps; ++k) {
        const Rect strip = upright ? Rect{bar.x, bar.bottom() - k - 1, bar.w, 1}
                                   : Rect{bar.x + k, bar.y, 1, bar.h};
        fill_rect(brush, strip, 0, map_colour(map, steps > 1 ? k / (steps - 1.0) : 0));
    }
}

// --- plots

// As triangles between the way out and the way back; without antialiased edges, which would show as
// seams between them.
void draw_area(const Brush& brush, const Area& area) {
    const std::size_t count = area.points.size();
    if (count < 3) return;
    const ImU32 colour = imgui_colour(style::area_colour(area, brush.theme));
    const ImDrawListFlags flags = brush.list.Flags;
    brush.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
        brush.list.AddTriangleFilled(imgui_point(area.points[a]), imgui_point(area.points[b]),
                                     imgui_point(area.points[c]), colour);
    };
    for (std::size_t there = 0, back = count - 1; there + 1 < back; ++there, --back) {
        triangle(there, there + 1, back);
        if (there + 1 < back - 1) triangle(there + 1, back - 1, back);
    }
    brush.list.Flags = flags;
}

void draw_stroke(const Brush& brush, const Stroke& stroke) {
    const ImU32 colour = imgui_colour(brush.theme[stroke.role]);
    const auto width = static_cast<float>(std::max(1.0, stroke.width));
    if (stroke.dashed) {
        for (const auto& [from, to] : style::dashes_of(stroke))
            brush.list.AddLine(imgui_point(from), imgui_point(to), colour, width);
        return;
    }
    std::vector<ImVec2> points;
    points.reserve(stroke.points.size());
    for (const Point& point : stroke.points) points.push_back(imgui_point(point));
    brush.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour,
                           stroke.closed ? ImDrawFlags_Closed : 0, width);
}

void draw_dot(const Brush& brush, const Dot& dot) {
    const ImVec2 at = imgui_point(dot.at);
    const auto radius = static_cast<float>(dot.radius);
    const ImU32 colour = imgui_colour(brush.theme[dot.role]);
    if (dot.filled) return brush.list.AddCircleFilled(at, radius, colour);
    brush.list.AddCircleFilled(at, radius, imgui_colour(brush.theme[Role::ground]));
    const auto width = static_cast<float>(std::max(1.0, dot.width));
    brush.list.AddCircle(at, radius - width / 2, colour, 0, width);
}

}  // namespace maskscope
