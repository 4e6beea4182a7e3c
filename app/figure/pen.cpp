#include "app/figure/pen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/draw_cell.h"
#include "app/style/labels.h"

namespace maskscope {

Rect Pen::snapped(const Rect& rect) const {
    if (!pixels) return rect;
    const auto snap = [this](double x) { return std::round(x * *pixels) / *pixels; };
    const double x = snap(rect.x), y = snap(rect.y);
    return {x, y, snap(rect.right()) - x, snap(rect.bottom()) - y};
}

// Draws one strip for each pixel.
void Pen::gradient(const Rect& rect, ColourMap map) {
    const bool upright = rect.h > rect.w;
    const double per_unit = pixels.value_or(1), step = 1 / per_unit;
    const int steps = static_cast<int>(std::lround((upright ? rect.h : rect.w) * per_unit));
    for (int k = 0; k < steps; ++k) {
        const Rect strip = upright ? Rect{rect.x, rect.bottom() - (k + 1) * step, rect.w, step}
                                   : Rect{rect.x + k * step, rect.y, step, rect.h};
        fill(strip, 0, map_colour(map, steps > 1 ? k / (steps - 1.0) : 0));
    }
}

namespace {

// Draws each kind of part.
struct Walk {
    Pen& pen;
    double unit;

    Colour colour(Role role) const { return pen.theme[role]; }

    void draw(const Box& box) const {
        const Rect rect = pen.snapped(box.rect);
        if (box.filled) pen.fill(rect, box.radius, colour(box.fill));
        if (box.outlined) pen.outline(rect, box.radius, box.line_width, colour(box.outline));
    }

    // Draws a square of the legend: the background and the lines of a cell.
    void draw(const Hatch& hatch) const {
        const Rect rect = pen.snapped(hatch.rect);
        const style::CellStyle cell = style::cell_style(std::min(rect.w, rect.h));
        const Colour lines = hatch.crossed ? nan_lines(pen.theme) : colour(hatch.role);
        pen.fill(rect, 0, hatch.crossed ? nan_background(pen.theme) : colour(Role::panel));
        pen.hatch(rect, {cell.hatch_pitch, cell.hatch_width, lines, hatch.crossed});
        if (!hatch.crossed) pen.outline(rect, 0, cell.gap, colour(Role::line));
    }

    void draw(const Heatmap& map) const {
        if (!pen.cells(map) || !(map.number_size > 0)) return;
        pen.begin_numbers(map.rect);
        const SeenCells seen = seen_cells(map);
        for (Index i = seen.begin.i; i < seen.end.i; ++i)
            for (Index j = seen.begin.j; j < seen.end.j; ++j) draw_number(map, i, j);
        pen.end_numbers();
    }

    void draw_number(const Heatmap& map, Index i, Index j) const {
        const CellLook look = look_of(map, i, j, pen.theme);
        if (!look.numbered) return;
        const Rect cell = inner_rect(map, i, j, pen.pixels.value_or(1));
        const CellNumber number = number_of(map, i, j, look, cell);
        if (number.cleared) pen.fill(pen.snapped(*number.cleared), 0, look.background);
        for (const Text& line : number.lines) pen.text(line, look.ink);
    }

    void draw(const SumBar& bar) const {
        const Rect rect = pen.snapped(bar.rect);
        const double radius = style::sum_radius(rect), width = style::sum_line(rect);
        switch (bar.mark) {
            case SumBar::Mark::nan:
                pen.begin_clip(rect, radius);
                pen.fill(rect, 0, nan_background(pen.theme));
                pen.hatch(rect, style::nan_hatch(rect, nan_lines(pen.theme)));
                pen.end_clip();
                break;
            case SumBar::Mark::empty:
                pen.outline(rect, radius, width, colour(Role::dim));
                break;
            case SumBar::Mark::one:
                pen.fill(
                    {rect.x + rect.w / 2 - rect.h / 4, rect.y + rect.h / 4, rect.h / 2, rect.h / 2},
                    rect.h / 4, style::kept_colour(bar, pen.theme));
                break;
            case SumBar::Mark::above_one:
                pen.triangle(style::overflow_tip(rect, pen.snapped(1.0)),
                             style::kept_colour(bar, pen.theme));
                [[fallthrough]];
            case SumBar::Mark::none:
            case SumBar::Mark::by_design:
                draw_shares(bar, rect);
                pen.outline(rect, radius, width, style::outline_colour(bar, pen.theme));
                break;
        }
        if (!bar.text.empty()) draw(style::sum_text(bar));
    }

