#include "app/figure/draw_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/figure/cell_pixels.h"
#include "app/figure/pen.h"
#include "app/style/labels.h"

namespace maskscope {
namespace {

// Names the picture, so that a PDF contains it once, on however many pages it is.
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

// A pen for cairo, which is scaled: one unit is a point.
class CairoPen final : public Pen {
public:
    CairoPen(cairo_t* cairo, const Theme& theme, double scale, const Progress& progress)
        : Pen(theme, scale), cairo_(cairo), scale_(scale), progress_(progress) {}

    // Rounds to whole pixels, at least one.
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
        if (progress_.cancel) throw Cancelled{};
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
    // Sets at least a pixel.
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
