#include "app/figure/write/cell_areas.h"

#include <algorithm>
#include <cmath>

#include "app/figure/draw_cell.h"

namespace maskscope {

namespace {

// Merges the cells of a row into areas, from left to right.
class Runs {
public:
    explicit Runs(Areas& areas) : areas_(areas) {}
    void add(Colour colour, const Rect& rect) {
        std::vector<Rect>& area = areas_[rgb(colour)];
        const bool goes_on = last_ == &area && std::abs(area.back().right() - rect.x) < 1e-6;
        if (goes_on)
            area.back().w = rect.right() - area.back().x;
        else
            area.push_back(rect);
        last_ = &area;
    }

private:
    Areas& areas_;
    const std::vector<Rect>* last_ = nullptr;
};

}  // namespace

CellAreas cell_areas(const Heatmap& heatmap, const Theme& theme) {
    CellAreas areas;
    const Rect first = cell_rect(heatmap, 0, 0);
    const style::CellStyle& s = areas.style = style::cell_style(std::min(first.w, first.h));
    const SeenCells seen = seen_cells(heatmap);
    for (Index i = seen.begin.i; i < seen.end.i; ++i) {
        Runs line(areas.lines), fill(areas.fills), hatch(areas.hatches), cross(areas.crosses);
        for (Index j = seen.begin.j; j < seen.end.j; ++j) {
            const CellLook look = look_of(heatmap, i, j, theme);
            const Rect outer = cell_rect(heatmap, i, j);
            const Rect cell{outer.x, outer.y, outer.w - s.gap, outer.h - s.gap};
            if (look.plain && s.gap > 0)
                line.add(theme[Role::line],
                         {outer.x - s.gap, outer.y - s.gap, outer.w + s.gap, outer.h + s.gap});
            fill.add(fill_colour(look, s, theme), cell);
            if (look.hatch.a != 0 && !is_tinted(look, s)) hatch.add(look.hatch, cell);
            if (look.cross.a != 0) cross.add(look.cross, cell);
            if (look.frame.a != 0 && s.frame > 0)
                areas.framed.push_back({cell, look.frame, look.frame_edge});
            if (look.dot.a != 0 && s.dot > 0)
                areas.dotted.push_back({cell, look.dot, look.background});
        }
    }
    return areas;
}

void draw_marks(Pen& pen, const CellAreas& areas) {
    const style::CellStyle& style = areas.style;
    for (const auto& [cell, frame, edge] : areas.framed) {
        pen.outline(cell, 0, style.frame, frame);
        const Rect within{cell.x + style.frame, cell.y + style.frame, cell.w - 2 * style.frame,
                          cell.h - 2 * style.frame};
        if (within.w > 2 * style.frame_edge && within.h > 2 * style.frame_edge)
            pen.outline(within, 0, style.frame_edge, edge);
    }
    for (const auto& [cell, dot, edge] : areas.dotted) {
        const auto fill = [&, &at = cell](double radius, Colour colour) {
            pen.fill({at.x + at.w / 2 - radius, at.y + at.h / 2 - radius, 2 * radius, 2 * radius},
                     radius, colour);
        };
        fill(style.dot + style.dot_edge, edge);
        fill(style.dot, dot);
    }
}

}  // namespace maskscope