    void draw_shares(const SumBar& bar, const Rect& rect) const {
        const double kept = std::clamp(bar.kept, 0.0, 1.0);
        const double leaked = std::clamp(bar.leaked, 0.0, 1 - kept);
        const auto share = [&](double from, double part) {
            return pen.snapped({rect.x + from * rect.w, rect.y, part * rect.w, rect.h});
        };
        pen.begin_clip(rect, style::sum_radius(rect));
        if (kept > 0) pen.fill(share(0, kept), 0, style::kept_colour(bar, pen.theme));
        if (leaked > 0) {
            const Rect part = share(kept, leaked);
            pen.fill(part, 0, nan_background(pen.theme));
            pen.hatch(part, style::leak_hatch(rect, pen.theme));
        }
        pen.end_clip();
    }

    void draw(const ColourBar& bar) const {
        pen.gradient(pen.snapped(bar.rect), shown_map(bar.map, pen.theme));
    }

    void draw(const Connector& connector) const {
        const auto tip = style::tip_of(connector, unit);
        if (!tip) return;
        std::vector<Point> path = style::path_of(connector, *tip, unit);
        // Write the first point twice, as earlier versions did, so that files keep their bytes.
        path.insert(path.begin(), path.front());
        pen.line({std::move(path), Role::dim, pen.snapped(style::connector_line * unit)});
        if (connector.arrow) pen.triangle(style::arrow_head(*tip, unit), colour(Role::dim));
    }

    void draw(const Area& area) const {
        pen.polygon(area.points, style::area_colour(area, pen.theme));
    }
    void draw(const Stroke& stroke) const { pen.line(stroke); }
    void draw(const Dot& dot) const { pen.dot(dot); }
    void draw(const Text& text) const { pen.text(text, colour(text.role)); }
};

}  // namespace

void draw(Pen& pen, const Figure& figure) {
    const Walk walk{pen, figure.unit};
    visit_drawn(
        [&walk](const auto& parts) {
            for (const auto& part : parts) walk.draw(part);
        },
        figure);
}

namespace {

// Names the picture, so that a PDF contains it only once, even if several pages show it.
void name_picture(cairo_surface_t* image, const CellPixels& pixels) {
    const std::string_view bytes(reinterpret_cast<const char*>(pixels.argb.data()),
                                 pixels.argb.size() * sizeof pixels.argb.front());
    auto name = std::make_unique<std::string>(fmt::format(
        "{} × {}: {:x}", pixels.width, pixels.height, std::hash<std::string_view>{}(bytes)));
    const auto* data = reinterpret_cast<const unsigned char*>(name->data());
    const auto size = name->size();
    std::string* const owned = name.release();
    const auto drop = [](void* given) { delete static_cast<std::string*>(given); };
    if (cairo_surface_set_mime_data(image, CAIRO_MIME_TYPE_UNIQUE_ID, data, size, drop, owned) !=
        CAIRO_STATUS_SUCCESS)
        delete owned;
}

// A pen for cairo, scaled so that one unit is a point.
class CairoPen final : public Pen {
public:
    CairoPen(cairo_t* cairo, const Theme& theme, double scale, const Progress& progress)
        : Pen(theme, scale), cairo_(cairo), scale_(scale), progress_(progress) {}

    // Rounds the width to whole pixels, at least one.
    double snapped(double width) const override {
        return std::max(1.0, std::round(width * scale_)) / scale_;
    }
    using Pen::snapped;

    void fill(const Rect& rect, double radius, Colour colour) override {
        cairo_new_path(cairo_);
        add_rect(rect, radius);
        set(colour);
        cairo_fill(cairo_);
    }

    void outline(const Rect& rect, double radius, double line_width, Colour colour) override {
        const double width = snapped(line_width), in = width / 2;
        cairo_new_path(cairo_);
        add_rect({rect.x + in, rect.y + in, rect.w - width, rect.h - width},
                 std::max(0.0, radius - in));
        cairo_set_line_width(cairo_, width);
        set(colour);
        cairo_stroke(cairo_);
    }

    void hatch(const Rect& rect, const style::HatchLines& lines) override {
        cairo_save(cairo_);
        cairo_new_path(cairo_);
        add_rect(rect, 0);
        cairo_clip(cairo_);
        add_lines(style::lines_across(rect, lines));
        set_width(lines.width);
        cairo_set_line_cap(cairo_, CAIRO_LINE_CAP_SQUARE);
        set(lines.colour);
        cairo_stroke(cairo_);
        cairo_restore(cairo_);
    }

