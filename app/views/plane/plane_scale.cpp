// Finds one scale for all plots of the output plane.

#include <algorithm>
#include <cmath>

#include "app/views/plane/plane_parts.h"

namespace maskscope {

void PlaneExtent::add(PlanePoint p) {
    if (!is_drawable(p)) return;
    x0 = std::min(x0, p[0]);
    x1 = std::max(x1, p[0]);
    y0 = std::min(y0, p[1]);
    y1 = std::max(y1, p[1]);
}

std::vector<PlanePoint> tips_of(const PlanePlot& plot, Index i) {
    std::vector<PlanePoint> tips{{0, 0}};
    for (const auto& part : plot.parts) {
        const PlanePoint& step = part[i];
        tips.push_back({tips.back()[0] + step[0], tips.back()[1] + step[1]});
    }
    return tips;
}

PlaneExtent extent_of(const PlaneView& plane) {
    PlaneExtent extent;
    for (const PlanePlot& plot : plane.plots) {
        for (const PlanePoint& p : plot.values) extent.add(p);
        for (const PlanePoint& p : plot.outputs) extent.add(p);
        if (is_sampled(plot))  // the hull's corners need not be among the values
            for (const auto& hull : plot.hulls)
                for (const PlanePoint& p : hull) extent.add(p);
        if (plot.parts.empty()) continue;
        for (std::size_t i = 0; i < plot.outputs.size(); ++i)
            for (const PlanePoint& p : tips_of(plot, static_cast<Index>(i))) extent.add(p);
    }
    return extent;
}

void scale_plot(Plot& plot, const PlaneExtent& extent) {
    constexpr double least_ratio = 0.8;  // of the sides, unless the content is longer
    const double widest = std::max(extent.x1 - extent.x0, extent.y1 - extent.y0);
    constexpr double least = 1e-100;  // closer points count as one
    const double room = widest > least ? 0.09 * widest : 1;
    const double w = extent.x1 - extent.x0 + 2 * room, h = extent.y1 - extent.y0 + 2 * room;
    const double points = std::min(plot.rect.w / w, plot.rect.h / h);  // per unit of the values
    const double width = std::max(w * points, least_ratio * plot.rect.h);
    const double height = std::max(h * points, least_ratio * plot.rect.w);
    plot.rect.w = std::min(plot.rect.w, std::round(width));
    plot.rect.h = std::min(plot.rect.h, std::round(height));
    const double half_x = plot.rect.w / points / 2, half_y = plot.rect.h / points / 2;
    const double x = (extent.x0 + extent.x1) / 2, y = (extent.y0 + extent.y1) / 2;
    plot.x = {x - half_x, x + half_x};
    plot.y = {y - half_y, y + half_y};
}

}  // namespace maskscope
