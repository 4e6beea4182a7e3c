#pragma once
// The pen of the window: heatmaps by shader, labels from the atlas, the rest by ImGui. Lengths are
// in pixels.

#include "app/figure/pen.h"
#include "app/window/paint/gui.h"

struct ImDrawList;

namespace maskscope {

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

    void push_clip(const Rect& rect);  // at whole pixels
    void pop_clip();

private:
    struct RoundedRect {
        Rect rect;
        double radius = 0;
    };

    Gui& gui_;
    ImDrawList& list_;
    std::optional<RoundedRect> rounded_;  // fills are cut at it
};

}  // namespace maskscope
