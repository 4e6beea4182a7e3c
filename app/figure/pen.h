#pragma once
// A pen draws on one medium: with cairo (PNG, PDF), as SVG, as TikZ, or in the window. It knows
// shapes, but not what they stand for, such as sums or connectors. draw() knows every part of a
// figure, but no medium.

#include <cairo.h>

#include <optional>
#include <span>

#include "app/figure/figure.h"
#include "app/figure/style.h"
#include "core/base/progress.h"

namespace maskscope {

// Draws shapes on a medium. All lengths are those of the figure.
class Pen {
public:
    const Theme& theme;
    const std::optional<double> pixels;  // per unit of length; nullopt if the medium has no pixels

    virtual ~Pen() = default;
    Pen(const Pen&) = delete;
    Pen& operator=(const Pen&) = delete;

    Rect snapped(const Rect& rect) const;                         // moves the edges to whole pixels
    virtual double snapped(double width) const { return width; }  // the width of a line

    virtual void fill(const Rect& rect, double radius, Colour colour) = 0;
    // Draws the outline of a rectangle, within it. Its line is at least one pixel (or point) wide.
    virtual void outline(const Rect& rect, double radius, double width, Colour colour) = 0;
    virtual void hatch(const Rect& rect, const style::HatchLines& lines) = 0;
    // Draws the colours of a map along the longer side, low numbers at the left or at the bottom.
    virtual void gradient(const Rect& rect, ColourMap map);
    virtual void polygon(std::span<const Point> points, Colour colour) = 0;  // as in Area
    virtual void triangle(const style::Triangle& corners, Colour colour) {
        polygon(corners, colour);
    }
    virtual void line(const Stroke& stroke) = 0;
    virtual void dot(const Dot& dot) = 0;
    virtual void text(const Text& text, Colour colour) = 0;
    // Draws the cells of a heatmap. Returns false if none of them is visible; then no numbers
    // follow.
    virtual bool cells(const Heatmap& heatmap) = 0;
    virtual void begin_numbers(const Rect&) {}  // clips them as the heatmap's cells are clipped
    virtual void end_numbers() {}
    // Clips fills and hatches to a rounded rectangle. Clips are not nested.
    virtual void begin_clip(const Rect& rect, double radius) = 0;
    virtual void end_clip() = 0;

protected:
    explicit Pen(const Theme& of, std::optional<double> per_unit = std::nullopt)
        : theme(of), pixels(per_unit) {}
};

// Draws all parts of the figure except its background: see visit_drawn().
void draw(Pen& pen, const Figure& figure);

// Draws a figure on a surface of `scale` pixels per point; edges of cells, boxes and bars lie on
// whole pixels. Does not paint the background. Throws Cancellation between two heatmaps.
void draw_figure(cairo_t* cairo, const Figure& figure, const Theme& theme, double scale,
                 const Progress& progress = command_progress());

}  // namespace maskscope
