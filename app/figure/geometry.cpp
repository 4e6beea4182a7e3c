#include <algorithm>
#include <cmath>

#include "app/figure/figure.h"

namespace maskscope {

Rect cell_rect(const Heatmap& heatmap, Index i, Index j) {
    const Zoom& z = heatmap.zoom;
    const double w = heatmap.rect.w / ((z.x1 - z.x0) * double(heatmap.cells->columns));
    const double h = heatmap.rect.h / ((z.y1 - z.y0) * double(heatmap.cells->rows));
    const double left = heatmap.rect.x - z.x0 * double(heatmap.cells->columns) * w;
    const double top = heatmap.rect.y - z.y0 * double(heatmap.cells->rows) * h;
    return {left + double(j) * w, top + double(i) * h, w, h};
}

std::optional<Cell> cell_at(const Heatmap& heatmap, Point point) {
    if (!heatmap.rect.contains(point)) return std::nullopt;
    const Rect first = cell_rect(heatmap, 0, 0);
    const auto i = Index(std::floor((point.y - first.y) / first.h));
    const auto j = Index(std::floor((point.x - first.x) / first.w));
    return Cell{std::clamp<Index>(i, 0, heatmap.cells->rows - 1),
                std::clamp<Index>(j, 0, heatmap.cells->columns - 1)};
}

}  // namespace maskscope