    void polygon(std::span<const Point> points, Colour colour) override {
        add_points(points);
        cairo_close_path(cairo_);
        set(colour);
        cairo_fill(cairo_);
    }

    void line(const Stroke& stroke) override {
        set(theme[stroke.role]);
        set_width(stroke.width);
        cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_cap(cairo_, CAIRO_LINE_CAP_BUTT);
        if (stroke.dashed)
            add_lines(style::dashes_of(stroke));
        else
            add_points(stroke.points);
        if (stroke.closed && !stroke.dashed) cairo_close_path(cairo_);
        cairo_stroke(cairo_);
    }

    void dot(const Dot& dot) override {
        add_circle(dot.at, dot.radius);
        set(theme[dot.filled ? dot.role : Role::ground]);
        cairo_fill(cairo_);
        if (dot.filled) return;
        add_circle(dot.at, dot.radius - dot.width / 2);
        set(theme[dot.role]);
        set_width(dot.width);
        cairo_stroke(cairo_);
    }

    void text(const Text& text, Colour colour) override { show_text(cairo_, text, colour); }

    bool cells(const Heatmap& heatmap) override {
        if (progress_.cancel) throw Cancellation{};
        CellPixels pixels = cell_pixels(heatmap, theme, scale_);
        if (pixels.argb.empty()) return false;
        cairo_surface_t* image = cairo_image_surface_create_for_data(
            reinterpret_cast<unsigned char*>(pixels.argb.data()), CAIRO_FORMAT_ARGB32, pixels.width,
            pixels.height, pixels.width * 4);
        if (cairo_surface_get_type(cairo_get_target(cairo_)) == CAIRO_SURFACE_TYPE_PDF)
            name_picture(image, pixels);
        cairo_save(cairo_);
        cairo_scale(cairo_, 1 / scale_, 1 / scale_);
        cairo_set_source_surface(cairo_, image, pixels.x, pixels.y);
        cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
        cairo_paint(cairo_);
        cairo_restore(cairo_);
        cairo_surface_destroy(image);
        return true;
    }
    void begin_numbers(const Rect& rect) override { begin_clip(rect, 0); }
    void end_numbers() override { end_clip(); }

    void begin_clip(const Rect& rect, double radius) override {
        cairo_save(cairo_);
        add_rect(rect, radius);
        cairo_clip(cairo_);
    }
    void end_clip() override { cairo_restore(cairo_); }

private:
    void set(Colour c) {
        cairo_set_source_rgba(cairo_, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
    }
    // Sets the line width, at least a pixel.
    void set_width(double width) { cairo_set_line_width(cairo_, std::max(width, 1 / scale_)); }

    void add_rect(const Rect& r, double radius) {
        radius = std::min({radius, r.w / 2, r.h / 2});
        if (!(radius > 0)) return cairo_rectangle(cairo_, r.x, r.y, r.w, r.h);
        const double quarter = std::acos(-1.0) / 2;
        cairo_new_sub_path(cairo_);
        cairo_arc(cairo_, r.right() - radius, r.y + radius, radius, -quarter, 0);
        cairo_arc(cairo_, r.right() - radius, r.bottom() - radius, radius, 0, quarter);
        cairo_arc(cairo_, r.x + radius, r.bottom() - radius, radius, quarter, 2 * quarter);
        cairo_arc(cairo_, r.x + radius, r.y + radius, radius, 2 * quarter, 3 * quarter);
        cairo_close_path(cairo_);
    }
    void add_points(std::span<const Point> points) {
        cairo_new_path(cairo_);
        for (const Point& point : points) cairo_line_to(cairo_, point.x, point.y);
    }
    void add_lines(const style::Lines& lines) {
        cairo_new_path(cairo_);
        for (const auto& [from, to] : lines) {
            cairo_move_to(cairo_, from.x, from.y);
            cairo_line_to(cairo_, to.x, to.y);
        }
    }
    void add_circle(Point at, double radius) {
        cairo_new_path(cairo_);
        cairo_arc(cairo_, at.x, at.y, radius, 0, 2 * std::acos(-1.0));
    }

    cairo_t* cairo_;
    double scale_;
    const Progress& progress_;
};

}  // namespace

void draw_figure(cairo_t* cairo, const Figure& figure, const Theme& theme, double scale,
                 const Progress& progress) {
    cairo_save(cairo);
    cairo_scale(cairo, scale, scale);
    CairoPen pen(cairo, theme, scale, progress);
    draw(pen, figure);
    cairo_restore(cairo);
}

}  // namespace maskscope
