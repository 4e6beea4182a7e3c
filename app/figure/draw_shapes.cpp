#include "app/figure/draw_shapes.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "app/figure/draw_cell.h"
#include "app/style/labels.h"

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

void polygon(cairo_t* cairo, std::span<const Point> points) {
    cairo_new_path(cairo);
    for (const Point& point : points) cairo_line_to(cairo, point.x, point.y);
    cairo_close_path(cairo);
}

void add_lines(cairo_t* cairo, const style::Lines& lines) {
    cairo_new_path(cairo);
    for (const auto& [from, to] : lines) {
        cairo_move_to(cairo, from.x, from.y);
        cairo_line_to(cairo, to.x, to.y);
    }
}

// --- sums

void draw_shares(const Canvas& canvas, const SumBar& bar, const Rect& rect) {
    const double kept = std::clamp(bar.kept, 0.0, 1.0);
    const double leaked = std::clamp(bar.leaked, 0.0, 1 - kept);
    const auto share = [&](double from, double to) {
        return snapped(canvas, {rect.x + from * rect.w, rect.y, (to - from) * rect.w, rect.h});
    };
    cairo_save(canvas.cairo);
    rect_path(canvas.cairo, rect, style::sum_radius(rect));
    cairo_clip(canvas.cairo);
    if (kept > 0) fill_rect(canvas, share(0, kept), 0, canvas.theme[style::kept_role(bar)]);
    if (leaked > 0) {
        const Rect part = share(kept, kept + leaked);
        fill_rect(canvas, part, 0, nan_ground(canvas.theme));
        hatch_rect(canvas, part, style::leak_hatch(rect, canvas.theme));
    }
    cairo_restore(canvas.cairo);
    outline_rect(canvas, rect, style::sum_radius(rect), style::sum_line(rect),
                 canvas.theme[style::outline_role(bar)]);
}

void draw_nan_bar(const Canvas& canvas, const Rect& rect) {
    cairo_save(canvas.cairo);
    rect_path(canvas.cairo, rect, style::sum_radius(rect));
    cairo_clip(canvas.cairo);
    fill_rect(canvas, rect, 0, nan_ground(canvas.theme));
    hatch_rect(canvas, rect, style::nan_hatch(rect, nan_lines(canvas.theme)));
    cairo_restore(canvas.cairo);
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

void hatch_rect(const Canvas& canvas, const Rect& rect, const style::HatchLines& lines) {
    cairo_save(canvas.cairo);
    cairo_new_path(canvas.cairo);
    cairo_rectangle(canvas.cairo, rect.x, rect.y, rect.w, rect.h);
    cairo_clip(canvas.cairo);
    add_lines(canvas.cairo, style::lines_across(rect, lines));
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
            polygon(canvas.cairo, style::overflow_tip(rect, snapped_width(canvas, 1)));
            set_colour(canvas.cairo, canvas.theme[style::kept_role(bar)]);
            cairo_fill(canvas.cairo);
            [[fallthrough]];
        case SumBar::Mark::none:
        case SumBar::Mark::by_design:
            draw_shares(canvas, bar, rect);
            break;
    }
    if (bar.text.empty()) return;
    const Text text = style::sum_text(bar);
    show_text(canvas.cairo, text, canvas.theme[text.role]);
}

void draw_connector(const Canvas& canvas, const Connector& connector, double unit) {
    const auto tip = style::tip_of(connector, unit);
    if (!tip) return;
    cairo_t* cairo = canvas.cairo;
    set_colour(cairo, canvas.theme[Role::dim]);
    cairo_set_line_width(cairo, snapped_width(canvas, style::connector_line * unit));
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_move_to(cairo, connector.points.front().x, connector.points.front().y);
    for (const Point& point : style::path_of(connector, *tip, unit))
        cairo_line_to(cairo, point.x, point.y);
    cairo_stroke(cairo);
    if (!connector.arrow) return;
    polygon(cairo, style::arrow_head(*tip, unit));
    cairo_fill(cairo);
}

// --- plots

namespace {

void circle(cairo_t* cairo, Point at, double radius) {
    cairo_new_path(cairo);
    cairo_arc(cairo, at.x, at.y, radius, 0, 2 * std::acos(-1.0));
}

}  // namespace

void draw_area(const Canvas& canvas, const Area& area) {
    polygon(canvas.cairo, area.points);
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
        add_lines(cairo, style::dashes_of(stroke));
    } else if (stroke.closed) {
        polygon(cairo, stroke.points);
    } else {
        cairo_new_path(cairo);
        for (const Point& point : stroke.points) cairo_line_to(cairo, point.x, point.y);
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
