#include "app/figure/pen.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/figure/cell_pixels.h"
#include "app/figure/draw_cell.h"

namespace maskscope {

Rect Pen::snapped(const Rect& rect) const {
    if (!pixels) return rect;
    const auto snap = [this](double x) { return std::round(x * *pixels) / *pixels; };
    const double x = snap(rect.x), y = snap(rect.y);
    return {x, y, snap(rect.right()) - x, snap(rect.bottom()) - y};
}

// One strip a pixel.
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

// A function for each kind of part.
struct Walk {
    Pen& pen;
    double unit;

    Colour colour(Role role) const { return pen.theme[role]; }

    void draw(const Box& box) const {
        const Rect rect = pen.snapped(box.rect);
        if (box.filled) pen.fill(rect, box.radius, colour(box.fill));
        if (box.outlined) pen.outline(rect, box.radius, box.line_width, colour(box.outline));
    }

    // The legend's square: the background and the lines of a cell.
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
        pen.text(number.text, look.ink);
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
                pen.dot({.at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
                         .radius = rect.h / 4,
                         .role = style::kept_role(bar)});
                break;
            case SumBar::Mark::above_one:
                pen.triangle(style::overflow_tip(rect, pen.snapped(1.0)),
                             colour(style::kept_role(bar)));
                [[fallthrough]];
            case SumBar::Mark::none:
            case SumBar::Mark::by_design:
                draw_shares(bar, rect);
                pen.outline(rect, radius, width, colour(style::outline_role(bar)));
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
        if (kept > 0) pen.fill(share(0, kept), 0, colour(style::kept_role(bar)));
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
        path.insert(path.begin(), path.front());  // files have it twice, and keep their bytes
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

}  // namespace maskscope
