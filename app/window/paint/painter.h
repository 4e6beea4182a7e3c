#pragma once
// Paints a Figure in the window, and marks over its cells.

#include "app/figure/figure.h"
#include "app/figure/pen.h"
#include "app/window/paint/gui.h"

struct ImDrawList;

namespace maskscope {

// The pen for the window. Heatmaps are drawn by a shader, labels come from the atlas, and ImGui
// draws the rest. Lengths are in pixels.
class ScreenPen final : public Pen {
public:
    ScreenPen(Gui& gui, ImDrawList& list) : Pen(colours(gui), 1), gui_(gui), list_(list) {}

    void fill(const Rect& rect, double radius, Colour colour) override;
    void outline(const Rect& rect, double radius, double width, Colour colour) override;
    void hatch(const Rect& rect, const style::HatchLines& lines) override;
    void polygon(std::span<const Point> points, Colour colour) override;
    void triangle(const style::Triangle& corners, Colour colour) override;
    void line(const Stroke& stroke) override;
    void dot(const Dot& dot) override;
    void text(const Text& text, Colour colour) override;
    bool cells(const Heatmap& heatmap) override;
    void begin_numbers(const Rect& rect) override { push_clip(rect); }
    void end_numbers() override { pop_clip(); }
    void begin_clip(const Rect& rect, double radius) override { rounded_ = {rect, radius}; }
    void end_clip() override { rounded_.reset(); }

    void push_clip(const Rect& rect);  // clips to whole pixels
    void pop_clip();

private:
    struct RoundedRect {
        Rect rect;
        double radius = 0;
    };

    Gui& gui_;
    ImDrawList& list_;
    std::optional<RoundedRect> rounded_;  // the rectangle to which fills are clipped
};

// Paints the figure. offset: its top left corner, rounded to whole pixels; scale: pixels per unit
// of its lengths.
void paint(Gui& gui, ImDrawList& list, Figure figure, Point offset, double scale = 1);

// Returns the heatmap with its place on the screen in pixels, for cell_at(), cell_rect() and the
// like.
Heatmap on_screen(Heatmap heatmap, Point offset, double scale = 1);

// Frames a cell in white within black, which shows on any colour. heatmap: in pixels, from
// on_screen(). Does not draw outside the visible part of a zoomed heatmap.
void frame_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell);
void frame_row(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Index i);
void frame_column(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Index j);
void frame_changed(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell);
// Draws the ring around a cell that means "click me".
void ring_cell(Gui& gui, ImDrawList& list, const Heatmap& heatmap, Cell cell);

}  // namespace maskscope
