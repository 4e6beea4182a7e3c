#include "app/figure/draw_shapes.h"

#include <algorithm>
#include <cmath>

#include "app/figure/draw_cell.h"
#include "app/figure/style.h"
#include "app/figure/style/labels.h"

namespace maskscope {
namespace {

void set_colour(cairo_t* cairo, Colour c) {
    cairo_set_source_rgba(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

void rect_path(cairo_t* cairo, const Rect& r, double radius) {
    radius = std::min({radius, r.w / 2, r.h / 2});
    if (!(radius > 0)) return cairo_rectangle(cairo, r.x, r.y, r.w, r.h);
    const double quarter = std::acos(-1.0) / 2;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, r.right() - radius, r.y + radius, radius, -quarter, 0);
    cairo_arc(cairo, r.right() - radius, r.bottom() - radius, radius, 0, quarter);
    cairo_arc(cairo, r.x + radius, r.bottom() - radius, radius, quarter, 2 * quarter);
    cairo_arc(cairo, r.x + radius, r.y + radius, radius, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
}

// Whole pixels, at least one, in points.
double snapped_width(const Canvas& canvas, double width) {
    return std::max(1.0, std::round(width * canvas.scale)) / canvas.scale;
}

// --- sums

Role kept_role(const SumBar& bar) { return bar.status == Role::right ? Role::right : Role::odd; }

// The part of the bar between two shares of 1.
Rect share_of(const Canvas& canvas, const Rect& bar, double from, double to) {
    return snapped(canvas, {bar.x + from * bar.w, bar.y, (to - from) * bar.w, bar.h});
}

void draw_shares(const Canvas& canvas, const SumBar& bar, const Rect& rect) {
    const double kept = std::clamp(bar.kept, 0.0, 1.0);
    const double leaked = std::clamp(bar.leaked, 0.0, 1 - kept);
    cairo_save(canvas.cairo);
    rect_path(canvas.cairo, rect, style::sum_radius(rect));
    cairo_clip(canvas.cairo);
    if (kept > 0)
        fill_rect(canvas, share_of(canvas, rect, 0, kept), 0, canvas.theme[kept_role(bar)]);
    if (leaked > 0) {
        const Rect part = share_of(canvas, rect, kept, kept + leaked);
        fill_rect(canvas, part, 0, nan_ground(canvas.theme));
        hatch_rect(
            canvas, part,
            {style::sum_hatch_pitch(rect), style::sum_line(rect), canvas.theme[Role::wrong]});
    }
    cairo_restore(canvas.cairo);
    const Role outline = kept > 0 || !(leaked > 0) ? kept_role(bar) : Role::wrong;
    outline_rect(canvas, rect, style::sum_radius(rect), style::sum_line(rect),
                 canvas.theme[outline]);
}

void draw_nan_bar(const Canvas& canvas, const Rect& rect) {
    cairo_save(canvas.cairo);
    rect_path(canvas.cairo, rect, style::sum_radius(rect));
    cairo_clip(canvas.cairo);
    fill_rect(canvas, rect, 0, nan_ground(canvas.theme));
    hatch_rect(canvas, rect,
               {1.5 * style::sum_hatch_pitch(rect), 0.8 * style::sum_line(rect),
                nan_lines(canvas.theme), true});
    cairo_restore(canvas.cairo);
}

// A tip beyond the weight 1: the sum goes on.
void draw_overflow(const Canvas& canvas, const SumBar& bar, const Rect& rect) {
    const double x = rect.right() + snapped_width(canvas, 1);
    cairo_move_to(canvas.cairo, x, rect.y);
    cairo_line_to(canvas.cairo, x + style::sum_overflow(rect), rect.y + rect.h / 2);
    cairo_line_to(canvas.cairo, x, rect.bottom());
    cairo_close_path(canvas.cairo);
    set_colour(canvas.cairo, canvas.theme[kept_role(bar)]);
    cairo_fill(canvas.cairo);
}

void draw_sum_text(const Canvas& canvas, const SumBar& bar) {
    if (bar.text.empty()) return;
    const Text text = style::sum_text(bar);
    show_text(canvas.cairo, text, canvas.theme[text.role]);
}

// --- connectors

// The tip at `to`, arriving along (dx, dy), of length 1.
void draw_arrow(cairo_t* cairo, Point to, double dx, double dy, double unit) {
    const double length = style::arrow_length * unit, half = style::arrow_width * unit / 2;
    const Point base{to.x - length * dx, to.y - length * dy};
    cairo_move_to(cairo, to.x, to.y);
    cairo_line_to(cairo, base.x - half * dy, base.y + half * dx);
    cairo_line_to(cairo, base.x + half * dy, base.y - half * dx);
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

}  // namespace

Rect snapped(const Canvas& canvas, const Rect& rect) {
    const auto snap = [&canvas](double x) { return std::round(x * canvas.scale) / canvas.scale; };
    const double x = snap(rect.x), y = snap(rect.y);
    return {x, y, snap(rect.right()) - x, snap(rect.bottom()) - y};
}

void fill_rect(const Canvas& canvas, const Rect& rect, double radius, Colour colour) {
    cairo_new_path(canvas.cairo);
    rect_path(canvas.cairo, rect, radius);
    set_colour(canvas.cairo, colour);
    cairo_fill(canvas.cairo);
}

void outline_rect(const Canvas& canvas, const Rect& rect, double radius, double line_width,
                  Colour colour) {
    const double width = snapped_width(canvas, line_width), in = width / 2;
    cairo_new_path(canvas.cairo);
    rect_path(canvas.cairo, {rect.x + in, rect.y + in, rect.w - width, rect.h - width},
              std::max(0.0, radius - in));
    cairo_set_line_width(canvas.cairo, width);
    set_colour(canvas.cairo, colour);
    cairo_stroke(canvas.cairo);
}

void hatch_rect(const Canvas& canvas, const Rect& rect, const HatchLines& lines) {
    cairo_save(canvas.cairo);
    cairo_new_path(canvas.cairo);
    cairo_rectangle(canvas.cairo, rect.x, rect.y, rect.w, rect.h);
    cairo_clip(canvas.cairo);
    const int count = static_cast<int>(std::lround((rect.w + rect.h) / lines.pitch));
    for (int k = 0; k < count; ++k) {
        const double x = (k + 0.5) * lines.pitch;
        cairo_move_to(canvas.cairo, rect.x + x, rect.y);
        cairo_line_to(canvas.cairo, rect.x + x - rect.h, rect.bottom());
        if (!lines.crossed) continue;
        cairo_move_to(canvas.cairo, rect.right() - x, rect.y);
        cairo_line_to(canvas.cairo, rect.right() - x + rect.h, rect.bottom());
    }
    cairo_set_line_width(canvas.cairo, std::max(lines.width, 1 / canvas.scale));
    cairo_set_line_cap(canvas.cairo, CAIRO_LINE_CAP_SQUARE);
    set_colour(canvas.cairo, lines.colour);
    cairo_stroke(canvas.cairo);
    cairo_restore(canvas.cairo);
}

void draw_sum(const Canvas& canvas, const SumBar& bar) {
    const Rect rect = snapped(canvas, bar.rect);
    switch (bar.mark) {
        case SumBar::Mark::nan:
            draw_nan_bar(canvas, rect);
            break;
        case SumBar::Mark::empty:
            outline_rect(canvas, rect, style::sum_radius(rect), style::sum_line(rect),
                         canvas.theme[Role::dim]);
            break;
        case SumBar::Mark::above_one:
            draw_overflow(canvas, bar, rect);
            [[fallthrough]];
        case SumBar::Mark::none:
        case SumBar::Mark::by_design:
            draw_shares(canvas, bar, rect);
            break;
    }
    draw_sum_text(canvas, bar);
}

void draw_connector(const Canvas& canvas, const Connector& connector, double unit) {
    const auto tip = style::tip_of(connector, unit);
    if (!tip) return;
    cairo_t* cairo = canvas.cairo;
    const Point end = tip->line_end;
    set_colour(cairo, canvas.theme[Role::dim]);
    cairo_set_line_width(cairo, snapped_width(canvas, style::connector_line * unit));
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_move_to(cairo, connector.points.front().x, connector.points.front().y);
    if (connector.curved) {
        const style::Curve curve = style::curve_of(connector);
        cairo_curve_to(cairo, curve.control_1.x, curve.control_1.y, curve.control_2.x - tip->length,
                       curve.control_2.y, end.x, end.y);
    } else {
        for (std::size_t k = 1; k + 1 < connector.points.size(); ++k)
            cairo_line_to(cairo, connector.points[k].x, connector.points[k].y);
        cairo_line_to(cairo, end.x, end.y);
    }
    cairo_stroke(cairo);
    if (connector.arrow) draw_arrow(cairo, tip->to, tip->dx, tip->dy, unit);
}

// --- plots

namespace {

void path_of(cairo_t* cairo, const std::vector<Point>& points) {
    cairo_new_path(cairo);
    for (const Point& point : points) cairo_line_to(cairo, point.x, point.y);
}

void circle(cairo_t* cairo, Point at, double radius) {
    cairo_new_path(cairo);
    cairo_arc(cairo, at.x, at.y, radius, 0, 2 * std::acos(-1.0));
}

}  // namespace

void draw_area(const Canvas& canvas, const Area& area) {
    path_of(canvas.cairo, area.points);
    cairo_close_path(canvas.cairo);
    set_colour(canvas.cairo, style::area_colour(area, canvas.theme));
    cairo_fill(canvas.cairo);
}

void draw_stroke(const Canvas& canvas, const Stroke& stroke) {
    cairo_t* cairo = canvas.cairo;
    set_colour(cairo, canvas.theme[stroke.role]);
    cairo_set_line_width(cairo, std::max(stroke.width, 1 / canvas.scale));
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT);
    if (stroke.dashed) {
        cairo_new_path(cairo);
        for (const auto& [from, to] : style::dashes_of(stroke)) {
            cairo_move_to(cairo, from.x, from.y);
            cairo_line_to(cairo, to.x, to.y);
        }
    } else {
        path_of(cairo, stroke.points);
        if (stroke.closed) cairo_close_path(cairo);
    }
    cairo_stroke(cairo);
}

void draw_dot(const Canvas& canvas, const Dot& dot) {
    cairo_t* cairo = canvas.cairo;
    circle(cairo, dot.at, dot.radius);
    set_colour(cairo, canvas.theme[dot.filled ? dot.role : Role::ground]);
    cairo_fill(cairo);
    if (dot.filled) return;
    circle(cairo, dot.at, dot.radius - dot.width / 2);
    set_colour(cairo, canvas.theme[dot.role]);
    cairo_set_line_width(cairo, std::max(dot.width, 1 / canvas.scale));
    cairo_stroke(cairo);
}

}  // namespace maskscope
